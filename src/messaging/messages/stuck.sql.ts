import type { Db } from '../../platform/db/sql.ts'

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

/** Returns up to `most` messages of this instance that have been due since `before`, oldest first. */
export async function findDueSince(
  db: Db,
  instanceId: string,
  before: Date,
  most: number,
): Promise<{ waMessageId: string; chatId: string }[]> {
  return db.system<{ waMessageId: string; chatId: string }[]>`
    select m.wa_message_id, m.chat_id from (
      select message_id, seq from outbox
      where instance_id = ${instanceId} and not sending and not waits and due_at <= ${before} order by seq limit ${most}) o
    join message m on m.id = o.message_id order by o.seq`
}
