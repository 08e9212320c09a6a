import type { Db, Scope } from '../platform/db/sql.ts'
import { scopedTo } from '../platform/db/sql.ts'
import type { HistoryKind } from './events.schemas.ts'
import type { EventRow } from './events.sql.ts'

/** An event of the history that the panel shows, with the group, label or call that it is about. */
export type HistoryEvent = EventRow & { kind: HistoryKind; subject: string }

/** Inserts events into the history. */
export async function insertEventHistory(db: Db, events: HistoryEvent[], now: Date): Promise<void> {
  const all = <Name extends keyof HistoryEvent>(name: Name) => events.map((event) => event[name])
  await db.system`
    insert into event_history (id, project_id, mode, instance_id, kind, subject, body, created_at)
    select *, ${now}::timestamptz from unnest(${all('id')}::text[], ${all('projectId')}::text[],
      ${all('mode')}::text[], ${all('instanceId')}::text[], ${all('kind')}::text[],
      ${all('subject')}::text[], ${all('body')}::text[])`
}

/** Lists an instance's events of one kind, newest first, optionally of one subject and older than the id `before`. */
export async function listEventHistory(
  db: Db,
  scope: Scope,
  instanceId: string,
  filter: {
    kind: HistoryKind
    subject: string | null
    before: string | null
    limit: number
    now: Date
  },
): Promise<{ id: string; body: string }[]> {
  const { kind, subject, before, limit, now } = filter
  return db.scoped<{ id: string; body: string }[]>`
    select id, body from event_history
    where ${scopedTo(db, scope, now)} and instance_id = ${instanceId} and kind = ${kind}
      ${subject === null ? db.sql`` : db.sql`and subject = ${subject}`}
      and (${before}::text is null or id < ${before})
    order by id desc limit ${limit}`
}
