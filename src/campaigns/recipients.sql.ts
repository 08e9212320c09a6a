import type { Db, Scope } from '../platform/db/sql.ts'
import { movingProjects, scopedTo, ownedBy, ownerOf } from '../platform/db/sql.ts'
import type { SkipReason } from './recipients.schemas.ts'

/** A stored recipient. */
export type RecipientRow = {
  campaignId: string
  position: number
  typed: string
  chatId: string
  person: string
  variables: Record<string, string>
  clientReference: string | null
  status: string
  reason: SkipReason | null
  messageId: string | null
}
/** A recipient to insert. */
export type FreshRecipient = Pick<
  RecipientRow,
  'position' | 'typed' | 'chatId' | 'person' | 'variables' | 'clientReference'
>

/** Inserts recipients that the campaign does not have yet; returns their positions. */
export async function insertRecipients(
  db: Db,
  scope: Scope,
  campaignId: string,
  fresh: FreshRecipient[],
): Promise<Set<number>> {
  const rows = await db.scoped<{ position: number }[]>`
    insert into campaign_recipient (campaign_id, position, project_id, mode, typed, chat_id, person,
      variables, client_reference)
    select ${campaignId}, t.position, ${ownerOf(db, scope)}, t.typed, t.chat_id, t.person,
      t.variables::jsonb, t.client_reference
    from unnest(${fresh.map((one) => one.position)}::int[], ${fresh.map((one) => one.typed)}::text[],
      ${fresh.map((one) => one.chatId)}::text[], ${fresh.map((one) => one.person)}::text[],
      ${fresh.map((one) => JSON.stringify(one.variables))}::text[],
      ${fresh.map((one) => one.clientReference)}::text[])
      as t(position, typed, chat_id, person, variables, client_reference)
    order by t.position
    on conflict (campaign_id, person) do nothing
    returning position`
  return new Set(rows.map(({ position }) => position))
}

/** Lists a page of recipients, ordered by position. */
export async function listRecipients(
  db: Db,
  scope: Scope,
  campaignId: string,
  statuses: string[] | null,
  page: { limit: number; offset: number; now: Date },
): Promise<RecipientRow[]> {
  return db.scoped<RecipientRow[]>`
    select campaign_id, position, typed, chat_id, person, variables, client_reference, status, reason,
      message_id
    from campaign_recipient
    where ${scopedTo(db, scope, page.now)} and campaign_id = ${campaignId}
      and (${statuses}::text[] is null or status = any(${statuses}::text[]))
    order by position limit ${page.limit} offset ${page.offset}`
}

/** Returns the next pending recipients after a position. */
export async function nextRecipients(
  db: Db,
  campaignId: string,
  after: number,
  most: number,
): Promise<RecipientRow[]> {
  return db.system<RecipientRow[]>`
    select campaign_id, position, typed, chat_id, person, variables, client_reference, status, reason,
      message_id
    from campaign_recipient
    where campaign_id = ${campaignId} and position > ${after} and status = 'pending'
    order by position limit ${most}`
}

/** Returns which of these contacts have opted out of campaigns. */
export async function findOptedOut(db: Db, scope: Scope, people: string[]): Promise<Set<string>> {
  const rows = await db.scoped<{ person: string }[]>`
    select person from opt_out
    where ${ownedBy(db, scope)} and person = any(${people})`
  return new Set(rows.map(({ person }) => person))
}

/** Returns which of these contacts are recipients of a campaign. */
export async function findListed(
  db: Db,
  campaignId: string,
  people: string[],
): Promise<Set<string>> {
  const rows = await db.system<{ person: string }[]>`
    select person from campaign_recipient
    where campaign_id = ${campaignId} and person = any(${people})`
  return new Set(rows.map(({ person }) => person))
}

/** Adds imported recipients to the counts, once the whole list is stored. */
export async function countAdded(db: Db, campaignId: string, added: number): Promise<void> {
  await db.system`
    update campaign_count set pending = pending + ${added} where campaign_id = ${campaignId}`
}

/** Marks recipients as queued, each with its message. */
export async function markQueued(
  db: Db,
  campaignId: string,
  queued: { position: number; messageId: string; chatId: string }[],
): Promise<void> {
  await db.system`
    update campaign_recipient r set status = 'queued', message_id = t.message_id, chat_id = t.chat_id
    from unnest(${queued.map((one) => one.position)}::int[],
      ${queued.map((one) => one.messageId)}::text[], ${queued.map((one) => one.chatId)}::text[])
      as t(position, message_id, chat_id)
    where r.campaign_id = ${campaignId} and r.position = t.position`
}

