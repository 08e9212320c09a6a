import type { Db } from '../../platform/db/sql.ts'

/** Marks these network event ids as processed; returns those that were not processed before. */
export async function markEventsProcessed(
  db: Db,
  instanceId: string,
  ids: string[],
  now: Date,
): Promise<Set<string>> {
  const rows = await db.system<{ id: string }[]>`
    insert into processed_event (instance_id, id, at)
    select ${instanceId}, id, ${now}::timestamptz from unnest(${ids}::text[]) as id
    on conflict do nothing returning id`
  return new Set(rows.map((row) => row.id))
}

/** Deletes the event ids that were processed before `before`. */
export async function deleteProcessedEvents(db: Db, before: Date): Promise<void> {
  await db.system`delete from processed_event where at < ${before}`
}
