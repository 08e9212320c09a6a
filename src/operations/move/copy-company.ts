import { pipeline } from 'node:stream/promises'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { createSeal } from '../../kernel/seal.ts'
import { listTables, type BackupTable } from '../../platform/db/backup.sql.ts'
import type { Database } from '../../platform/db/database.ts'
import { resealProject } from '../../platform/db/master-key.ts'
import { dbOfTransaction, type Session } from '../../platform/db/sql.ts'
import {
  checksumTable,
  copyRowsIn,
  copyRowsOut,
  listInstances,
  setMovingProject,
  waitForOtherMoves,
  type TableChecksum,
} from './move.sql.ts'
import { MOVED } from './moved-tables.ts'
import {
  advanceSequence,
  findNumberRange,
  listNumbered,
  reserveNumbers,
  type NumberedColumn,
} from './sequences.sql.ts'

/** One of the two installations between which a Project moves. */
export type Installation = { database: Database; masterKeys: readonly string[] }

/**
 * Copies the rows of a company in one transaction of the other installation, compares both sides, reseals its secrets,
 * calls `handOver`, which gives the Project up here, and commits there. `assertLeaseHeld` throws if the lease was lost.
 * Returns the number of rows.
 *
 * Each side is one transaction of the driver, which rejects when its connection is lost and never continues on another.
 */
export function copyCompany({
  from,
  to,
  projectId,
  assertLeaseHeld,
  handOver,
}: {
  from: Installation
  to: Installation
  projectId: string
  assertLeaseHeld: () => void
  handOver: () => Promise<void>
}): Promise<number> {
  return to.database.session((outer) =>
    outer.begin(async (target) => {
      const db = dbOfTransaction(target)
      await setMovingProject(target, projectId)
      await waitForOtherMoves(db)
      const { sums, tables, columnOf } = await from.database.session((session) =>
        session.begin('isolation level repeatable read', (source) =>
          copySnapshot({ source, target, projectId, assertLeaseHeld }),
        ),
      )
      if (to.masterKeys[0] !== from.masterKeys[0]) {
        const seal = createSeal([...to.masterKeys, ...from.masterKeys] as [string, ...string[]])
        await resealProject(db, seal, projectId, await listInstances(db, projectId))
      }
      await from.database.session((session) =>
        session.begin('read only', async (source) => {
          await setMovingProject(source, projectId)
          // Detects anything written despite the fence.
          for (const [place, table] of tables.entries()) {
            const now = await checksumTable(source, table, columnOf(table), true)
            requireEqual(sums[place]?.steady, now, say.ops.move.changed)
          }
        }),
      )
      assertLeaseHeld()
      await handOver()
      return sums.reduce((all, { whole }) => all + whole.rows, 0)
    }),
  )
}

/** Copies all tables from one snapshot, and compares them. */
async function copySnapshot({
  source,
  target,
  projectId,
  assertLeaseHeld,
}: {
  source: Session
  target: Session
  projectId: string
  assertLeaseHeld: () => void
}) {
  await setMovingProject(source, projectId)
  const tables = (await listTables(source)).filter(({ name }) => name in MOVED)
  const numbered = await listNumbered(source)
  for (const table of tables) {
    await copyTable(source, target, table, numbered)
    assertLeaseHeld()
  }
  // Sequence values that alone identify rows are reassigned at the target, because both sides count from 1.
  const columnOf = ({ name }: BackupTable) =>
    numbered.find(({ table, unique }) => unique && table === name)?.column ?? null
  const sums: { whole: TableChecksum; steady: TableChecksum }[] = []
  for (const table of tables) {
    const whole = await checksumTable(source, table, columnOf(table), false)
    requireEqual(
      whole,
      await checksumTable(target, table, columnOf(table), false),
      say.ops.move.unequal,
    )
    sums.push({ whole, steady: await checksumTable(source, table, columnOf(table), true) })
    assertLeaseHeld()
  }
  return { sums, tables, columnOf }
}

function requireEqual(
  one: TableChecksum | undefined,
  other: TableChecksum,
  sentence: (table: string) => string,
): void {
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
    const numbers = await findNumberRange(source, column)
    if (!numbers) continue
    const { lowest, highest } = numbers
    if (column.unique) {
      const first = await reserveNumbers(target, column.sequence, highest - lowest + 1)
      shift = { column: column.column, by: first - lowest }
    } else await advanceSequence(target, column.sequence, highest)
  }
  await pipeline(await copyRowsOut(source, table, shift), await copyRowsIn(target, table))
}
