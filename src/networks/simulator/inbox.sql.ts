import type { Db } from '../../platform/db/sql.ts'
import { booleans, timestamps, ownedBy } from '../../platform/db/sql.ts'
import type { MessageContent } from '../../model/kinds/index.ts'
import type { Media } from '../../model/media-fields.ts'
import type { ChatType } from '../../model/vocabulary.ts'
import type { InboundMessage } from '../network-events.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'

/** A message in the inbox of a virtual phone. */
export type InboxRow = {
  id: string
  waMessageId: string
  chatId: string
  chatType: ChatType
  senderPhone: string | null
  senderLid: string | null
  senderName: string | null
  /** The instance that sent it and gets its receipts; null if a virtual phone sent it. */
  instanceId: string | null
  type: MessageContent['type']
  content: MessageContent
  media: Media | null
  text: string | null
  quoted: InboundMessage['quoted']
  mentions: string[]
  createdAt: Date
  readAt: Date | null
  editedAt: Date | null
  deletedAt: Date | null
  pinnedUntil: Date | null
  kept: boolean
  /** The numbers of the phones that have starred it. */
  starredBy: string[]
}
/** A message to insert into an inbox. */
export type NewInboxRow = Omit<
  InboxRow,
  'readAt' | 'editedAt' | 'deletedAt' | 'pinnedUntil' | 'kept' | 'starredBy' | 'media'
> & {
  phoneId: string
  mediaId: string | null
  /** The phone is offline; the message is hidden until the phone is back online. */
  held: boolean
}

/** Inserts messages into phones' inboxes; existing messages are left unchanged. */
export async function insertInbox(db: Db, messages: NewInboxRow[]): Promise<void> {
  await db.system`
    insert into simulator_message (id, phone_id, wa_message_id, chat_id, chat_type, sender_phone, sender_lid,
      sender_name, instance_id, type, content, media_id, text, quoted, mentions, held, created_at)
    select id, phone_id, wa_message_id, chat_id, chat_type, sender_phone, sender_lid, sender_name,
      instance_id, type, content::jsonb, media_id, text, quoted::jsonb, mentions::jsonb, held, created_at
    from unnest(
      ${messages.map((message) => message.id)}::text[],
      ${messages.map((message) => message.phoneId)}::text[],
      ${messages.map((message) => message.waMessageId)}::text[],
      ${messages.map((message) => message.chatId)}::text[],
      ${messages.map((message) => message.chatType)}::text[],
      ${messages.map((message) => message.senderPhone)}::text[],
      ${messages.map((message) => message.senderLid)}::text[],
      ${messages.map((message) => message.senderName)}::text[],
      ${messages.map((message) => message.instanceId)}::text[],
      ${messages.map((message) => message.type)}::text[],
      ${messages.map((message) => JSON.stringify(message.content))}::text[],
      ${messages.map((message) => message.mediaId)}::text[],
      ${messages.map((message) => message.text)}::text[],
      ${messages.map((message) => (message.quoted ? JSON.stringify(message.quoted) : null))}::text[],
      ${messages.map((message) => JSON.stringify(message.mentions))}::text[],
      ${booleans(
        db,
        messages.map((message) => message.held),
      )}::boolean[],
      ${timestamps(
        db,
        messages.map((message) => message.createdAt),
      )}::timestamptz[]
    ) with ordinality as t(id, phone_id, wa_message_id, chat_id, chat_type, sender_phone, sender_lid,
      sender_name, instance_id, type, content, media_id, text, quoted, mentions, held, created_at, position)
    order by position
    on conflict (phone_id, chat_id, wa_message_id) do nothing`
}

function columns(db: Db) {
  return db.system`m.id, m.wa_message_id, m.chat_id, m.chat_type, m.sender_phone, m.sender_lid, m.sender_name,
    m.instance_id, m.type, m.content, m.text, m.quoted, m.mentions, m.created_at, m.read_at, m.edited_at,
    m.deleted_at, m.pinned_until, m.kept, m.starred_by,
    case when d.id is not null then jsonb_build_object('id', d.id, 'mimeType', d.mime_type,
      'fileName', d.file_name, 'sizeBytes', d.size_bytes, 'sha256', d.sha256,
      'durationSeconds', d.duration_seconds, 'width', d.width, 'height', d.height,
      'voice', coalesce((m.content ->> 'voice')::boolean, false), 'status', d.status) end as media`
}

