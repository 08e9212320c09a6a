import { pipeline } from 'node:stream/promises'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { createSeal } from '../../kernel/seal.ts'
import type { Database } from '../../platform/db/database.ts'
import { listTables, type BackupTable } from '../../platform/db/backup.sql.ts'
import { rekey } from '../../platform/db/master-key.ts'
import { dbOfTransaction, type Session } from '../../platform/db/sql.ts'
import {
  copyRowsIn,
  copyRowsOut,
  leaveProject,
  listNumbered,
  nameProject,
  numbersOf,
  passNumber,
  reserveNumbers,
  sumUp,
  type NumberedColumn,
  type Sum,
} from './move.sql.ts'
import { MOVED } from './moved-tables.ts'

/** One of the two installations between which a Project moves. */
export type Installation = { database: Database; masterKeys: readonly string[] }

/** The column of a table whose values alone identify its rows: they get new numbers, because both sides count from 1. */
type Renumbered = Map<string, NumberedColumn>

/**
 * Copies the rows of a company in one transaction of the other installation, reseals its secrets, compares both sides,
 * gives the Project up here and commits there. `held` throws when the fence is gone. Returns the number of rows.
 *
 * If the process stops after the Project is given up and before the commit, no installation serves it: a repeated move
 * copies again.
 */
export async function copyCompany({
  from,
  to,
  projectId,
  held,
}: {
  from: Installation
  to: Installation
  projectId: string
  held: () => void
}): Promise<number> {
  return from.database.session((source) =>
    to.database.session(async (target) => {
      await nameProject(source, projectId)
      await nameProject(target, projectId)
      await source`begin isolation level repeatable read`
      await target`begin`
      const tables = (await listTables(source)).filter(({ name }) => name in MOVED)
      const numbered = await listNumbered(source)
      const renumbered: Renumbered = new Map(
        numbered.flatMap((one) => (one.unique ? [[one.table, one]] : [])),
      )
      for (const table of tables) {
        await copyTable(source, target, table, numbered)
        held()
      }
      const columnOf = ({ name }: BackupTable) => renumbered.get(name)?.column ?? null
      const steady: Sum[] = []
      let rows = 0
      for (const table of tables) {
        const sum = await sumUp(source, table, columnOf(table), false)
        requireEqual(sum, await sumUp(target, table, columnOf(table), false), say.ops.move.unequal)
        rows += sum.rows
        steady.push(await sumUp(source, table, columnOf(table), true))
        held()
      }
      const seal = createSeal([...to.masterKeys, ...from.masterKeys] as [string, ...string[]])
      await rekey(dbOfTransaction(target), seal)
      await source`commit`
      // Whatever was written despite the fence is found here.
      for (const [place, table] of tables.entries()) {
        const now = await sumUp(source, table, columnOf(table), true)
        requireEqual(steady[place], now, say.ops.move.changed)
      }
      held()
      if (!(await leaveProject(source, projectId))) throw new StartFault(say.ops.move.leaseLost)
      await target`commit`
      return rows
    }),
  )
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
