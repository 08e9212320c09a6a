import { hasPermission, ROLES } from '../../kernel/permissions.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { limitLiteral, scopedTo, type Fragment, type ScopeFragment } from '../../platform/db/sql.ts'
import { SILENT_TYPES } from '../../model/kinds/index.ts'
import type { MessageRow } from '../../model/message.ts'
import type { ChatType, MessageStatus } from '../../model/vocabulary.ts'
import { hasStatus, shownStatus } from '../../model/message-status.sql.ts'

/** The columns of MessageRow, for queries that join `message m` to `conversation c` and left join `media d`. */
export function messageColumns(db: Db) {
  return db.system`m.id, m.project_id, m.mode, m.instance_id, m.conversation_id, m.wa_message_id,
    m.direction, m.origin, m.options ->> 'sentBy' as sent_by, m.type, ${shownStatus(db)} as status, m.chat_id, m.chat_type, c.name as chat_name,
    c.phone as chat_phone, c.lid as chat_lid, m.sender_phone, m.sender_lid, m.sender_name, m.content,
    m.text, m.quoted, m.mentions, m.metadata, m.client_reference, m.campaign_id, m.error, m.created_at,
    m.sent_at, m.delivered_at, m.read_at, m.edited_at, m.deleted_at, m.pinned_until,
    m.starred, m.kept,
    case when d.id is not null then jsonb_build_object('id', d.id, 'mimeType', d.mime_type,
      'fileName', d.file_name, 'sizeBytes', d.size_bytes, 'sha256', d.sha256,
      'durationSeconds', d.duration_seconds, 'width', d.width, 'height', d.height,
      'voice', coalesce((m.content ->> 'voice')::boolean, false), 'status', d.status) end as media,
    case when m.type = 'poll' then (select jsonb_object_agg(name, votes) from (
      select name, count(*) as votes from poll_vote v, unnest(v.options) as name
      where v.poll_message_id = m.id group by name) t) end as poll_votes`
}

/** Filters of the message list; null matches any. `since` is inclusive, `until` exclusive. */
export type MessageFilter = {
  conversationId: string | null
  direction: string | null
  type: string | null
  status: string | null
  clientReference: string | null
  since: Date | null
  until: Date | null
  q: string | null
  /** Only messages that are pinned after this time. */
  pinnedAfter: Date | null
  /** Only messages that the account has starred. */
  starred: true | null
}

/** Roles whose members read conversations. */
const ATTENDING_ROLES = ROLES.filter((role) => hasPermission(role, 'attend'))

/** Number of newest messages a search scans before it uses the full-text index. */
const SEARCH_SCAN_LIMIT = 8192

/** Selects the id of this conversation, or of the one it was merged into. */
function mergedConversationId(db: Db, conversationId: string | null): Fragment {
  return db.sql`(select coalesce(merged_into, id) from conversation where id = ${conversationId})`
}

/**
 * Builds the filter's conditions on a message `m`. `words` replaces
 * the column of that name, which is still empty for queued messages.
 */
function matches(db: Db, filter: MessageFilter, words?: Fragment) {
  const { sql } = db
  const only = [
    filter.conversationId !== null &&
      sql`and conversation_id = ${mergedConversationId(db, filter.conversationId)}`,
    filter.direction && sql`and direction = ${filter.direction}`,
    filter.type && sql`and type = ${filter.type}`,
    filter.status && sql`and ${hasStatus(db, filter.status)}`,
    filter.clientReference !== null && sql`and client_reference = ${filter.clientReference}`,
    filter.since && sql`and created_at >= ${filter.since}`,
    filter.until && sql`and created_at < ${filter.until}`,
    filter.pinnedAfter && sql`and pinned_until > ${filter.pinnedAfter}`,
    filter.starred && sql`and starred and deleted_at is null`,
    filter.q && sql`and ${words ?? sql`words`} @@ (select text_query(${filter.q}))`,
  ].filter((part) => part !== null && part !== '' && part !== false)
  return only.length > 0 ? only : sql``
}

/**
 * Returns a page of an instance's messages, newest first. A search scans the newest messages first, which is fast for
 * frequent words. If they do not fill the page, the words are rare and the full-text index is fast.
 */
