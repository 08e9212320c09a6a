import { isLockTimeout } from './database-errors.ts'
import type { Db } from './sql.ts'
import {
  dropPartition,
  setLockTimeout,
  listPartitions,
  lockPartitions,
  createPartition,
  type PartitionedTable,
} from './partitions.sql.ts'

const DAY_MS = 24 * 3600_000
const DAYS_AHEAD = 7
const TABLES: PartitionedTable[] = ['event', 'delivery_log', 'api_request', 'event_history']

/** A table with daily partitions, and whether a partition ending at `dayEnd` has expired. */
export type DailyPartitionedTable = {
  name: PartitionedTable
  isExpired: (tx: Db, dayEnd: number, now: number) => boolean | Promise<boolean>
}

/**
 * Creates the daily partitions of the coming week and drops expired ones; one of several nodes does so. Returns false,
 * and changes nothing, while a long statement such as a backup holds a table: the next run does the work, and until
 * then the default partition receives rows without a daily one (G71).
 */
export async function maintainPartitions(
  db: Db,
  now: number,
  tables: DailyPartitionedTable[],
): Promise<boolean> {
  try {
    await changePartitions(db, now, tables)
    return true
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

async function changePartitions(
  db: Db,
  now: number,
  tables: DailyPartitionedTable[],
): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await lockPartitions(tx))) return
    await setLockTimeout(tx)
    for (const { name: table, isExpired: isOver } of tables) {
      const existing = await listPartitions(tx, table)
      for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
        const day = partitionOf(table, now + ahead * DAY_MS)
        if (!existing.includes(day.name)) await createPartition(tx, table, day)
      }
      for (const name of existing) {
        const end = endOf(name)
        if (end !== null && (await isOver(tx, end, now))) await dropPartition(tx, name)
      }
    }
  })
}

/** Creates the partitions with these names (table and day) if they do not exist. */
export async function createDailyPartitions(
  db: Db,
  days: { table: string; name: string }[],
): Promise<void> {
  for (const { table, name } of days) {
    const end = endOf(name)
    const known = TABLES.find((one) => one === table)
    if (end === null || !known)
      throw new Error(
        `cannot create partition ${name}: not a daily partition of a known table (${table})`,
      )
    const existing = await listPartitions(db, known)
    if (!existing.includes(name)) await createPartition(db, known, partitionOf(known, end - DAY_MS))
  }
}

/**
 * Creates the given daily partitions beside a running server: in one transaction, which gives up instead of making other
 * statements wait. Returns false if a long statement or another node is in the way; nothing has changed then.
 */
export async function addDailyPartitions(
  db: Db,
  days: { table: string; name: string }[],
): Promise<boolean> {
  try {
    return await db.transaction(async (tx) => {
      if (!(await lockPartitions(tx))) return false
      await setLockTimeout(tx)
      await createDailyPartitions(tx, days)
      return true
    })
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

function partitionOf(table: PartitionedTable, at: number) {
  const start = Math.floor(at / DAY_MS) * DAY_MS
  const from = new Date(start).toISOString()
  const to = new Date(start + DAY_MS).toISOString()
  return { name: `${table}_${from.slice(0, 10).replaceAll('-', '')}`, from, to }
}

/** When the day of a partition ends; null for the default partition. */
function endOf(name: string): number | null {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? []
  return year ? Date.parse(`${year}-${month}-${day}T00:00:00.000Z`) + DAY_MS : null
}
