import type { Mode } from '../../kernel/config/config.ts'
import type { Db, Fragment } from '../../platform/db/sql.ts'
import { booleans, timestamps } from '../../platform/db/sql.ts'
import { messageColumns } from './messages.sql.ts'
import { forgetReadBehind } from './placeholders.sql.ts'
import type { MessageRow } from '../../model/message.ts'
import type { ConversationChanges } from './summarize-received.ts'
import type { HistoricStatus } from '../../model/vocabulary.ts'

/** A message to insert that a network reported as received or as sent from the account's own phone. */
export type ReceivedDraft = {
  id: string
  projectId: string
  mode: Mode
  instanceId: string
  freshConversationId: string
  waMessageId: string
  direction: 'inbound' | 'outbound'
  type: string
  content: object
  text: string | null
  chatId: string
  chatType: 'direct' | 'group'
  chatName: string | null
  /** `phone` and `lid` of the contact; null for groups. */
  phone: string | null
  lid: string | null
  senderPhone: string | null
  senderLid: string | null
  senderName: string | null
  quoted: object | null
  mentions: string[]
  mediaId: string | null
  at: Date
  status: HistoricStatus
}

/** An inserted message; `replaced` if it was stored before as undecryptable. */
export type ReceivedRow = MessageRow & {
  replaced: boolean
  /** The conversation before this batch: the time of its last message, and when its contact began to wait. */
  conversationLastAt: Date | null
  conversationWaitingSince: Date | null
}

/** Identifies a message as networks do, with its author. */
export type MessageKey = {
  instanceId: string
  waMessageId: string
  chatId: string
  /** Whether the account's own phone sent it. */
  fromMe: boolean
  senderPhone: string | null
  senderLid: string | null
}
/**
 * A stored message; `position` is the index of its key, `historic` whether only a phone has shared it so far, and
 * `sameAuthor` whether the key's author wrote it.
 */
export type StoredMessage = { position: number; id: string; historic: boolean; sameAuthor: boolean }

/**
 * Whether message `m` and the row `other` have the same author. The account writes every outbound message and the
 * contact every inbound one of a direct chat; in a group, the senders are compared.
 */
const sameAuthor = (db: Db, other: { direction: Fragment; phone: Fragment; lid: Fragment }) =>
  db.sql`(m.direction = ${other.direction} and (m.direction = 'outbound' or m.chat_type = 'direct'
    or same_person(m.instance_id, m.sender_phone, m.sender_lid, ${other.phone}, ${other.lid})))`

/** Returns the messages with these keys that are stored, in a chat known by phone or by LID. */
export async function findStored(db: Db, keys: MessageKey[]): Promise<StoredMessage[]> {
  return db.system<StoredMessage[]>`
    select i.position::int - 1 as position, m.id, m.historic, ${sameAuthor(db, {
      direction: db.sql`case when i.from_me then 'outbound' else 'inbound' end`,
      phone: db.sql`i.sender_phone`,
      lid: db.sql`i.sender_lid`,
    })} as same_author
    from unnest(
      ${keys.map(({ instanceId }) => instanceId)}::text[],
      ${keys.map(({ waMessageId }) => waMessageId)}::text[],
      ${keys.map(({ chatId }) => chatId)}::text[],
      ${booleans(
        db,
        keys.map(({ fromMe }) => fromMe),
      )}::boolean[],
      ${keys.map(({ senderPhone }) => senderPhone)}::text[],
      ${keys.map(({ senderLid }) => senderLid)}::text[]
    ) with ordinality as i(instance_id, wa_message_id, chat_id, from_me, sender_phone, sender_lid, position)
    -- The order makes even a plan built while the table was empty use the index on id.
    cross join lateral (select * from message
      where instance_id = i.instance_id and wa_message_id = i.wa_message_id
        and same_chat(instance_id, chat_id, i.chat_id)
      order by instance_id, wa_message_id, chat_id limit 1) m`
}

/** What happened to a message after it was sent. */
export type LaterChanges = {
  id: string
  text: string | null
  content: object
  editedAt: Date | null
  deletedAt: Date | null
  pinnedUntil: Date | null
  pinnedAt: Date | null
  starred: boolean | null
  starredAt: Date | null
  kept: boolean | null
  keptAt: Date | null
}

/**
 * Deletes historic messages, which the caller replaces with the
 * delivered ones under the same ids. Returns their later changes.
 */
