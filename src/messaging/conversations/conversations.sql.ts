import { PHONE_ADDRESS, isLid } from '../../model/recipient.ts'
import type { Referral } from '../../model/details.schemas.ts'
import type { LockedDb } from '../../company/projects/projects.service.ts'
import type { Mode } from '../../kernel/config/config.ts'
import type { Db, Fragment, Scope, ScopeFragment } from '../../platform/db/sql.ts'
import { shownStatus } from '../../model/message-status.sql.ts'
import { SILENT_TYPES } from '../../model/kinds/index.ts'
import { booleans, limitLiteral, matches, ownedBy, scopedTo } from '../../platform/db/sql.ts'
import type { MessageType } from '../../model/records.schemas.ts'
import type { ChatType, MessageStatus } from '../../model/vocabulary.ts'
import type { ConversationStatus } from './conversations.schemas.ts'

/** Maximum unread messages counted for a member who has read less than the team. */
const MAX_COUNTED_UNREAD = 999

/** A conversation with its label ids and last message; `lastText` is cut to 1024 characters. */
export type ConversationRow = {
  id: string
  instanceId: string
  chatId: string
  chatType: ChatType
  phone: string | null
  lid: string | null
  name: string | null
  /** The viewer's unread count, or the team's without a viewer. */
  unreadCount: number
  archived: boolean
  pinned: boolean
  labelIds: string[]
  status: ConversationStatus
  /** Null also if the member was removed. */
  assigneeId: string | null
  assigneeEmail: string | null
  assigneeName: string | null
  lastWaMessageId: string | null
  lastType: MessageType | null
  lastText: string | null
  lastDirection: 'inbound' | 'outbound' | null
  lastStatus: MessageStatus | null
  lastSenderPhone: string | null
  lastSenderLid: string | null
  lastSenderName: string | null
  lastAt: Date | null
  lastMessageAt: Date | null
  waitingSince: Date | null
  referral: Referral | null
}

/** Filters of the conversation list; null matches any. */
export type ConversationFilter = {
  q: string | null
  type: string | null
  unread: boolean | null
  /** Only those whose contact awaits a reply. */
  awaitingReply: boolean | null
  archived: boolean | null
  pinned: boolean | null
  labelId: string | null
  status: ConversationStatus | null
  assigneeId: string | null
  /** Only those without an assignee. */
  unassigned: boolean
}

/** Selects the viewer's unread count of conversation `c`, capped at `MAX_COUNTED_UNREAD` for what other members have read. */
const unreadBy = (db: Db, viewer: string | null): Fragment =>
  viewer === null
    ? db.sql`c.unread_count`
    : db.sql`coalesce((
        select (select count(*)::int from (select 1 from message m
          where m.conversation_id = c.id and m.direction = 'inbound' and m.created_at >= b.since and m.seq >= b.first_seq
            and m.type <> all(${SILENT_TYPES}::text[]) limit ${MAX_COUNTED_UNREAD}) counted)
        from conversation_behind b where b.conversation_id = c.id and b.user_id = ${viewer}), c.unread_count)`

/** Restricts to conversations with messages unread by the viewer or, if null, by the team. */
const hasUnread = (db: Db, viewer: string | null): Fragment =>
  viewer === null
    ? db.sql`unread_count > 0`
    : db.sql`(unread_count > 0
        or id in (select conversation_id from conversation_behind where user_id = ${viewer}))`