/** Lists the visible messages of a phone, newest first. */
export async function listInbox(
  db: Db,
  phoneId: string,
  limit: number,
  offset: number,
): Promise<InboxRow[]> {
  return db.system<InboxRow[]>`
    select ${columns(db)} from simulator_message m left join media d on d.id = m.media_id
    where phone_id = ${phoneId} and not held order by seq desc limit ${limit} offset ${offset}`
}

type PhoneOwner = { phone: string; lid: string | null; name: string | null }

/** Finds a message that this phone received or sent; `owner` is the phone whose inbox contains it. */
export async function findMessage(
  db: Db,
  scope: PhoneScope,
  phone: { id: string; phone: string },
  waMessageId: string,
): Promise<(InboxRow & { owner: PhoneOwner }) | null> {
  const [row] = await db.scoped<(InboxRow & { owner: PhoneOwner })[]>`
    select ${columns(db)}, jsonb_build_object('phone', p.phone, 'lid', p.lid, 'name', p.name) as owner
    from simulator_message m left join media d on d.id = m.media_id
      join simulator_phone p on p.id = m.phone_id
    where m.wa_message_id = ${waMessageId} and ${ownedBy(db, scope, 'p')}
      and (m.phone_id = ${phone.id} or m.sender_phone = ${phone.phone}) limit 1`
  return row ?? null
}

/** A message of a phone's past; `owner` is the phone in whose inbox it is. */
export type PastRow = InboxRow & { owner: PhoneOwner }

/**
 * Lists what a phone has received and sent before a time, newest first; `chat` limits it to the chat with a number or
 * to a group. A message to a group is in the inbox of each member, and listed once. Status posts are no messages.
 */
export async function listPast(
  db: Db,
  scope: PhoneScope,
  phone: { id: string; phone: string },
  range: { before: Date; since: Date; chat: string | null; most: number },
): Promise<PastRow[]> {
  const { before, since, chat, most } = range
  return db.scoped<PastRow[]>`
    select * from (
      select distinct on (m.wa_message_id, m.sender_phone) ${columns(db)}, m.seq,
        jsonb_build_object('phone', p.phone, 'lid', p.lid, 'name', p.name) as owner
      from simulator_message m left join media d on d.id = m.media_id
        join simulator_phone p on p.id = m.phone_id
      where ${ownedBy(db, scope, 'p')} and (m.phone_id = ${phone.id} or m.sender_phone = ${phone.phone})
        and m.created_at < ${before} and m.created_at >= ${since} and m.deleted_at is null and m.chat_type <> 'status'
        and (m.phone_id <> ${phone.id} or not m.held)
        and (${chat}::text is null or m.chat_id = ${chat}
          or m.chat_type = 'direct' and ${chat}::text in (
            case when m.phone_id = ${phone.id} then m.sender_phone else p.phone end || '@s.whatsapp.net'))
      order by m.wa_message_id, m.sender_phone, m.seq) past
    order by created_at desc, seq desc limit ${most}`
}

/** Marks messages as read. Returns all that exist; `fresh` is true for those that were unread. */
export async function markInboxRead(
  db: Db,
  phoneId: string,
  waMessageIds: string[],
  now: Date,
): Promise<{ waMessageId: string; chatId: string; instanceId: string | null; fresh: boolean }[]> {
  return db.system<
    { waMessageId: string; chatId: string; instanceId: string | null; fresh: boolean }[]
  >`
    with marked as (
      update simulator_message set read_at = ${now}
      where phone_id = ${phoneId} and wa_message_id = any(${waMessageIds}) and read_at is null and not held
      returning id)
    select wa_message_id, chat_id, instance_id, id in (select id from marked) as fresh
    from simulator_message where phone_id = ${phoneId} and wa_message_id = any(${waMessageIds}) and not held
    order by seq`
}

/** Shows the messages held while the phone was offline. Returns them, so that the senders get receipts. */
export async function releaseHeld(
  db: Db,
  phoneId: string,
): Promise<{ waMessageId: string; chatId: string; instanceId: string | null }[]> {
  return db.system<{ waMessageId: string; chatId: string; instanceId: string | null }[]>`
    update simulator_message set held = false where phone_id = ${phoneId} and held
    returning wa_message_id, chat_id, instance_id`
}

