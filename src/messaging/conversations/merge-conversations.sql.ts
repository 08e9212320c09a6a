import type { LockedDb } from '../../company/projects/projects.service.ts'

/**
 * Moves the messages, labels and unread count of one chat to another chat's conversation. The emptied conversation is
 * kept as a pointer (`merged_into`). Returns false if there is no such conversation.
 */
export async function mergeConversations(
  db: LockedDb,
  instanceId: string,
  from: string,
  into: { conversationId: string; chatId: string },
): Promise<boolean> {
  const [old] = await db.system<{ id: string }[]>`
    select id from conversation where instance_id = ${instanceId} and chat_id = ${from}
      and merged_into is null and id <> ${into.conversationId} for update`
  if (!old) return false
  // A message stored under both ids of the chat is kept only once.
  await db.system`
    with gone as (
      delete from message m where conversation_id = ${old.id} and exists (
        select 1 from message k where k.instance_id = ${instanceId}
          and k.wa_message_id = m.wa_message_id and k.chat_id = ${into.chatId})
      returning instance_id, seq)
    delete from outbox o using gone g where o.instance_id = g.instance_id and o.seq = g.seq`
  await db.system`
    update message set conversation_id = ${into.conversationId}, chat_id = ${into.chatId}
    where conversation_id = ${old.id}`
  await db.system`
    with moved as (
      insert into label_conversation (label_id, conversation_id)
      select label_id, ${into.conversationId} from label_conversation where conversation_id = ${old.id}
      on conflict do nothing),
    gone as (delete from label_conversation where conversation_id = ${old.id}),
    behind as (
      insert into conversation_behind as k (conversation_id, user_id, since, first_seq)
      select ${into.conversationId}, user_id, since, first_seq from conversation_behind where conversation_id = ${old.id}
      on conflict (conversation_id, user_id) do update set since = least(k.since, excluded.since),
        first_seq = least(k.first_seq, excluded.first_seq)),
    ahead as (delete from conversation_behind where conversation_id = ${old.id}),
    emptied as (
      update conversation set merged_into = ${into.conversationId}, unread_count = 0, last_message_id = null
      where id = ${old.id} or merged_into = ${old.id})
    update conversation k set unread_count = k.unread_count + o.unread_count,
      status = case when o.status = 'open' then o.status else k.status end,
      -- The longer of two waits; with one wait, the conversation with the later message decides.
      waiting_since = case
        when k.waiting_since is not null and o.waiting_since is not null then least(k.waiting_since, o.waiting_since)
        when o.last_message_at > k.last_message_at then o.waiting_since else k.waiting_since end,
      -- The advertisement of the older conversation came first.
      referral = case when k.created_at <= o.created_at then coalesce(k.referral, o.referral)
        else coalesce(o.referral, k.referral) end,
      assignee_id = coalesce(k.assignee_id, o.assignee_id), pinned = k.pinned or o.pinned, archived = k.archived and o.archived, name = coalesce(k.name, o.name),
      last_message_id = case when k.last_message_at >= o.last_message_at then k.last_message_id
        else coalesce(o.last_message_id, k.last_message_id) end,
      last_message_at = greatest(k.last_message_at, o.last_message_at)
    from conversation o where k.id = ${into.conversationId} and o.id = ${old.id}`
  return true
}