export async function listMessages(
  db: Db,
  scope: Scope,
  instanceId: string,
  filter: MessageFilter,
  page: { limit: number; offset: number; now: Date },
): Promise<MessageRow[]> {
  const { sql } = db
  const mine = sql`${scopedTo(db, scope, page.now)} and instance_id = ${instanceId}`
  const order = sql`order by created_at desc, seq desc limit ${page.limit} offset ${page.offset}`
  if (filter.q) {
    const newest = sql`select * from message where ${mine}
      order by created_at desc, seq desc ${limitLiteral(db, SEARCH_SCAN_LIMIT)}`
    const known = matches(db, filter, sql`coalesce(words, text_words(text))`)
    const among = sql`select id from (${newest}) m where true ${known} ${order}`
    const rows = await readMessages(db, among)
    if (rows.length === page.limit) return rows
    const hits = sql`with hits as materialized (
      select id, created_at, seq from message m where ${mine} ${matches(db, filter)}
      union all
      select id, created_at, seq from message m
      where ${mine} and id in (select message_id from outbox where instance_id = ${instanceId}) and words is null
        ${matches(db, filter, sql`text_words(text)`)})
      select id from hits ${order}`
    return readMessages(db, hits)
  }
  const first = limitLiteral(db, page.limit + page.offset)
  return readMessages(
    db,
    sql`select id from (select id, created_at, seq from message m where ${mine} ${matches(db, filter)}
      order by created_at desc, seq desc ${first}) f ${order}`,
  )
}

/** Loads the messages whose ids the subquery selects, so that only the rows of one page are joined. */
function readMessages(db: Db, ids: ScopeFragment): Promise<MessageRow[]> {
  return db.scoped<MessageRow[]>`
    select ${messageColumns(db)} from (${ids}) i join message m on m.id = i.id
      join conversation c on c.id = m.conversation_id left join media d on d.id = m.media_id
    order by m.created_at desc, m.seq desc`
}

/** Returns these messages, on any instance of the Project. */
export async function findMessages(
  db: Db,
  scope: Scope,
  ids: string[],
  now: Date,
): Promise<MessageRow[]> {
  return db.scoped<MessageRow[]>`
    select ${messageColumns(db)} from message m join conversation c on c.id = m.conversation_id
      left join media d on d.id = m.media_id
    where ${scopedTo(db, scope, now, 'm')} and m.id = any(${ids})`
}

/**
 * Returns a message by its id or its network id, or null. Senders choose network ids, so several chats may share
 * one: prefers the message in `chat`, if given, else the oldest, which a later one cannot displace.
 */
export async function findMessage(
  db: Db,
  scope: Scope,
  instanceId: string,
  messageId: string,
  now: Date,
  chat: { chatId: string | null; conversationId: string | null } | null = null,
): Promise<MessageRow | null> {
  const [row] = await db.scoped<MessageRow[]>`
    select ${messageColumns(db)} from (
      select * from message where ${scopedTo(db, scope, now)} and instance_id = ${instanceId}
        and (id = ${messageId} or wa_message_id = ${messageId})) m
      join conversation c on c.id = m.conversation_id left join media d on d.id = m.media_id
    order by m.id = ${messageId} desc,
      coalesce(m.chat_id = ${chat?.chatId ?? null} or m.conversation_id = ${chat?.conversationId ?? null}, false) desc,
      m.seq
    limit 1`
  return row ?? null
}

/** Returns the id of the conversation that this one was merged into; null if it was not. */
export async function findMergedInto(
  db: Db,
  scope: Scope,
  conversationId: string,
  now: Date,
): Promise<string | null> {
  const [row] = await db.scoped<{ mergedInto: string | null }[]>`
    select merged_into from conversation where ${scopedTo(db, scope, now)} and id = ${conversationId}`
  return row?.mergedInto ?? null
}

/** A status change of a message; the party is the participant who received or read it. */
export type HistoryRow = {
  status: MessageStatus
  at: Date
  partyPhone: string | null
  partyLid: string | null
  partyName: string | null
}

/** Returns the status history of a message, oldest first. */
export async function listHistory(
  db: Db,
  scope: Scope,
  messageId: string,
  now: Date,
): Promise<HistoryRow[]> {
  return db.scoped<HistoryRow[]>`
    select h.status, h.at, h.party_phone, h.party_lid, h.party_name
    from message_history h join message m on m.id = h.message_id
    where ${scopedTo(db, scope, now)} and h.message_id = ${messageId} order by h.seq`
}

