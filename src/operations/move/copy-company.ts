import { pipeline } from 'node:stream/promises'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { createSeal } from '../../kernel/seal.ts'
import { listTables, type BackupTable } from '../../platform/db/backup.sql.ts'
import type { Database } from '../../platform/db/database.ts'
import { resealProject } from '../../platform/db/master-key.ts'
import { dbOfTransaction, type Session } from '../../platform/db/sql.ts'
import {
  copyRowsIn,
  copyRowsOut,
  listInstances,
  listNumbered,
  nameProject,
  numbersOf,
  passNumber,
  reserveNumbers,
  sumUp,
  waitForOtherMoves,
  type NumberedColumn,
  type Sum,
} from './move.sql.ts'
import { MOVED } from './moved-tables.ts'

/** One of the two installations between which a Project moves. */
export type Installation = { database: Database; masterKeys: readonly string[] }

/**
 * Copies the rows of a company in one transaction of the other installation, compares both sides, reseals its secrets,
 * calls `leave`, which gives the Project up here, and commits there. `held` throws if the lease was lost. Returns the
 * number of rows.
 *
 * Each side is one transaction of the driver, which rejects when its connection is lost and never continues on another.
 */
export function copyCompany({
  from,
  to,
  projectId,
  held,
  leave,
}: {
  from: Installation
  to: Installation
  projectId: string
  held: () => void
  leave: () => Promise<void>
}): Promise<number> {
  return to.database.session((outer) =>
    outer.begin(async (target) => {
      const db = dbOfTransaction(target)
      await nameProject(target, projectId)
      await waitForOtherMoves(db)
      const { sums, tables, columnOf } = await from.database.session((session) =>
        session.begin('isolation level repeatable read', (source) =>
          copySnapshot({ source, target, projectId, held }),
        ),
      )
      if (to.masterKeys[0] !== from.masterKeys[0]) {
        const seal = createSeal([...to.masterKeys, ...from.masterKeys] as [string, ...string[]])
        await resealProject(db, seal, projectId, await listInstances(db, projectId))
      }
      await from.database.session((session) =>
        session.begin('read only', async (source) => {
          await nameProject(source, projectId)
          // Detects anything written despite the fence.
          for (const [place, table] of tables.entries()) {
            const now = await sumUp(source, table, columnOf(table), true)
            requireEqual(sums[place]?.steady, now, say.ops.move.changed)
          }
        }),
      )
      held()
      await leave()
      return sums.reduce((all, { whole }) => all + whole.rows, 0)
    }),
  )
}

/** Copies all tables from one snapshot, and compares them. */
async function copySnapshot({
  source,
  target,
  projectId,
  held,
}: {
  source: Session
  target: Session
  projectId: string
  held: () => void
}) {
  await nameProject(source, projectId)
  const tables = (await listTables(source)).filter(({ name }) => name in MOVED)
  const numbered = await listNumbered(source)
  for (const table of tables) {
    await copyTable(source, target, table, numbered)
    held()
  }
  // Sequence values that alone identify rows are reassigned at the target, because both sides count from 1.
  const columnOf = ({ name }: BackupTable) =>
    numbered.find(({ table, unique }) => unique && table === name)?.column ?? null
  const sums: { whole: Sum; steady: Sum }[] = []
  for (const table of tables) {
    const whole = await sumUp(source, table, columnOf(table), false)
    requireEqual(whole, await sumUp(target, table, columnOf(table), false), say.ops.move.unequal)
    sums.push({ whole, steady: await sumUp(source, table, columnOf(table), true) })
    held()
  }
  return { sums, tables, columnOf }
}

function requireEqual(one: Sum | undefined, other: Sum, sentence: (table: string) => string): void {
  if (one?.rows !== other.rows || one.hash !== other.hash)
    throw new StartFault(sentence(other.table))
}

async function copyTable(
  source: Session,
  target: Session,
  table: BackupTable,
  numbered: NumberedColumn[],
): Promise<void> {
  let shift: { column: string; by: number } | null = null
  for (const column of numbered.filter((one) => one.table === table.name)) {
    const numbers = await numbersOf(source, column)
    if (!numbers) continue
    const { lowest, highest } = numbers
    if (column.unique) {
      const first = await reserveNumbers(target, column.sequence, highest - lowest + 1)
      shift = { column: column.column, by: first - lowest }
    } else await passNumber(target, column.sequence, highest)
  }
  await pipeline(await copyRowsOut(source, table, shift), await copyRowsIn(target, table))
}
