import type { Db } from './sql.ts'

export type PartitionedTable = 'event' | 'delivery_log' | 'api_request' | 'event_history'

/** The partitions of a table with the day each holds; the default one has none. */
export async function listPartitions(db: Db, table: PartitionedTable): Promise<string[]> {
  const rows = await db.system<{ name: string }[]>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::regclass order by 1`
  return rows.map((row) => row.name)
}

/** Makes the partition of a day, moving what the default one had caught for it. */
export async function makePartition(
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

export async function dropPartition(db: Db, name: string): Promise<void> {
  await db.system`drop table ${db.sql(name)}`
}

/** Gives up soon where others hold the table: whoever writes to it would queue behind this transaction. */
export async function limitLockWait(db: Db): Promise<void> {
  await db.system`set local lock_timeout = '500ms'`
}

/** Takes the right to change partitions for this transaction; false when another node has it. */
export async function lockPartitions(db: Db): Promise<boolean> {
  const [row] = await db.system<{ locked: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtext('recado.partitions')) as locked`
  return row?.locked ?? false
}