/** Loads the conversations whose ids the subquery selects, with their labels and last messages. */
function readConversations(
  db: Db,
  ids: ScopeFragment,
  viewer: string | null,
): Promise<ConversationRow[]> {
  return db.scoped<ConversationRow[]>`
    select c.id, c.instance_id, c.chat_id, c.chat_type, c.phone, c.lid, c.name, ${unreadBy(db, viewer)} as unread_count, c.archived,
      c.pinned, c.status, u.id as assignee_id, u.email as assignee_email, u.name as assignee_name, c.last_message_at, c.waiting_since, c.referral, m.wa_message_id as last_wa_message_id, m.type as last_type,
      left(m.text, 1024) as last_text, m.direction as last_direction, ${shownStatus(db)} as last_status,
      m.sender_phone as last_sender_phone, m.sender_lid as last_sender_lid, m.sender_name as last_sender_name,
      m.created_at as last_at,
      array(select label_id from label_conversation l where l.conversation_id = c.id order by label_id)
        as label_ids
    from (${ids}) i join conversation c on c.id = i.id left join message m on m.id = c.last_message_id
      left join app_user u on u.id = c.assignee_id and u.removed_at is null
    order by c.last_message_at desc nulls last, c.id desc`
}

/** Restricts to the conversations of an instance, or to those of all instances that are not deleted. */
const ofInstance = (db: Db, instanceId: string | null): Fragment =>
  instanceId === null
    ? db.sql`exists (select 1 from instance i
        where i.id = conversation.instance_id and i.deleted_at is null)`
    : db.sql`instance_id = ${instanceId}`

/** Returns a page of the conversations of an instance, or of all (null), most recent activity first. */
export async function listConversations(
  db: Db,
  scope: Scope,
  instanceId: string | null,
  filter: ConversationFilter,
  page: { limit: number; offset: number; now: Date },
  viewer: string | null,
): Promise<ConversationRow[]> {
  const { sql } = db
  const only = [
    filter.q && (isLid(filter.q) ? sql`and lid = ${filter.q}` : sql`and ${matches(db, filter.q)}`),
    filter.type && sql`and chat_type = ${filter.type}`,
    filter.unread === true && sql`and ${hasUnread(db, viewer)}`,
    filter.unread === false && sql`and not ${hasUnread(db, viewer)}`,
    filter.awaitingReply === true && sql`and waiting_since is not null`,
    filter.awaitingReply === false && sql`and waiting_since is null`,
    filter.archived !== null && sql`and archived = ${filter.archived}`,
    filter.pinned === true && sql`and pinned`,
    filter.pinned === false && sql`and not pinned`,
    filter.labelId !== null &&
      sql`and exists (select 1 from label_conversation l
        where l.label_id = ${filter.labelId} and l.conversation_id = conversation.id)`,
    filter.status && sql`and status = ${filter.status}`,
    filter.assigneeId !== null && sql`and assignee_id = ${filter.assigneeId}`,
    filter.unassigned &&
      sql`and not exists (select 1 from app_user u where u.id = assignee_id and u.removed_at is null)`,
  ].filter((part) => part !== null && part !== '' && part !== false)
  return readConversations(
    db,
    sql`select id from (select id, last_message_at from conversation
      where ${scopedTo(db, scope, page.now)} and ${ofInstance(db, instanceId)} and merged_into is null
        ${only.length > 0 ? only : sql``}
      order by last_message_hour desc nulls last, last_message_at desc nulls last, id desc
        ${limitLiteral(db, page.limit + page.offset)}) f
      order by last_message_at desc nulls last, id desc limit ${page.limit} offset ${page.offset}`,
    viewer,
  )
}

/**
 * Returns a conversation of an instance, or of any (null), by its id or by the id of one that was merged into it; null
 * if unknown.
 */
export async function findConversation(
  db: Db,
  scope: Scope,
  instanceId: string | null,
  conversationId: string,
  now: Date,
  viewer: string | null,
): Promise<ConversationRow | null> {
  const [row] = await readConversations(
    db,
    db.sql`select coalesce(merged_into, id) as id from conversation
      where ${scopedTo(db, scope, now)} and ${ofInstance(db, instanceId)} and id = ${conversationId}`,
    viewer,
  )
  return row ?? null
}

/** Changes of a conversation. Undefined leaves a value unchanged. */
export type ConversationPatch = {
  archived?: boolean | undefined
  pinned?: boolean | undefined
  status?: ConversationStatus | undefined
  /** Null unassigns it. */
  assigneeId?: string | null | undefined
}