/** A message copy that an edit or deletion has changed. */
export type ChangedCopy = { phoneId: string; chatId: string; chatType: ChatType }

/** Edits or deletes a message in every inbox that has it; returns the changed copies. */
export async function updateCopies(
  db: Db,
  scope: PhoneScope,
  message: { senderPhone: string; waMessageId: string },
  change: { text: string } | 'deleted',
  now: Date,
): Promise<ChangedCopy[]> {
  const text = change === 'deleted' ? null : change.text
  return db.scoped<ChangedCopy[]>`
    update simulator_message m set
      text = coalesce(${text}, m.text),
      content = m.content || case when ${text}::text is null then '{}'
        when m.content ? 'caption' then jsonb_build_object('caption', ${text}::text)
        when m.content ? 'text' then jsonb_build_object('text', ${text}::text) else '{}' end,
      edited_at = case when ${text}::text is null then m.edited_at else ${now}::timestamptz end,
      deleted_at = case when ${text}::text is null then ${now}::timestamptz else m.deleted_at end,
      pinned_until = case when ${text}::text is null then null else m.pinned_until end,
      kept = m.kept and ${text}::text is not null,
      starred_by = case when ${text}::text is null then '{}' else m.starred_by end
    from simulator_phone p
    where p.id = m.phone_id and ${ownedBy(db, scope, 'p')}
      and m.wa_message_id = ${message.waMessageId} and m.sender_phone = ${message.senderPhone}
      and m.deleted_at is null
    returning m.phone_id, m.chat_id, m.chat_type`
}

/** A copy of a message in an inbox, with who wrote it. */
export type MarkedCopy = ChangedCopy & { senderPhone: string }

/** Pins or keeps a message in every inbox that has it, if the phone `by` received or wrote it; returns the copies. */
export async function markCopies(
  db: Db,
  scope: PhoneScope,
  message: { by: string; waMessageId: string },
  mark: { kind: 'pinned'; until: number | null } | { kind: 'kept'; kept: boolean },
): Promise<MarkedCopy[]> {
  const { sql } = db
  const until = mark.kind === 'pinned' && mark.until !== null ? new Date(mark.until) : null
  const change = mark.kind === 'pinned' ? sql`pinned_until = ${until}` : sql`kept = ${mark.kept}`
  return db.scoped<MarkedCopy[]>`
    with ${knownCopies(db, scope, message)}
    update simulator_message m set ${change}
    where m.id in (select id from copies) and exists (select from copies where mine)
    returning m.phone_id, m.chat_id, m.chat_type, m.sender_phone`
}

/** Stars a message for the phone `by` alone, if it received or wrote it, or takes the star away; returns the copies. */
export async function starCopies(
  db: Db,
  scope: PhoneScope,
  message: { by: string; waMessageId: string },
  starred: boolean,
): Promise<MarkedCopy[]> {
  return db.scoped<MarkedCopy[]>`
    with ${knownCopies(db, scope, message)}
    update simulator_message m set starred_by = array_remove(m.starred_by, ${message.by})
      || case when ${starred}::boolean then array[${message.by}::text] else '{}' end
    where m.id in (select id from copies where mine)
    returning m.phone_id, m.chat_id, m.chat_type, m.sender_phone`
}

/** The copies of a message that is neither deleted nor a status post; `mine` are those that the phone `by` received or wrote. */
function knownCopies(db: Db, scope: PhoneScope, message: { by: string; waMessageId: string }) {
  return db.sql`copies as materialized (
      select m.id, m.sender_phone = ${message.by} or p.phone = ${message.by} as mine
      from simulator_message m join simulator_phone p on p.id = m.phone_id
      where ${ownedBy(db, scope, 'p')} and m.wa_message_id = ${message.waMessageId}
        and m.deleted_at is null and m.chat_type <> 'status')`
}

/** Deletes messages created before a time, on all phones. */
export async function deleteMessagesBefore(db: Db, before: Date): Promise<void> {
  await db.system`delete from simulator_message where created_at < ${before}`
}