/** A message that was marked as read, as the network needs it for the read receipt. */
export type ReadRow = {
  chatId: string
  waMessageId: string
  senderPhone: string | null
  senderLid: string | null
  senderName: string | null
}

/** Messages that one `markRead` marks at most; those of a larger conversation are marked by repeating it. */
export const MARK_READ_BATCH = 1000

/**
 * Marks the oldest unread received messages as read, by network id or by conversation, and decreases the unread counts. If a user
 * (`reader`) reads a conversation, it stays unread for the other members; if a program does, it is read for all.
 */
export async function markRead(
  db: Db,
  scope: Scope,
  instanceId: string,
  which: { waMessageIds: string[] | null; conversationId: string | null; reader: string | null },
  now: Date,
): Promise<ReadRow[]> {
  return db.scoped<ReadRow[]>`
    with marked as (
      update message set read_at = ${now}
      where read_at is null and id in (
        select id from message
        where ${scopedTo(db, scope, now)} and instance_id = ${instanceId} and direction = 'inbound'
          and read_at is null
          and (${which.waMessageIds}::text[] is null or wa_message_id = any(${which.waMessageIds}::text[]))
          and (${which.conversationId}::text is null
            or conversation_id = ${mergedConversationId(db, which.conversationId)})
        order by seq limit ${MARK_READ_BATCH})
      returning conversation_id, type, created_at, seq, chat_id, wa_message_id, sender_phone, sender_lid, sender_name),
    news as (
      select conversation_id, count(*) as count, min(created_at) as since, min(seq) as first_seq from marked
      where type <> all(${SILENT_TYPES}::text[]) group by conversation_id),
    -- In the order in which sends lock them, so that neither waits for the other.
    locked as (
      select id from conversation where id in (select conversation_id from news) order by id for no key update),
    counted as (
      update conversation c set unread_count = greatest(0, c.unread_count - n.count)
      from news n, locked l where c.id = n.conversation_id and l.id = c.id),
    behind as (
      insert into conversation_behind (conversation_id, user_id, since, first_seq)
      select n.conversation_id, u.id, n.since, n.first_seq
      from news n join project p on p.id = ${scope.projectId}
        join app_user u on u.account_id = p.account_id and u.removed_at is null
      where u.id <> ${which.reader}::text and u.role = any(${ATTENDING_ROLES}::text[])
      on conflict do nothing),
    caught_up as (
      delete from conversation_behind
      where conversation_id in (
          select coalesce(merged_into, id) from conversation
          where ${scopedTo(db, scope, now)} and instance_id = ${instanceId}
            and id = ${which.conversationId}
          union all select conversation_id from marked where ${which.reader}::text is null)
        and (user_id = ${which.reader} or ${which.reader}::text is null))
    select chat_id, wa_message_id, sender_phone, sender_lid, sender_name from marked order by seq`
}

/**
 * Returns which of these network ids are received messages, read or not, and the chat type of the conversation; null if
 * there is no such conversation.
 */
export async function findReceived(
  db: Db,
  scope: Scope,
  instanceId: string,
  which: { waMessageIds: string[] | null; conversationId: string | null },
  now: Date,
): Promise<{ chatType: ChatType | null; known: string[] }> {
  const [row] = await db.scoped<{ chatType: ChatType | null; known: string[] }[]>`
    select (select chat_type from conversation
        where id = ${which.conversationId} and instance_id = ${instanceId}) as chat_type,
      coalesce((select array_agg(wa_message_id) from message
        where instance_id = ${instanceId} and wa_message_id = any(${which.waMessageIds ?? []}::text[])
          and direction = 'inbound'), '{}') as known
    from instance where ${scopedTo(db, scope, now)} and id = ${instanceId} and deleted_at is null`
  return row ?? { chatType: null, known: [] }
}

/** Marks a conversation as read for all members, because one of them has answered. */
export async function markReadByAll(db: Db, conversationId: string): Promise<void> {
  await db.system`delete from conversation_behind where conversation_id = ${conversationId}`
}
