import type { Db } from '../../platform/db/sql.ts'

/** Notes what a network told by these ids; answers those that were not heard before. */
export async function noteHeard(
  db: Db,
  instanceId: string,
  ids: string[],
  now: Date,
): Promise<Set<string>> {
  const rows = await db.sql<{ id: string }[]>`
    insert into heard (instance_id, id, at)
    select ${instanceId}, id, ${now}::timestamptz from unnest(${ids}::text[]) as id
    on conflict do nothing returning id`
  return new Set(rows.map((row) => row.id))
}

export async function sweepHeard(db: Db, before: Date): Promise<void> {
  await db.sql`delete from heard where at < ${before}`
}
