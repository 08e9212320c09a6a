import { SILENT_TYPES } from '../../model/kinds/index.ts'
import type { InboundChange } from '../../networks/network-events.port.ts'
import type { Db } from '../../platform/db/sql.ts'

/**
 * Deletes the placeholder of a message that could not be decrypted, and turned out to carry this change by the same
 * author: it no longer counts as unread, and the message before it is the last one of its conversation again. Returns
 * whether there was one.
 */
export async function deletePlaceholder(
  db: Db,
  instanceId: string,
  { carriedBy = '', chatId, by, fromMe }: InboundChange,
): Promise<boolean> {
  const rows = await db.system<{ id: string }[]>`
    with gone as (
      delete from message m
      where m.instance_id = ${instanceId} and m.wa_message_id = ${carriedBy} and m.type = 'undecryptable'
        and same_chat(m.instance_id, m.chat_id, ${chatId})
        and case when ${fromMe} then m.direction = 'outbound'
          else m.direction = 'inbound'
            and same_person(m.instance_id, m.sender_phone, m.sender_lid, ${by.phone}, ${by.lid}) end
      returning id, conversation_id, direction, created_at, read_at)
    update conversation c set
      unread_count = greatest(0, c.unread_count - (g.direction = 'inbound' and g.read_at is null)::int),
      last_message_id = case when c.last_message_id = g.id then earlier.id else c.last_message_id end,
      last_message_at = case when c.last_message_id = g.id then earlier.created_at else c.last_message_at end,
      waiting_since = case when c.last_message_id = g.id then nullif(c.waiting_since, g.created_at)
        else c.waiting_since end
    from gone g left join lateral (
      select m.id, m.created_at from message m
      where m.conversation_id = g.conversation_id and m.id <> g.id
      order by m.created_at desc, m.seq desc limit 1) earlier on true
    where c.id = g.conversation_id returning c.id`
  await forgetReadBehind(
    db,
    rows.map(({ id }) => ({ conversationId: id })),
  )
  return rows.length > 0
}

/** Deletes the unread marks of these messages’ conversations where no inbound message that counts is left unread. */
export async function forgetReadBehind(
  db: Db,
  messages: { conversationId: string }[],
): Promise<void> {
  if (messages.length === 0) return
  const ids = messages.map(({ conversationId }) => conversationId)
  await db.system`
    delete from conversation_behind b where b.conversation_id = any(${ids}) and not exists (
      select from message m where m.conversation_id = b.conversation_id and m.direction = 'inbound'
        and m.created_at >= b.since and m.seq >= b.first_seq and m.type <> all(${SILENT_TYPES}::text[]))`
}
