import type { Mode } from '../../kernel/config/config.ts'
import type { Db } from '../../platform/db/sql.ts'
import { timestamps } from '../../platform/db/sql.ts'
import type { Ownership } from '../../instances/fence.service.ts'
import type { MessageContent } from '../../model/kinds/index.ts'
import type { MediaFacts } from '../../networks/network-events.port.ts'
import type { MessageErrorCode, MessageStatus, Party, Quoted } from '../../model/records.schemas.ts'
import type { SendOptions } from './accept.sql.ts'

/** A message claimed to be sent now. */
export type ClaimedMessage = {
  id: string
  projectId: string
  mode: Mode
  instanceId: string
  waMessageId: string
  chatId: string
  chatType: 'direct' | 'group'
  content: MessageContent
  quoted: (Quoted & { sender: Party | null }) | null
  mentions: string[]
  options: SendOptions
  media: (MediaFacts & { id: string; preview: string | null }) | null
}

/**
 * Claims the due messages of these instances that `owner` owns, oldest first, up to `most` per instance. Messages are
 * sent in the order of acceptance, so one that waits for its delay blocks those after it. A claimed message that the
 * network does not acknowledge is claimed again from `silentUntil` on.
 */
export async function claimOutbound(
  db: Db,
  claim: { owner: Ownership; instances: { id: string; most: number }[]; silentUntil: Date },
  now: Date,
): Promise<ClaimedMessage[]> {
  return db.system<ClaimedMessage[]>`
    with head as materialized (
      select h.id, h.seq, bool_and(h.due_at <= ${now} or h.status = 'sending')
          over (partition by h.instance_id order by h.seq) and h.due_at <= ${now}
          -- A message with typingMs ends its batch: the messages behind it would stay claimed too long.
          and coalesce(sum(h.typed) over (partition by h.instance_id order by h.seq
            rows between unbounded preceding and 1 preceding), 0) = 0 as ready
      from unnest(${claim.instances.map((instance) => instance.id)}::text[],
        ${claim.instances.map((instance) => instance.most)}::int[]) as i(instance_id, most)
      join instance o on o.id = i.instance_id
        and o.owner_node = ${claim.owner.node} and o.owner_epoch = ${claim.owner.epoch}
      cross join lateral (
        select id, seq, instance_id, due_at, status, (options ? 'typingMs')::int as typed from message
        where instance_id = i.instance_id and status in ('queued', 'sending')
          and (status = 'queued' or due_at <= ${now})
        order by seq limit i.most for update skip locked) h),
    taken as (
      update message m set status = 'sending', attempts = m.attempts + 1,
        due_at = ${claim.silentUntil}, first_sent_at = coalesce(m.first_sent_at, ${now}::timestamptz)
      from head h where m.id = h.id and h.ready
      returning m.id, m.project_id, m.mode, m.instance_id, m.wa_message_id, m.chat_id, m.chat_type,
        m.content, m.quoted,
        m.mentions, m.options, m.media_id, m.seq)
    select t.id, t.project_id, t.mode, t.instance_id, t.wa_message_id, t.chat_id, t.chat_type, t.content,
      t.mentions, t.options, t.media_id, t.seq,
      case when t.quoted is not null then t.quoted || jsonb_build_object('sender', (
        select jsonb_build_object('phone', q.sender_phone, 'lid', q.sender_lid, 'name', q.sender_name)
        from message q where q.instance_id = t.instance_id and q.wa_message_id = t.quoted ->> 'waMessageId'
        order by q.chat_id = t.chat_id desc limit 1)) end as quoted,
      case when d.id is not null then jsonb_build_object('id', d.id, 'mimeType', d.mime_type,
      'fileName', d.file_name, 'sizeBytes', d.size_bytes, 'sha256', d.sha256,
      'durationSeconds', d.duration_seconds, 'width', d.width, 'height', d.height,
      'preview', translate(encode(d.preview, 'base64'), E'\n', '')) end as media
    from taken t left join media d on d.id = t.media_id order by t.seq`
}

/** Roles that count as participants of a chat. */
const MEMBERS = ['member', 'admin', 'superadmin']

