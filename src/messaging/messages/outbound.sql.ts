import { PHONE_ADDRESS } from '../../model/recipient.ts'
import type { Mode } from '../../kernel/config/config.ts'
import type { Db } from '../../platform/db/sql.ts'
import { booleans, timestamps } from '../../platform/db/sql.ts'
import type { MessageContent } from '../../model/kinds/index.ts'
import type { MediaFacts } from '../../networks/network-events.port.ts'
import type { MessageErrorCode, Party, Quoted } from '../../model/records.schemas.ts'
import {
  type ChatType,
  type MessageStatus,
  PARTICIPANT_ROLES,
  type ReceiptStatus,
} from '../../model/vocabulary.ts'
import type { SendOptions } from './send-options.ts'

/** A message claimed to be sent now. */
export type ClaimedMessage = {
  id: string
  seq: number
  projectId: string
  mode: Mode
  instanceId: string
  waMessageId: string
  chatId: string
  chatType: ChatType
  content: MessageContent
  quoted: (Quoted & { sender: Party | null }) | null
  mentions: string[]
  options: SendOptions
  media: (MediaFacts & { id: string; preview: string | null }) | null
}

/** Whether the message `t` was accepted for another account than its instance `n` has been paired with since. */
export const isOfFormerAccount = (db: Db) =>
  db.sql`(t.created_at <= n.paired_at and t.sender_phone is distinct from n.phone)`

/**
 * Reads claimed messages, in the order of acceptance. A separate statement after the claim: it sees
 * every committed edit, and none can commit after it. Omits messages that have ended or were erased, and those that were
 * accepted for an account that the instance no longer has.
 */
export async function readClaimed(db: Db, messageIds: string[]): Promise<ClaimedMessage[]> {
  return db.system<ClaimedMessage[]>`
    select t.id, t.seq, t.project_id, t.mode, t.instance_id, t.wa_message_id, t.chat_id, t.chat_type, t.content,
      t.mentions, t.options,
      case when t.quoted is not null then t.quoted || jsonb_build_object('sender', (
        select jsonb_build_object('phone', q.sender_phone, 'lid', q.sender_lid, 'name', q.sender_name)
        from message q where q.instance_id = t.instance_id and q.wa_message_id = t.quoted ->> 'waMessageId'
        order by q.conversation_id = t.conversation_id desc, q.seq limit 1)) end as quoted,
      case when d.id is not null then jsonb_build_object('id', d.id, 'mimeType', d.mime_type,
      'fileName', d.file_name, 'sizeBytes', d.size_bytes, 'sha256', d.sha256,
      'durationSeconds', d.duration_seconds, 'width', d.width, 'height', d.height,
      'preview', translate(encode(d.preview, 'base64'), E'\n', '')) end as media
    from message t join instance n on n.id = t.instance_id left join media d on d.id = t.media_id
    where t.id = any(${messageIds}) and t.status = 'queued' and not ${isOfFormerAccount(db)} order by t.seq`
}

/** Whom a status post reaches at most: like the members of a group, each device needs a message of its own. */
export const MAX_AUDIENCE = 1024

/** Returns who an instance's status posts are for: the people of its direct chats, up to `most`, latest chat first. */
export async function findAudience(db: Db, instanceId: string, most: number): Promise<Party[]> {
  return db.system<Party[]>`
    select phone, lid, name from conversation
    where instance_id = ${instanceId} and merged_into is null and chat_type = 'direct'
      and coalesce(phone, lid) is not null
    order by last_message_hour desc nulls last limit ${most}`
}

/** Roles that count as participants of a chat. */
const MEMBERS = [...PARTICIPANT_ROLES]

/** A receipt for one message. `party`, who received or read it, is null for reports of the network's server. */
export type ReceiptInput = {
  instanceId: string
  waMessageId: string
  chatId: string
  status: ReceiptStatus
  at: Date
  partyPhone: string | null
  partyLid: string | null
  partyName: string | null
  error: { code: MessageErrorCode; retryable: boolean } | null
  /** The network had accepted the message before it failed: no refund. */
  wasAccepted: boolean
}

/** The outcome of one input of `applyReceipts`; `refunded` is in credits. */
export type AdvancedMessage = {
  /** Index of the input, counted from 0. */
  position: number
  id: string
  projectId: string
  mode: Mode
  instanceId: string
  waMessageId: string
  chatId: string
  chatType: ChatType
  chatName: string | null
  clientReference: string | null
  campaignId: string | null
  status: MessageStatus | 'refused'
  refunded: number
}

/**
 * Applies receipts to messages. A status never moves backwards. A failure counts only until the network has accepted
 * the message, and refunds its credit. Returns each input that changed its message, and with status `refused` each
 * whose party is not a participant of the chat.
 */
