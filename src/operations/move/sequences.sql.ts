import type { Session } from '../../platform/db/sql.ts'
import { MOVED } from './moved-tables.ts'

/** Numbers that others may allocate between reading and advancing a sequence. */
const GAP = 1_000_000

/** A column that a sequence fills. `unique` is true if its values alone identify rows. */
export type NumberedColumn = { table: string; column: string; sequence: string; unique: boolean }

/** Lists the columns that sequences fill. */
export async function listNumbered(sql: Session): Promise<NumberedColumn[]> {
  return sql<NumberedColumn[]>`
    select c.relname as "table", a.attname as "column",
      coalesce(pg_get_serial_sequence(quote_ident(c.relname), a.attname),
        substring(pg_get_expr(d.adbin, d.adrelid) from 'nextval\\(''([^'']+)')) as sequence,
      exists (select from pg_index i where i.indrelid = c.oid and i.indisunique and i.indnkeyatts = 1
        and i.indkey[0] = a.attnum) as unique
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like 'nextval(%')`
}

/** The lowest and highest number of the rows that move; null without rows. */
export async function findNumberRange(
  sql: Session,
  { table, column }: NumberedColumn,
): Promise<{ lowest: number; highest: number } | null> {
  const [row] = await sql<{ lowest: string | null; highest: string | null }[]>`
    select min(${sql(column)})::text as lowest, max(${sql(column)})::text as highest
    from ${sql(table)} where ${sql.unsafe(MOVED[table] ?? 'false')}`
  if (!row || row.lowest === null || row.highest === null) return null
  return { lowest: Number(row.lowest), highest: Number(row.highest) }
}

/** Reserves `count` consecutive numbers of a sequence; returns the first. */
export async function reserveNumbers(
  sql: Session,
  sequence: string,
  count: number,
): Promise<number> {
  const [row] = await sql<{ last: string }[]>`
    select setval(${sequence}::text::regclass, nextval(${sequence}::text::regclass) + ${GAP + count}::bigint)::text as last`
  if (!row) throw new Error(`setval of sequence ${sequence} returned no row`)
  return Number(row.last) - count
}

/** Advances a sequence past this number; never moves it back. */
export async function advanceSequence(
  sql: Session,
  sequence: string,
  highest: number,
): Promise<void> {
  const [row] = await sql<{ next: string }[]>`
    select nextval(${sequence}::text::regclass)::text as next`
  if (Number(row?.next) > highest) return
  await sql`select setval(${sequence}::text::regclass, ${highest + GAP}::bigint)`
}