export async function deleteHistoric(db: Db, ids: string[]): Promise<LaterChanges[]> {
  const rows = await db.system<(LaterChanges & { changed: boolean })[]>`
    delete from message where id = any(${ids}) and historic
    returning id, text, content, edited_at, deleted_at, pinned_until, pinned_at, starred, starred_at, kept, kept_at,
      coalesce(edited_at, deleted_at, pinned_at, starred_at, kept_at) is not null or starred is not null as changed`
  return rows.filter(({ changed }) => changed)
}

/** Reapplies the later changes of historic messages to the messages that replaced them. */
export async function reapplyChanges(db: Db, changes: LaterChanges[]): Promise<void> {
  for (const was of changes) {
    await db.system`
      update message set deleted_at = ${was.deletedAt}, pinned_until = ${was.pinnedUntil}, pinned_at = ${was.pinnedAt},
        starred = ${was.starred}, starred_at = ${was.starredAt}, kept = ${was.kept}, kept_at = ${was.keptAt},
        edited_at = ${was.editedAt},
        text = case when ${was.editedAt}::timestamptz is null then text else ${was.text} end,
        content = case when ${was.editedAt}::timestamptz is null then content
          else ${db.sql.json(was.content as never)}::jsonb end
      where id = ${was.id}`
  }
}

/**
 * Inserts messages that were received, or sent from the account's own phone, counts the received ones for `day`, and
 * returns the new rows. Without a day, the messages are historic and not counted. Messages are deduplicated by
 * instance, chat and network id. A stored undecryptable message that its author sends again is replaced in place and
 * returned as `replaced`.
 */
export async function insertReceived(
  db: Db,
  drafts: ReceivedDraft[],
  day: string | null,
  now: Date,
): Promise<ReceivedRow[]> {
  return db.system<ReceivedRow[]>`
    with input as materialized (
      select * from unnest(
        ${drafts.map((draft) => draft.id)}::text[],
        ${drafts.map((draft) => draft.projectId)}::text[],
        ${drafts.map((draft) => draft.mode)}::text[],
        ${drafts.map((draft) => draft.instanceId)}::text[],
        ${drafts.map((draft) => draft.freshConversationId)}::text[],
        ${drafts.map((draft) => draft.waMessageId)}::text[],
        ${drafts.map((draft) => draft.direction)}::text[],
        ${drafts.map((draft) => draft.type)}::text[],
        ${drafts.map((draft) => JSON.stringify(draft.content))}::text[],
        ${drafts.map((draft) => draft.text)}::text[],
        ${drafts.map((draft) => draft.chatId)}::text[],
        ${drafts.map((draft) => draft.chatType)}::text[],
        ${drafts.map((draft) => draft.chatName)}::text[],
        ${drafts.map((draft) => draft.phone)}::text[],
        ${drafts.map((draft) => draft.lid)}::text[],
        ${drafts.map((draft) => draft.senderPhone)}::text[],
        ${drafts.map((draft) => draft.senderLid)}::text[],
        ${drafts.map((draft) => draft.senderName)}::text[],
        ${drafts.map((draft) => (draft.quoted ? JSON.stringify(draft.quoted) : null))}::text[],
        ${drafts.map((draft) => JSON.stringify(draft.mentions))}::text[],
        ${drafts.map((draft) => draft.mediaId)}::text[],
        ${timestamps(
          db,
          drafts.map((draft) => draft.at),
        )}::timestamptz[],
        ${drafts.map((draft) => draft.status)}::text[]
      ) with ordinality as t(id, project_id, mode, instance_id, fresh_conversation_id, wa_message_id,
        direction, type, content, text, chat_id, chat_type, chat_name, phone, lid, sender_phone,
        sender_lid, sender_name, quoted, mentions, media_id, at, status, position)),
    conversations as (
      insert into conversation as o (id, project_id, mode, instance_id, chat_id, chat_type, phone, lid,
        name, created_at)
      select distinct on (instance_id, chat_id) fresh_conversation_id, project_id, mode, instance_id,
        chat_id, chat_type, phone, lid, chat_name, ${now}::timestamptz
      from input order by instance_id, chat_id, position desc
      on conflict (instance_id, chat_id) do update set
        name = coalesce(excluded.name, o.name), phone = coalesce(o.phone, excluded.phone),
        lid = coalesce(o.lid, excluded.lid)
      returning id, instance_id, chat_id, name, phone, lid, last_message_at, waiting_since),
    written as (
      insert into message as m (id, project_id, mode, instance_id, conversation_id, wa_message_id,
        direction, origin, type, status, chat_id, chat_type, sender_phone, sender_lid, sender_name,
        content, text, quoted, mentions, media_id, created_at, sent_at, read_at, historic)
      select i.id, i.project_id, i.mode, i.instance_id, o.id, i.wa_message_id, i.direction, 'phone',
        i.type, i.status, i.chat_id,
        i.chat_type, i.sender_phone, i.sender_lid, i.sender_name, i.content::jsonb, i.text,
        i.quoted::jsonb, i.mentions::jsonb, i.media_id, i.at,
        case when i.direction = 'outbound' then i.at end,
        -- Historic messages count as read.
        case when i.direction = 'inbound' and ${day}::date is null then i.at end, ${day}::date is null
      from input i join conversations o on o.instance_id = i.instance_id and o.chat_id = i.chat_id
      order by i.position
      on conflict (instance_id, wa_message_id, chat_id) do update set type = excluded.type,
        content = excluded.content, text = excluded.text, quoted = excluded.quoted,
        mentions = excluded.mentions, media_id = excluded.media_id
        where m.type = 'undecryptable' and excluded.type <> 'undecryptable'
          and ${sameAuthor(db, {
            direction: db.sql`excluded.direction`,
            phone: db.sql`excluded.sender_phone`,
            lid: db.sql`excluded.sender_lid`,
          })}
      returning *, xmax <> 0 as replaced),
    used as (
      insert into usage_day as u (project_id, mode, day, instance_id, key_id, received)
      select project_id, mode, ${day}::date, instance_id, '', count(*)
      from written where direction = 'inbound' and not replaced and ${day}::date is not null group by project_id, mode, instance_id
      on conflict (project_id, mode, day, instance_id, key_id)
        do update set received = u.received + excluded.received)
    select ${messageColumns(db)}, m.replaced, c.last_message_at as conversation_last_at,
      c.waiting_since as conversation_waiting_since
    from written m join conversations c on c.id = m.conversation_id
      left join media d on d.id = m.media_id
    order by m.seq`
}

