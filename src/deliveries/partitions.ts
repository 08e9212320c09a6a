import type { Db } from '../db/sql.ts'
import {
  dropPartition,
  eventsNeeded,
  listPartitions,
  lockPartitions,
  makePartition,
  sweepHours,
  type PartitionedTable,
} from './partitions.sql.ts'

const DAY_MS = 24 * 3600_000
const DAYS_AHEAD = 7
/** The log is kept 30 days (specification §8): a partition goes when its last row is older. */
export const LOG_KEPT_MS = 30 * DAY_MS
/** Events are content of messages: their partition goes soon after their day, once nothing waits for it. */
const EVENTS_KEPT_MS = 3 * 3600_000

/**
 * Makes the daily partitions of the coming week and drops those whose time is over. Of several nodes one does it.
 * Source: deliveries §1.2.
 */
export async function keepPartitions(db: Db, now: number): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await lockPartitions(tx))) return
    // Before anything is locked that deliveries need.
    await sweepHours(tx, new Date(now - LOG_KEPT_MS))
    for (const table of ['event', 'delivery_log'] as const) {
      const existing = await listPartitions(tx, table)
      for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
        const day = partitionOf(table, now + ahead * DAY_MS)
        if (!existing.includes(day.name)) await makePartition(tx, table, day)
      }
      for (const name of existing) {
        if (await isOver(tx, table, name, now)) await dropPartition(tx, name)
      }
    }
  })
}

function partitionOf(table: PartitionedTable, at: number) {
  const start = Math.floor(at / DAY_MS) * DAY_MS
  const from = new Date(start).toISOString()
  const to = new Date(start + DAY_MS).toISOString()
  return { name: `${table}_${from.slice(0, 10).replaceAll('-', '')}`, from, to }
}

async function isOver(
  db: Db,
  table: PartitionedTable,
  name: string,
  now: number,
): Promise<boolean> {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? []
  if (!year) return false
  const end = Date.parse(`${year}-${month}-${day}T00:00:00.000Z`) + DAY_MS
  if (table === 'delivery_log') return end <= now - LOG_KEPT_MS
  return end <= now - EVENTS_KEPT_MS && !(await eventsNeeded(db, new Date(end)))
}
