import type { LockedDb } from '../../company/projects/projects.service.ts'
import type { Db } from '../../platform/db/sql.ts'

/**
 * Maximum messages that one transaction moves. It holds the Project's lock, which delays
 * batches of received messages, including those of other Projects in the same batch.
 */
const MAX_MOVED = 2000

/** Messages to move from a merged conversation to the one that it was merged into. */
export type Merge = { instanceId: string; from: string; into: string; chatId: string }

/**
 * Moves the newest messages of a merged conversation, at most `MAX_MOVED`; returns
 * how many. If a message is stored under both ids of the chat, one copy is kept.
 */
export async function moveMessages(
  db: LockedDb,
  { instanceId, from, into, chatId }: Merge,
): Promise<number> {
  const newest = db.sql`select id from message where conversation_id = ${from}
    order by created_at desc, seq desc limit ${MAX_MOVED}`
  // Keep the message that was accepted here, whose id a caller knows, over a copy from the phone or its history.
  await db.system`
    with copies as (
      delete from message k using message m
      where m.id in (${newest}) and m.direction = 'outbound' and m.origin <> 'phone' and not m.historic
        and k.instance_id = ${instanceId} and k.wa_message_id = m.wa_message_id and k.chat_id = ${chatId}
        and k.id <> m.id and (k.origin = 'phone' or k.historic)
      returning k.id, m.id as kept)
    update conversation c set last_message_id = copies.kept
    from copies where c.id = ${into} and c.last_message_id = copies.id`
  const [doubled] = await db.system<{ count: number }[]>`
    with gone as (
      delete from message m where id in (${newest}) and exists (
        select 1 from message k where k.instance_id = ${instanceId}
          and k.wa_message_id = m.wa_message_id and k.chat_id = ${chatId})
      returning instance_id, seq),
    emptied as (
      delete from outbox o using gone g where o.instance_id = g.instance_id and o.seq = g.seq)
    select count(*)::int as count from gone`
  const [row] = await db.system<{ count: number }[]>`
    with moved as (
      update message set conversation_id = ${into}, chat_id = ${chatId} where id in (${newest}) returning 1)
    select count(*)::int as count from moved`
  return (doubled?.count ?? 0) + (row?.count ?? 0)
}

/** Returns an unfinished merge with its Project, excluding the `failed` ones; null if there is none. */
export async function findUnfinishedMerge(
  db: Db,
  failed: readonly string[],
): Promise<(Merge & { projectId: string }) | null> {
  const [row] = await db.system<(Merge & { projectId: string })[]>`
    select k.instance_id, o.id as from, k.id as into, k.chat_id, k.project_id
    from conversation o join conversation k on k.id = o.merged_into
    where o.merged_into is not null and o.id <> all(${[...failed]})
      and exists (select 1 from message m where m.conversation_id = o.id)
    limit 1`
  return row ?? null
}

/**
 * Moves the messages, labels and unread count of one chat to another chat's conversation. The emptied conversation is
 * kept as a pointer (`merged_into`). Moves only the newest messages of a very long chat; returns whether any are left.
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
  const { conversationId, chatId } = into
  const merge = { instanceId, from: old.id, into: conversationId, chatId }
  const hasMore = (await moveMessages(db, merge)) >= MAX_MOVED
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
      -- One without messages, such as one just created for this, says nothing about its state.
      status = case when o.status = 'open' or k.last_message_at is null then o.status else k.status end,
      -- The longer wait if both wait; otherwise the state of the conversation with the later message.
      waiting_since = case
        when k.waiting_since is not null and o.waiting_since is not null then least(k.waiting_since, o.waiting_since)
        when o.last_message_at > coalesce(k.last_message_at, '-infinity') then o.waiting_since else k.waiting_since end,
      -- The advertisement of the older conversation came first.
      referral = case when k.created_at <= o.created_at then coalesce(k.referral, o.referral)
        else coalesce(o.referral, k.referral) end,
      assignee_id = coalesce(k.assignee_id, o.assignee_id), pinned = k.pinned or o.pinned,
      archived = (k.archived or k.last_message_at is null) and o.archived, name = coalesce(k.name, o.name),
      last_message_id = case when k.last_message_at >= o.last_message_at then k.last_message_id
        else coalesce(o.last_message_id, k.last_message_id) end,
      last_message_at = greatest(k.last_message_at, o.last_message_at)
    from conversation o where k.id = ${into.conversationId} and o.id = ${old.id}`
  return hasMore
}
