import { scopedTo, type Db, type Scope } from './sql.ts'

/** Returns the first of these ids that does not name an instance of the scope, or null. */
export async function findUnknownInstance(
  db: Db,
  scope: Scope,
  instanceIds: string[],
  now: Date,
): Promise<string | null> {
  if (instanceIds.length === 0) return null
  const [row] = await db.scoped<{ id: string }[]>`
    select id from unnest(${instanceIds}::text[]) as given(id)
    where id not in (select i.id from instance i
      where ${scopedTo(db, scope, now, 'i')} and i.deleted_at is null)
    limit 1`
  return row?.id ?? null
}
