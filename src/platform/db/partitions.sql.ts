import type { Db } from './sql.ts'

/** A table with daily partitions. */
export type PartitionedTable = 'event' | 'delivery_log' | 'api_request' | 'event_history'

/** Lists the names of a table's partitions, including the default one. */
export async function listPartitions(db: Db, table: PartitionedTable): Promise<string[]> {
  const rows = await db.system<{ name: string }[]>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::regclass order by 1`
  return rows.map((row) => row.name)
}

/** Creates the partition of a day and moves the rows of that day out of the default partition. */
export async function createPartition(
  db: Db,
  table: PartitionedTable,
  day: { name: string; from: string; to: string },
): Promise<void> {
  const partition = db.sql(day.name)
  const fallback = db.sql(`${table}_default`)
  const parent = db.sql(table)
  await db.system`create table ${partition} (like ${parent} including defaults)`
  await db.system`
    with caught as (
      delete from ${fallback}
      where created_at >= ${day.from}::timestamptz and created_at < ${day.to}::timestamptz returning *)
    insert into ${partition} select * from caught`
  await db.system.unsafe(
    `alter table ${table} attach partition ${day.name} for values from ('${day.from}') to ('${day.to}')`,
  )
}

/** Drops a partition with its rows. */
export async function dropPartition(db: Db, name: string): Promise<void> {
  await db.system`drop table ${db.sql(name)}`
}

/** Sets a short lock timeout for this transaction: while it waits for a table, writers queue behind it. */
export async function setLockTimeout(db: Db): Promise<void> {
  await db.system`set local lock_timeout = '500ms'`
}

/**
 * Acquires the lock for changing partitions until the end of this transaction; returns false when another node holds
 * it.
 */
export async function lockPartitions(db: Db): Promise<boolean> {
  const [row] = await db.system<{ locked: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtext('recado.partitions')) as locked`
  return row?.locked ?? false
}