/** Returns these messages as stored now, oldest first. */
export async function readStored(db: Db, ids: string[]): Promise<MessageRow[]> {
  return db.system<MessageRow[]>`
    select ${messageColumns(db)} from message m join conversation c on c.id = m.conversation_id
      left join media d on d.id = m.media_id
    where m.id = any(${ids}::text[]) order by m.seq`
}

/**
 * Updates the last message of conversations, unless a later one is stored, and adds to their unread counts.
 * Reopens those that received a message, and records the waits that ended. The caller holds the Projects' locks.
 */
export async function updateConversations(db: Db, fresh: ConversationChanges[]): Promise<void> {
  const ended = fresh.flatMap(({ conversationId, waits }) =>
    waits.map((wait) => ({ conversationId, ...wait })),
  )
  const times = (dates: (Date | null)[]) => db.sql`${timestamps(db, dates)}::timestamptz[]`
  await db.system`
    with recorded as (
      insert into response_time (conversation_id, project_id, mode, instance_id, asked_at, answered_at, origin)
      select c.id, c.project_id, c.mode, c.instance_id, w.asked_at, w.answered_at, 'phone'
      from unnest(
        ${ended.map((wait) => wait.conversationId)}::text[],
        ${times(ended.map((wait) => wait.askedAt))},
        ${times(ended.map((wait) => wait.answeredAt))}) as w(conversation_id, asked_at, answered_at)
        join conversation c on c.id = w.conversation_id
      on conflict do nothing)
    update conversation c set
      last_message_id = case when n.at >= coalesce(c.last_message_at, n.at) then n.message_id
        else c.last_message_id end,
      last_message_at = greatest(c.last_message_at, n.at),
      unread_count = greatest(0, c.unread_count + n.unread),
      status = case when n.has_new then 'open' else c.status end,
      waiting_since = n.waiting_since,
      referral = coalesce(c.referral, n.referral::jsonb)
    from unnest(
      ${fresh.map((entry) => entry.conversationId)}::text[],
      ${fresh.map((entry) => entry.messageId)}::text[],
      ${times(fresh.map((entry) => entry.at))},
      ${fresh.map((entry) => entry.unread)}::int[],
      ${booleans(
        db,
        fresh.map((entry) => entry.hasNew),
      )}::boolean[],
      ${times(fresh.map((entry) => entry.waitingSince))},
      ${fresh.map(({ referral }) => referral && JSON.stringify(referral))}::text[])
      as n(conversation_id, message_id, at, unread, has_new, waiting_since, referral)
    where c.id = n.conversation_id`
  // What was taken back no longer counts for any member.
  await forgetReadBehind(
    db,
    fresh.filter(({ unread }) => unread < 0),
  )
}
