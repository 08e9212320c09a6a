import type { Db } from '../../platform/db/sql.ts'
import type { FailingMessage } from './outbox.sql.ts'

/** The first message in an instance's queue. */
export type QueueHead = { instanceId: string; messageId: string }

/**
 * Returns the first queued message of each connected instance without a pace, if it has been due since `before`.
 * Messages are sent in the order of acceptance, so nothing behind it can be sent before it.
 */
export async function findOverdueQueueHeads(db: Db, before: Date): Promise<QueueHead[]> {
  return db.system<QueueHead[]>`
    select i.id as instance_id, o.message_id from instance i
    cross join lateral (
      select message_id, sending, due_at from outbox
      where instance_id = i.id and not waits order by seq limit 1) o
    where i.status = 'CONNECTED' and i.deleted_at is null
      and coalesce((i.settings->>'sendDelayMaxMs')::int, 0) = 0
      and not o.sending and o.due_at <= ${before}`
}

/**
 * Returns messages of this instance that have been due since `before` and are not being sent, oldest first and at most
 * `limit`. With `among`, only those of these messages.
 */
export async function findDueSince(
  db: Db,
  {
    instanceId,
    before,
    limit,
    among,
  }: { instanceId: string; before: Date; limit: number; among?: readonly string[] },
): Promise<FailingMessage[]> {
  return db.system<FailingMessage[]>`
    select m.id, m.instance_id, m.wa_message_id, m.chat_id, 'INSTANCE_OFFLINE' as code from (
      select message_id, seq from outbox
      where instance_id = ${instanceId} and not sending and not waits and due_at <= ${before}
        and ${among ? db.sql`message_id = any(${[...among]})` : db.sql`true`}
      order by seq limit ${limit}) o
    join message m on m.id = o.message_id order by o.seq`
}