/** Marks recipients as skipped, with the reason. */
export async function markSkipped(
  db: Db,
  campaignId: string,
  skipped: { position: number; reason: SkipReason }[],
): Promise<void> {
  await db.system`
    update campaign_recipient r set status = 'skipped', reason = t.reason
    from unnest(${skipped.map((one) => one.position)}::int[],
      ${skipped.map((one) => one.reason)}::text[]) as t(position, reason)
    where r.campaign_id = ${campaignId} and r.position = t.position and r.status = 'pending'`
}

/** How many recipients one transaction skips: a statement may not take longer than a few seconds. */
export const MAX_SKIPPED = 20_000

/** Skips the next pending recipients of a canceled campaign, at most `MAX_SKIPPED`; returns how many. */
export async function skipPending(db: Db, campaignId: string, after: number): Promise<number> {
  const [row] = await db.system<{ count: number }[]>`
    with next as materialized (
      select position from campaign_recipient
      where campaign_id = ${campaignId} and position > ${after} and status = 'pending'
      order by position limit ${MAX_SKIPPED}),
    skipped as (
      update campaign_recipient r set status = 'skipped', reason = 'CANCELED'
      from next n where r.campaign_id = ${campaignId} and r.position = n.position returning 1)
    select count(*)::int as count from skipped`
  return row?.count ?? 0
}

/** Returns a canceled campaign with pending recipients; none of the `failed` ones. */
export async function findHalfCanceled(
  db: Db,
  failed: readonly string[],
): Promise<{ id: string; passedPosition: number } | null> {
  const [row] = await db.system<{ id: string; passedPosition: number }[]>`
    select c.id, c.passed_position from campaign c join campaign_count k on k.campaign_id = c.id
    where c.status = 'CANCELED' and k.pending > 0 and c.id <> all(${[...failed]})
      and c.project_id <> all(${movingProjects(db)}) limit 1`
  return row ?? null
}

/** The order in which a recipient's status advances; `failed` follows `queued` only. */
export const STATUS_ORDER = ['queued', 'sent', 'delivered', 'read', 'replied']

/** Stores the status of campaign messages, which never moves backwards. Returns the affected campaigns. */
export async function updateRecipientStatuses(
  db: Db,
  results: { messageId: string; status: string }[],
): Promise<string[]> {
  const rows = await db.system<{ campaignId: string }[]>`
    with input as materialized (
      select * from unnest(${results.map((one) => one.messageId)}::text[],
        ${results.map((one) => one.status)}::text[]) as t(message_id, status)),
    found as materialized (
      select r.campaign_id, r.position, i.status as to_status,
        array_position(${STATUS_ORDER}::text[], r.status) as before,
        array_position(${STATUS_ORDER}::text[], i.status) as after
      from campaign_recipient r join input i on i.message_id = r.message_id
      order by r.campaign_id, r.position for update of r)
    update campaign_recipient r set status = f.to_status from found f
    where r.campaign_id = f.campaign_id and r.position = f.position
      and case when f.to_status = 'failed' then f.before = 1 else f.after > f.before end
    returning r.campaign_id`
  return [...new Set(rows.map(({ campaignId }) => campaignId))]
}

/**
 * Returns, for each conversation, the last campaign message that has left, even if the network has not acknowledged it: an
 * automatic reply may come before that.
 */
export async function findLastCampaignMessages(
  db: Db,
  conversationIds: string[],
): Promise<{ conversationId: string; messageId: string }[]> {
  return db.system<{ conversationId: string; messageId: string }[]>`
    select c.id as conversation_id, m.id as message_id
    from unnest(${conversationIds}::text[]) as c(id)
    cross join lateral (
      select s.id from message s where s.conversation_id = c.id and s.campaign_id is not null
        and (s.status <> 'queued' or exists (
          select from outbox o where o.instance_id = s.instance_id and o.seq = s.seq and o.sending))
      order by s.created_at desc limit 1) m`
}

/** Stores opt-outs, and deletes those of contacts who opted back in. */
export async function saveOptOuts(
  db: Db,
  choices: { projectId: string; mode: string; person: string; wish: 'in' | 'out' }[],
  now: Date,
): Promise<void> {
  const out = choices.filter(({ wish }) => wish === 'out')
  const again = choices.filter(({ wish }) => wish === 'in')
  if (out.length > 0) {
    await db.system`
      insert into opt_out (project_id, mode, person, at)
      select project_id, mode, person, ${now}::timestamptz
      from unnest(${out.map((one) => one.projectId)}::text[], ${out.map((one) => one.mode)}::text[],
        ${out.map((one) => one.person)}::text[]) as t(project_id, mode, person)
      on conflict do nothing`
  }
  if (again.length > 0) {
    await db.system`
      delete from opt_out o
      using unnest(${again.map((one) => one.projectId)}::text[], ${again.map((one) => one.mode)}::text[],
        ${again.map((one) => one.person)}::text[]) as t(project_id, mode, person)
      where o.project_id = t.project_id and o.mode = t.mode and o.person = t.person`
  }
}