export async function applyReceipts(db: Db, receipts: ReceiptInput[]): Promise<AdvancedMessage[]> {
  return db.system<AdvancedMessage[]>`
    with input as materialized (
      select t.*, array_position(array['queued', 'sent', 'delivered', 'read', 'played'],
        t.status) as rank
      from unnest(
        ${receipts.map((receipt) => receipt.instanceId)}::text[],
        ${receipts.map((receipt) => receipt.waMessageId)}::text[],
        ${receipts.map((receipt) => receipt.chatId)}::text[],
        ${receipts.map((receipt) => receipt.status)}::text[],
        ${timestamps(
          db,
          receipts.map((receipt) => receipt.at),
        )}::timestamptz[],
        ${receipts.map((receipt) => receipt.partyPhone)}::text[],
        ${receipts.map((receipt) => receipt.partyLid)}::text[],
        ${receipts.map((receipt) => receipt.partyName)}::text[],
        ${receipts.map((receipt) => (receipt.error ? JSON.stringify(receipt.error) : null))}::text[],
        ${booleans(
          db,
          receipts.map((receipt) => receipt.wasAccepted),
        )}::boolean[]
      ) with ordinality as t(instance_id, wa_message_id, chat_id, status, at, party_phone, party_lid,
        party_name, error, was_accepted, position)),
    -- One row per report, so that no later step needs a join; locked in id order.
    found as materialized (
      select i.position, i.status, i.at, i.party_phone, i.party_lid, i.party_name, i.error, i.was_accepted, i.rank,
        m.id, m.project_id, m.mode, m.instance_id, m.conversation_id, m.wa_message_id, m.chat_id,
        m.chat_type, m.client_reference, m.campaign_id, m.cost, m.seq,
        -- Reports of the server itself count; receipts of a person count only from a participant of the chat.
        i.party_phone is null and i.party_lid is null
          -- Fast path for the common case, which avoids calls of the general functions.
          or m.chat_type = 'direct' and m.chat_id = i.chat_id and m.chat_id = i.party_phone || ${PHONE_ADDRESS}
          -- The network shows a status post only to those whom it was for.
          or m.chat_type = 'status' and m.chat_id = i.chat_id
          or same_chat(m.instance_id, m.chat_id, i.chat_id)
          and is_participant(m.instance_id, m.chat_id, i.party_phone, i.party_lid, ${MEMBERS}) as authorized,
        coalesce(array_position(array['queued', 'sent', 'delivered', 'read', 'played'],
          m.status), 99) as old_rank
      from input i join message m on m.instance_id = i.instance_id
        and m.wa_message_id = i.wa_message_id and m.direction = 'outbound'
      order by m.id for update of m),
    -- A failure counts only as the first report about a message that the network has not accepted; any other failure
    -- is ignored and does not block the reports after it.
    ranked as (
      select *, coalesce(rank, case when old_rank = 1
        and row_number() over (partition by id order by position) = 1 then 98 end) as height
      from found where authorized),
    -- In the order of arrival, each report with a higher rank than the stored status and all reports before it.
    steps as (
      select *, coalesce(max(height) over (partition by id order by position
        rows between unbounded preceding and 1 preceding), 0) as before
      from ranked),
    advanced as materialized (
      select * from steps
      where height > before and (status = 'failed' or height > old_rank)),
    moved as (
      update message m set status = l.status, error = l.error::jsonb,
        sent_at = coalesce(m.sent_at, l.sent_at, l.delivered_at, l.read_at),
        delivered_at = coalesce(m.delivered_at, l.delivered_at, l.read_at),
        read_at = coalesce(m.read_at, l.read_at),
        cost = case when l.status = 'failed' and not l.was_accepted then 0 else m.cost end
      from (
        select id, (array_agg(status order by position desc))[1] as status,
          (array_agg(error order by position desc))[1] as error, bool_or(was_accepted) as was_accepted,
          min(at) filter (where status = 'sent') as sent_at,
          min(at) filter (where status = 'delivered') as delivered_at,
          min(at) filter (where status in ('read', 'played')) as read_at
        from advanced group by id) l
      where m.id = l.id),
    -- Any report of the network ends the wait of its message.
    gone as (
      delete from outbox o using (
        select instance_id, seq from advanced where old_rank = 1
        -- A failure of a message that has already ended.
        union select instance_id, seq from found where status = 'failed' and old_rank > 1) l
      where o.instance_id = l.instance_id and o.seq = l.seq),
    recorded as (
      insert into message_history (message_id, status, at, party_phone, party_lid, party_name)
      select id, status, at, party_phone, party_lid, party_name from advanced order by position)
    select a.position::int - 1 as position, a.id, a.project_id, a.mode, a.instance_id,
      a.wa_message_id, a.chat_id, a.chat_type, c.name as chat_name, a.client_reference, a.campaign_id,
      a.status, case when a.status = 'failed' and not a.was_accepted then a.cost else 0 end as refunded
    from advanced a join conversation c on c.id = a.conversation_id
    union all
    select position::int - 1, id, project_id, mode, instance_id, wa_message_id, chat_id, chat_type, null, null, null,
      'refused', 0
    from found where not authorized
    order by position`
}

/** Returns the Project of each of these instances. */
export async function findProjectsOf(
  db: Db,
  instanceIds: string[],
): Promise<{ instanceId: string; projectId: string }[]> {
  return db.system<{ instanceId: string; projectId: string }[]>`
    select id as instance_id, project_id from instance where id = any(${instanceIds})`
}