/** A receipt for one message. The party, who received or read it, is null if the network's server reports. */
export type ReceiptInput = {
  instanceId: string
  waMessageId: string
  chatId: string
  status: 'sent' | 'delivered' | 'read' | 'played' | 'failed'
  at: Date
  partyPhone: string | null
  partyLid: string | null
  partyName: string | null
  error: { code: MessageErrorCode; retryable: boolean } | null
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
  chatType: 'direct' | 'group'
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
      select t.*, array_position(array['queued', 'sending', 'sent', 'delivered', 'read', 'played'],
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
        ${receipts.map((receipt) => (receipt.error ? JSON.stringify(receipt.error) : null))}::text[]
      ) with ordinality as t(instance_id, wa_message_id, chat_id, status, at, party_phone, party_lid,
        party_name, error, position)),
    -- One row per report, so that no later step needs a join; locked in id order.
    found as materialized (
      select i.position, i.status, i.at, i.party_phone, i.party_lid, i.party_name, i.error, i.rank,
        m.id, m.project_id, m.mode, m.instance_id, m.conversation_id, m.wa_message_id, m.chat_id,
        m.chat_type, m.client_reference, m.campaign_id, m.cost,
        -- Reports of the server itself count; receipts of a person count only from a participant of the chat.
        i.party_phone is null and i.party_lid is null or same_chat(m.instance_id, m.chat_id, i.chat_id)
          and is_participant(m.instance_id, m.chat_id, i.party_phone, i.party_lid, ${MEMBERS}) as authorized,
        coalesce(array_position(array['queued', 'sending', 'sent', 'delivered', 'read', 'played'],
          m.status), 99) as old_rank
      from input i join message m on m.instance_id = i.instance_id
        and m.wa_message_id = i.wa_message_id and m.direction = 'outbound'
      order by m.id for update of m),
    -- A failure counts only as the first report about a message that the network has not accepted; any other failure
    -- is ignored and does not block the reports after it.
    ranked as (
      select *, coalesce(rank, case when old_rank <= 2
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
        cost = case when l.status = 'failed' then 0 else m.cost end
      from (
        select id, (array_agg(status order by position desc))[1] as status,
          (array_agg(error order by position desc))[1] as error,
          min(at) filter (where status = 'sent') as sent_at,
          min(at) filter (where status = 'delivered') as delivered_at,
          min(at) filter (where status in ('read', 'played')) as read_at
        from advanced group by id) l
      where m.id = l.id),
    recorded as (
      insert into message_history (message_id, status, at, party_phone, party_lid, party_name)
      select id, status, at, party_phone, party_lid, party_name from advanced order by position)
    select a.position::int - 1 as position, a.id, a.project_id, a.mode, a.instance_id,
      a.wa_message_id, a.chat_id, a.chat_type, c.name as chat_name, a.client_reference, a.campaign_id,
      a.status, case when a.status = 'failed' then a.cost else 0 end as refunded
    from advanced a join conversation c on c.id = a.conversation_id
    union all
    select position::int - 1, id, project_id, mode, instance_id, wa_message_id, chat_id, chat_type, null, null, null,
      'refused', 0
    from found where not authorized
    order by position`
}

/** Returns the ids of the Projects that own these instances. */
export async function findProjectIds(db: Db, instanceIds: string[]): Promise<string[]> {
  const rows = await db.system<{ projectId: string }[]>`
    select distinct project_id from instance where id = any(${instanceIds})`
  return rows.map(({ projectId }) => projectId)
}

/** A message that must fail, with the error code to fail it with. */
export type OverdueMessage = {
  instanceId: string
  waMessageId: string
  chatId: string
  code: 'ACK_TIMEOUT' | 'INSTANCE_OFFLINE'
}

/**
 * Returns messages that must fail: first sent before `before` and never acknowledged, or waiting since then for an
 * instance that is not connected.
 */
export async function findOverdue(db: Db, before: Date, most: number): Promise<OverdueMessage[]> {
  return db.system<OverdueMessage[]>`
    select m.instance_id, m.wa_message_id, m.chat_id,
      case when n.status = 'CONNECTED' then 'ACK_TIMEOUT' else 'INSTANCE_OFFLINE' end as code
    from message m join instance n on n.id = m.instance_id
    where m.status in ('queued', 'sending') and (
      (m.status = 'sending' and m.first_sent_at <= ${before})
      or (n.status <> 'CONNECTED'
        and greatest(m.created_at, coalesce(n.disconnected_at, m.created_at)) <= ${before}))
    order by m.seq limit ${most}`
}

/**
 * Makes claimed but unsent messages due again, each at its own time. Skips instances that another node has taken over.
 */
export async function requeueOutbound(
  db: Db,
  owner: Ownership,
  messages: { id: string; dueAt: Date }[],
): Promise<void> {
  await db.system`
    update message m set due_at = i.due_at
    from unnest(${messages.map(({ id }) => id)}::text[],
      ${timestamps(
        db,
        messages.map(({ dueAt }) => dueAt),
      )}::timestamptz[]) as i(id, due_at)
    where m.id = i.id and m.status = 'sending' and exists (
      select from instance n
      where n.id = m.instance_id and n.owner_node = ${owner.node} and n.owner_epoch = ${owner.epoch})`
}

/**
 * Makes the messages that earlier sessions of these instances left unacknowledged due immediately. The network
 * deduplicates by id.
 */
export async function requeueUnacknowledged(
  db: Db,
  owner: Ownership,
  instanceIds: string[],
  now: Date,
): Promise<void> {
  await db.system`
    update message set due_at = ${now}
    where status = 'sending' and due_at > ${now} and instance_id in (
      select id from instance
      where id = any(${instanceIds}) and owner_node = ${owner.node} and owner_epoch = ${owner.epoch})`
}

/** Makes the messages that waited for this file due, after any delay of their own. Returns their instance ids. */
export async function releaseAwaitingMedia(db: Db, mediaId: string, now: Date): Promise<string[]> {
  const rows = await db.system<{ instanceId: string }[]>`
    update message set due_at = greatest(${now}::timestamptz,
      created_at + coalesce((options ->> 'delayMs')::int, 0) * interval '1 millisecond')
    where media_id = ${mediaId} and status = 'queued' and due_at = 'infinity'
    returning instance_id`
  return [...new Set(rows.map((row) => row.instanceId))]
}

/** Returns the queued messages that wait for this file. */
export async function findAwaitingMedia(
  db: Db,
  mediaId: string,
): Promise<{ instanceId: string; waMessageId: string; chatId: string }[]> {
  return db.system<{ instanceId: string; waMessageId: string; chatId: string }[]>`
    select instance_id, wa_message_id, chat_id from message
    where media_id = ${mediaId} and status = 'queued' and due_at = 'infinity'`
}
