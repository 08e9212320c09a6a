import type { Mode } from '../../kernel/config/config.ts'
import type { AccessCode } from '../../platform/db/access-failure.ts'
import type { Db } from '../../platform/db/sql.ts'
import { booleans, timestamps } from '../../platform/db/sql.ts'
import { kindNamed } from '../../model/kinds/index.ts'
import type { Media } from '../../model/media-fields.ts'
import { ANSWER_WINDOW_MS, OFFICIAL_CLASSES, sendClassOf } from '../../model/official-api.ts'
import { isPublishableIn } from '../../model/publishing.ts'
import type { Quoted } from '../../model/records.schemas.ts'
import type { ChatType, MessageOrigin } from '../../model/vocabulary.ts'
import type { SendOptions } from './send-options.ts'

/** A send that passed all validation that needs no database. */
export type SendDraft = {
  id: string
  keyId: string | null
  projectId: string
  mode: Mode
  instanceId: string
  waMessageId: string
  origin: Exclude<MessageOrigin, 'phone'>
  type: string
  content: object
  text: string | null
  /** Exactly one of `chatId` and `conversationId` is set. */
  chatId: string | null
  chatType: ChatType
  phone: string | null
  lid: string | null
  conversationId: string | null
  freshConversationId: string
  quotedWaMessageId: string | null
  mentions: string[]
  options: SendOptions
  /** The message's file; its row already exists. */
  media: Media | null
  metadata: Record<string, string>
  clientReference: string | null
  campaignId: string | null
  /** Credits charged in production. */
  cost: 0 | 1
  /** Earliest time to send the message; null until its file is fetched. */
  dueAt: Date | null
}

/** The outcome of one draft, with the values its message was written with; `position` counts from 0. */
export type AcceptResult = {
  position: number
  /** Why the send was refused, or null. */
  refusal:
    | null
    | AccessCode
    | 'panel_not_enabled'
    | 'instance_not_found'
    | 'conversation_not_found'
    | 'quoted_not_found'
    | 'subscription_required'
    | 'insufficient_credits'
    | 'daily_cap'
    | 'not_connected'
    | 'not_on_network'
    | 'outside_window'
    | 'publishing_disabled'
    | 'not_publishable'
  conversationId: string | null
  chatId: string | null
  chatType: ChatType | null
  chatName: string | null
  phone: string | null
  lid: string | null
  fromPhone: string | null
  fromLid: string | null
  fromName: string | null
  quoted: Quoted | null
}

/**
 * Validates and accepts a batch of sends in one statement. Checks the key's and the Project's permissions, the
 * instance, what its network can send, the conversation, the quoted message, the subscription, the credits or the daily
 * test cap, and the connection, in this order (G39). For sends that pass, it charges and books credits, creates conversations
 * and inserts messages. Balance rows are locked in order before funds are checked, so that concurrent batches cannot
 * spend the same credit.
 *
 * Values that are only written are not carried through the checks; the insert reads them from their arrays by
 * position. Each lookup is a lateral join with a limit, whose plan stays good as the tables grow.
 */
