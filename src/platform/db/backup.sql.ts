import type { Readable, Writable } from 'node:stream'
import type postgres from 'postgres'
import type { Database } from './database.ts'
import type { Session } from './sql.ts'

/** Tables excluded from backups: they belong to running processes or are filled by the migrations. */
const EXCLUDED_TABLES = ['node', 'schema_version', 'schema_compatibility']

/** A table and its columns that are not generated. */
export type BackupTable = { name: string; columns: string[] }
/** A sequence with its last value, and whether that value has been used. */
export type BackupSequence = { name: string; last: string; called: boolean }

/**
 * Runs `work` in a transaction on a dedicated connection without statement timeouts. With `reads one moment` the
 * transaction is read-only and sees a single snapshot.
 */
export function inTransaction<T>(
  database: Database,
  access: 'reads one moment' | 'writes',
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  return database.session(async (sql) => {
    if (access === 'writes') await sql`begin`
    else await sql`begin isolation level repeatable read read only`
    const result = await work(sql)
    await sql`commit`
    return result
  })
}

/** Lists the tables with their non-generated columns, referenced tables before the tables that refer to them. */
export async function listTables(sql: Session): Promise<BackupTable[]> {
  const tables = await sql<BackupTable[]>`
    select c.relname as name, array_to_json(array(
        select a.attname from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        order by a.attnum)) as columns
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> all(${EXCLUDED_TABLES}) order by 1`
  const references = await sql<{ from: string; to: string }[]>`
    select distinct c.conrelid::regclass::text as "from", c.confrelid::regclass::text as "to"
    from pg_constraint c
    where c.contype = 'f' and c.connamespace = current_schema()::regnamespace and c.conrelid <> c.confrelid`
  const ordered: BackupTable[] = []
  const rest = new Map(tables.map((table) => [table.name, table]))
  while (rest.size > 0) {
    const free = [...rest.values()].filter(
      ({ name }) => !references.some(({ from, to }) => from === name && rest.has(to)),
    )
    if (free.length === 0)
      throw new Error(
        `cannot order tables for a backup: circular references among ${[...rest.keys()].join(', ')}`,
      )
    ordered.push(...free)
    for (const { name } of free) rest.delete(name)
  }
  return ordered
}

/** Lists the daily partitions with their parent tables. */
export async function listDailyPartitions(
  sql: postgres.Sql,
): Promise<{ table: string; name: string }[]> {
  return sql<{ table: string; name: string }[]>`
    select i.inhparent::regclass::text as "table", c.relname as name
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname ~ '_[0-9]{8}$' order by 2`
}

/** Lists the sequences with their current state. */
export async function listSequences(sql: postgres.Sql): Promise<BackupSequence[]> {
  const names = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relkind = 'S' and relnamespace = current_schema()::regnamespace order by 1`
  const sequences: BackupSequence[] = []
  for (const { name } of names) {
    const [row] = await sql<{ last: string; called: boolean }[]>`
      select last_value::text as last, is_called as called from ${sql(name)}`
    if (row) sequences.push({ name, ...row })
  }
  return sequences
}

/** Sets a sequence to the state it had in the backup. */
export async function setSequence(sql: postgres.Sql, sequence: BackupSequence): Promise<void> {
  const { name, last, called } = sequence
  await sql`select setval(${name}::regclass, ${last}::text::bigint, ${called})`
}

/** Streams the rows of a table in PostgreSQL's text format. */
export async function copyTableOut(
  sql: postgres.Sql,
  { name, columns }: BackupTable,
): Promise<Readable> {
  return endsWhileFull(
    await sql`copy (select ${sql(columns)} from ${sql(name)}) to stdout`.readable(),
  )
}

/**
 * Makes a stream of rows resume its connection when it ends. The driver pauses its socket while the stream is full and
 * resumes it when more is read, but an ended stream is not read again: a table that ends while it is full would leave the
 * connection without responses.
 */
export function endsWhileFull(rows: Readable): Readable {
  return rows.once('end', () => rows._read(0))
}

/** Accepts the rows of a table in PostgreSQL's text format. */
export function copyTableIn(sql: postgres.Sql, { name, columns }: BackupTable): Promise<Writable> {
  return sql`copy ${sql(name)} (${sql(columns)}) from stdin`.writable()
}

/** Empties the tables, which contain rows inserted by migrations, and disables their user triggers. */
export async function prepareTables(sql: postgres.Sql, names: string[]): Promise<void> {
  for (const name of names) await sql`alter table ${sql(name)} disable trigger user`
  await sql`truncate ${sql(names)}`
}

/** Re-enables the user triggers of the tables. */
export async function enableTriggers(sql: postgres.Sql, names: string[]): Promise<void> {
  for (const name of names) await sql`alter table ${sql(name)} enable trigger user`
}

/** The version of the schema; 0 for an empty database. */
export async function schemaVersion(sql: postgres.Sql): Promise<number> {
  const [made] = await sql`select to_regclass('schema_version') is not null as made`
  if (!made?.['made']) return 0
  const [row] = await sql<
    { version: number }[]
  >`select max(version)::int as version from schema_version`
  return row?.version ?? 0
}

/** Whether the database is in use: it contains an account, or a server is registered in it. */
export async function isInUse(sql: postgres.Sql): Promise<boolean> {
  if ((await schemaVersion(sql)) === 0) return false
  const [row] = await sql<{ used: boolean }[]>`
    select exists (select from account) or exists (select from node) as used`
  return row?.used ?? false
}

/** The known value, sealed with each master key in use, in base64. */
export async function readProbes(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<
    { probe: string }[]
  >`select encode(sealed, 'base64') as probe from seal_probe`
  return rows.map(({ probe }) => probe)
}