/** Changes a conversation; returns false if it was merged into another one. */
export async function patchConversation(
  db: Db,
  scope: Scope,
  conversationId: string,
  patch: ConversationPatch,
  now: Date,
): Promise<boolean> {
  const { archived = null, pinned = null, status = null, assigneeId } = patch
  const rows = await db.scoped`
    update conversation set archived = coalesce(${archived}::boolean, archived),
      waiting_since = case when ${status}::text is distinct from 'done' then waiting_since end,
      pinned = coalesce(${pinned}::boolean, pinned), status = coalesce(${status}::text, status),
      assignee_id = case when ${assigneeId !== undefined}::boolean then ${assigneeId ?? null}::text else assignee_id end
    where ${scopedTo(db, scope, now)} and id = ${conversationId} and merged_into is null
    returning 1`
  return rows.length > 0
}

type Owner = { id: string; projectId: string; mode: Mode }
/** A chat to find or create a conversation for. `phone` and `lid` identify the contact and are null for groups. */
export type ChatDraft = {
  chatId: string
  chatType: 'direct' | 'group'
  phone: string | null
  lid: string | null
  name: string | null
}

/**
 * Returns the id of the chat's conversation, or of the one it was merged into. Creates it as `freshId` if missing;
 * otherwise fills in the name, phone and LID that `chat` adds.
 */
export async function ensureConversation(
  db: LockedDb,
  instance: Owner,
  chat: ChatDraft,
  freshId: string,
  now: Date,
): Promise<string> {
  const [row] = await db.system<{ id: string }[]>`
    insert into conversation as o (id, project_id, mode, instance_id, chat_id, chat_type, phone, lid, name,
      created_at)
    values (${freshId}, ${instance.projectId}, ${instance.mode}, ${instance.id}, ${chat.chatId},
      ${chat.chatType}, ${chat.phone}, ${chat.lid}, coalesce(${chat.name}, (select coalesce(custom_name, name) from contact
        where instance_id = ${instance.id} and phone = ${chat.phone})), ${now})
    on conflict (instance_id, chat_id) do update set name = coalesce(excluded.name, o.name),
      phone = coalesce(excluded.phone, o.phone), lid = coalesce(excluded.lid, o.lid)
    returning coalesce(merged_into, id) as id`
  return row?.id ?? freshId
}

/**
 * Copies the known names, phones and LIDs of people to their direct conversations. `instanceIds` is parallel to
 * `people`. A new name replaces the conversation's, even if it is null.
 */
export async function updateConversationIdentities(
  db: LockedDb,
  instanceIds: string[],
  people: { phone: string | null; lid: string | null; name: string | null; renamed: boolean }[],
): Promise<void> {
  await db.system`
    update conversation c set name = case when n.renamed then n.name else coalesce(n.name, c.name) end,
      lid = coalesce(n.lid, c.lid),
      phone = coalesce(n.phone, c.phone)
    from unnest(${instanceIds}::text[], ${people.map((person) => person.phone)}::text[],
      ${people.map((person) => person.lid)}::text[], ${people.map((person) => person.name)}::text[],
      ${booleans(
        db,
        people.map((person) => person.renamed),
      )}::boolean[])
      as n(instance_id, phone, lid, name, renamed)
    where c.instance_id = n.instance_id and c.chat_type = 'direct'
      and c.chat_id in (n.phone || ${PHONE_ADDRESS}, n.lid)`
}

/** Returns whether an instance has a conversation of this chat that was not merged into another. */
export async function hasConversation(db: Db, instance: Owner, chatId: string): Promise<boolean> {
  const rows = await db.scoped`
    select 1 from conversation
    where ${ownedBy(db, instance)} and instance_id = ${instance.id} and chat_id = ${chatId}
      and merged_into is null`
  return rows.length > 0
}
