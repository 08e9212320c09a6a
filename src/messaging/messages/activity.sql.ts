import type { Db, Scope } from '../../platform/db/sql.ts'
import { scopedTo } from '../../platform/db/sql.ts'

/**
 * Returns, per instance of the scope, the number of messages after `since`, counted up to `most`, and the time of the
 * last message.
 */
export async function readActivity(
  db: Db,
  scope: Scope,
  { since, most, now }: { since: Date; most: number; now: Date },
): Promise<{ instanceId: string; messages: number; lastMessageAt: Date | null }[]> {
  return db.scoped<{ instanceId: string; messages: number; lastMessageAt: Date | null }[]>`
    select i.id as instance_id, counted.messages, last.created_at as last_message_at
    from instance i
      cross join lateral (
        select count(*)::int as messages from (
          select 1 from message m where m.instance_id = i.id and m.created_at > ${since} limit ${most}) recent) counted
      left join lateral (
        select created_at from message m where m.instance_id = i.id
        order by m.created_at desc, m.seq desc limit 1) last on true
    where ${scopedTo(db, scope, now)} and i.deleted_at is null`
}