export async function acceptSends(
  db: Db,
  drafts: SendDraft[],
  limits: { day: string; dailyCap: number; skipLocked: boolean },
  now: Date,
): Promise<AcceptResult[]> {
  const rows = await db.system<AcceptResult[]>`
    with input as materialized (
      select * from unnest(
        ${drafts.map((draft) => draft.id)}::text[],
        ${drafts.map((draft) => draft.keyId)}::text[],
        ${drafts.map((draft) => draft.projectId)}::text[],
        ${drafts.map((draft) => draft.mode)}::text[],
        ${drafts.map((draft) => draft.instanceId)}::text[],
        ${drafts.map((draft) => draft.chatId)}::text[],
        ${drafts.map((draft) => draft.chatType)}::text[],
        ${drafts.map((draft) => draft.phone)}::text[],
        ${drafts.map((draft) => draft.lid)}::text[],
        ${drafts.map((draft) => draft.conversationId)}::text[],
        ${drafts.map((draft) => draft.freshConversationId)}::text[],
        ${drafts.map((draft) => draft.quotedWaMessageId)}::text[],
        ${drafts.map((draft) => draft.cost)}::smallint[],
        ${drafts.map((draft) => draft.origin)}::text[],
        ${booleans(db, drafts.map(answersContact))}::boolean[],
        ${drafts.map(sendClassOf)}::text[],
        ${booleans(db, drafts.map(isPublishableIn('status')))}::boolean[],
        ${booleans(db, drafts.map(isPublishableIn('channel')))}::boolean[]
      ) with ordinality as t(id, key_id, project_id, mode, instance_id, chat_id, chat_type, phone, lid,
        conversation_id, fresh_conversation_id, quoted_wa_message_id, cost, origin, answers, class, in_status, in_channels, position)),
    validated as materialized (
      select i.*, n.phone as from_phone, n.lid as from_lid, n.profile_name as from_name,
        c.id as known_id, c.waiting_since, c.name as known_name, c.phone as known_phone, c.lid as known_lid,
        coalesce(c.chat_id, i.chat_id) as final_chat_id,
        coalesce(c.chat_type, i.chat_type) as final_chat_type,
        case when q.wa_message_id is not null then jsonb_build_object('waMessageId', q.wa_message_id,
          'type', q.type, 'text', left(q.text, 1024), 'fromMe', q.direction = 'outbound') end as quoted,
        n.status in ('CONNECTED', 'DISCONNECTED') or (n.status = 'CONNECTING' and n.resumes) as connected,
        case
          when i.key_id is not null and k.id is null then 'RC401'
          when k.revoked_at is not null then 'RC411'
          when k.expires_at <= ${now} then 'RC412'
          when p.moving_until > now() then 'RC413'
          when p.status <> 'ACTIVE' then 'RC403'
          when i.key_id is not null and i.mode = 'production' and p.usage_mode = 'CRM' then 'RC402'
          when i.key_id is null and i.cost = 0 and i.mode = 'production' and p.usage_mode = 'API'
            then 'panel_not_enabled'
          when n.id is null then 'instance_not_found'
          when i.conversation_id is not null and c.id is null then 'conversation_not_found'
          when i.quoted_wa_message_id is not null and q.wa_message_id is null then 'quoted_not_found'
          when i.mode = 'production' and not p.exempt and p.subscription <> 'active'
            then 'subscription_required'
          -- Only the official API has templates, and it supports few other kinds. More than a day after a person's
          -- last message, it accepts only templates.
          when case when n.network = 'cloud_api' then i.class <> all(${OFFICIAL_CLASSES})
              or coalesce(c.chat_type, i.chat_type) <> 'direct'
            else i.class = 'template' end then 'not_on_network'
          when coalesce(c.chat_type, i.chat_type) in ('status', 'channel')
              and (n.settings ->> 'publishing')::boolean is not true then 'publishing_disabled'
          when case coalesce(c.chat_type, i.chat_type) when 'status' then not i.in_status
            when 'channel' then not i.in_channels end then 'not_publishable'
          when n.network = 'cloud_api' and i.class <> 'template' and not exists (
            select from message m where m.conversation_id = c.id and m.direction = 'inbound'
              and m.created_at > ${new Date(now.getTime() - ANSWER_WINDOW_MS)}) then 'outside_window'
        end as early
      from input i
        cross join lateral (
          select status, usage_mode, exempt, subscription, moving_until from project where id = i.project_id limit 1) p
        left join lateral (select id, revoked_at, expires_at from api_key where id = i.key_id limit 1) k on true
        left join lateral (
          select id, status, resumes, network, settings, phone, lid, profile_name from instance
          where id = i.instance_id and project_id = i.project_id and mode = i.mode and deleted_at is null limit 1) n on true
        left join lateral (
          (select id, instance_id, chat_id, chat_type, name, phone, lid, waiting_since, merged_into from conversation
            where i.conversation_id is null and instance_id = i.instance_id and chat_id = i.chat_id limit 1)
          union all
          (select id, instance_id, chat_id, chat_type, name, phone, lid, waiting_since, merged_into from conversation
            where id = i.conversation_id limit 1)) f
          on f.instance_id = i.instance_id
        -- Messages of a merged conversation go to the one it was merged into.
        left join lateral (
          select f.id, f.chat_id, f.chat_type, f.name, f.phone, f.lid, f.waiting_since where f.merged_into is null
          union all
          select id, chat_id, chat_type, name, phone, lid, waiting_since from conversation where id = f.merged_into) c
          on true
        left join lateral (
          select m.wa_message_id, m.type, m.text, m.direction from message m
          where i.quoted_wa_message_id is not null and m.instance_id = i.instance_id and m.wa_message_id = i.quoted_wa_message_id
            and m.deleted_at is null order by coalesce(m.conversation_id = c.id, false) desc, m.seq limit 1) q on true),
    funds as materialized (
      select project_id, credits,
        case when test_day = ${limits.day}::date then test_count else 0 end as test_count
      from balance where project_id = any(array(select distinct project_id from validated))
      order by project_id for update ${limits.skipLocked ? db.sql`skip locked` : db.sql``}),
    decided as materialized (
      select c.*, coalesce(early, case
          when mode = 'production' and cost > 0
            and credits < spent + case when connected then 0 else cost end then 'insufficient_credits'
          when mode = 'test' and ${limits.dailyCap} < test_count + sent
            + case when connected then 0 else 1 end then 'daily_cap'
          when not connected then 'not_connected'
        end) as refusal
      from (
        select j.*, f.credits, f.test_count,
          sum(case when early is null and connected then cost else 0 end) over w as spent,
          sum(case when early is null and connected then 1 else 0 end) over w as sent
        from validated j join funds f on f.project_id = j.project_id
        window w as (partition by j.project_id, mode order by position)) c),
    fresh as (
      insert into conversation as o (id, project_id, mode, instance_id, chat_id, chat_type, phone, lid, name,
        last_message_id, last_message_at, created_at)
      select distinct on (instance_id, chat_id) fresh_conversation_id, project_id, mode, instance_id,
        chat_id, chat_type, phone, coalesce(lid, t.contact_lid), t.contact_name, id, ${now}::timestamptz,
        ${now}::timestamptz
      from decided d left join lateral (
        select lid as contact_lid, coalesce(custom_name, name) as contact_name from contact
        where instance_id = d.instance_id and phone = d.phone limit 1) t on true where refusal is null and known_id is null
      order by instance_id, chat_id, position desc
      -- Another transaction may have created it since this statement started.
      on conflict (instance_id, chat_id) do update set
        last_message_id = excluded.last_message_id, last_message_at = excluded.last_message_at
      returning id, instance_id, chat_id, phone, lid, name),
    touched as (
      update conversation c set last_message_id = l.id, last_message_at = ${now}::timestamptz,
        -- This message does not end a wait that began after this statement started.
        waiting_since = case when l.answers and c.waiting_since is not distinct from l.waiting_since then null
          else c.waiting_since end
      from (select distinct on (known_id) known_id, id, waiting_since, bool_or(answers) over (partition by known_id) as answers
        from decided where refusal is null and known_id is not null order by known_id, position desc) l
      where c.id = l.known_id),
    answered as (
      insert into response_time (conversation_id, project_id, mode, instance_id, asked_at, answered_at, origin)
      select distinct on (known_id) known_id, project_id, mode, instance_id, waiting_since,
        greatest(waiting_since, ${now}::timestamptz), origin
      from decided where refusal is null and waiting_since is not null and answers
      order by known_id, position
      on conflict do nothing),
    spent as (
      update balance b set credits = b.credits - s.credits,
        test_count = case when s.tests = 0 then b.test_count
          else s.tests + case when b.test_day = ${limits.day}::date then b.test_count else 0 end end,
        test_day = case when s.tests = 0 then b.test_day else ${limits.day}::date end
      from (select project_id, sum(case when mode = 'production' then cost else 0 end) as credits,
          count(*) filter (where mode = 'test') as tests
        from decided where refusal is null group by project_id) s
      where b.project_id = s.project_id),
    used as (
      insert into usage_day as u (project_id, mode, day, instance_id, key_id, sent)
      select project_id, mode, ${limits.day}::date, instance_id, coalesce(key_id, ''), count(*)
      from decided where refusal is null group by project_id, mode, instance_id, key_id
      on conflict (project_id, mode, day, instance_id, key_id)
        do update set sent = u.sent + excluded.sent),
    booked as (
      insert into ledger (project_id, at, cause, amount, reference)
      select project_id, ${now}::timestamptz, 'send', -cost, id from decided
      where refusal is null and mode = 'production' and cost > 0 order by position),
    placed as materialized (
      select d.*, coalesce(d.known_id, o.id) as conversation, coalesce(d.known_name, o.name) as chat_name,
        coalesce(d.known_phone, o.phone) as chat_phone, coalesce(d.known_lid, o.lid) as chat_lid
      from decided d left join lateral (
        select * from fresh
        where d.known_id is null and fresh.instance_id = d.instance_id and fresh.chat_id = d.chat_id
        ) o on true),
    written as (
      insert into message (id, project_id, mode, instance_id, conversation_id, wa_message_id,
        direction, origin, type, status, chat_id, chat_type, sender_phone, sender_lid, sender_name,
        content, text, quoted, mentions, options, metadata, client_reference, campaign_id, media_id, key_id, cost,
        created_at)
      select id, project_id, mode, instance_id, conversation,
        (${drafts.map((draft) => draft.waMessageId)}::text[])[position], 'outbound',
        origin,
        (${drafts.map((draft) => draft.type)}::text[])[position], 'queued', final_chat_id,
        final_chat_type, from_phone, from_lid, from_name,
        (${drafts.map((draft) => JSON.stringify(draft.content))}::text[])[position]::jsonb,
        (${drafts.map((draft) => draft.text)}::text[])[position], quoted,
        coalesce((${drafts.map(({ mentions }) => jsonOrNull(mentions))}::text[])[position], '[]')::jsonb,
        coalesce((${drafts.map(({ options }) => jsonOrNull(options))}::text[])[position], '{}')::jsonb,
        coalesce((${drafts.map(({ metadata }) => jsonOrNull(metadata))}::text[])[position], '{}')::jsonb,
        (${drafts.map((draft) => draft.clientReference)}::text[])[position],
        (${drafts.map((draft) => draft.campaignId)}::text[])[position],
        (${drafts.map((draft) => draft.media?.id ?? null)}::text[])[position], key_id,
        case when mode = 'production' then cost else 0 end, ${now}::timestamptz
      from placed where refusal is null order by position
      returning id, instance_id, seq, created_at),
    queued as (
      insert into outbox (instance_id, seq, message_id, created_at, due_at, typed)
      select w.instance_id, w.seq, w.id, w.created_at, coalesce(i.due_at, 'infinity'), i.typed
      from written w join unnest(
        ${drafts.map((draft) => draft.id)}::text[],
        ${timestamps(
          db,
          drafts.map((draft) => draft.dueAt),
        )}::timestamptz[],
        ${booleans(
          db,
          drafts.map(({ options }) => options.typingMs !== undefined),
        )}::boolean[]) as i(id, due_at, typed) on i.id = w.id
      order by w.seq)
    select position::int - 1 as position, refusal, conversation as conversation_id, final_chat_id as chat_id,
      final_chat_type as chat_type, chat_name, chat_phone as phone, chat_lid as lid, from_phone, from_lid, from_name, quoted
    from placed order by position`
  return rows
}

/** Whether a send ends its contact's wait for an answer; campaigns and silent kinds, such as reactions, do not. */
const answersContact = ({ origin, type }: SendDraft): boolean =>
  origin !== 'campaign' && !kindNamed(type)?.silent

/** Serializes a list or object. Returns null for an empty one, the common case, which saves parsing JSON per row. */
function jsonOrNull(value: object): string | null {
  return Object.keys(value).length > 0 ? JSON.stringify(value) : null
}
