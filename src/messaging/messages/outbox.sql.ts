import type { Db } from '../../platform/db/sql.ts'
import { movingProjects, booleans, timestamps } from '../../platform/db/sql.ts'
import type { Ownership } from '../../instances/fence.service.ts'
import { isOfFormerAccount } from './outbound.sql.ts'
import { SENT } from '../../networks/cloud-api/sent-messages.ts'

/** The key of an outbox row; `seq` is that of the message. */
export type OutboxKey = { instanceId: string; seq: number }
type ClaimedEntry = OutboxKey & {
  messageId: string
  /** Whether this claim is the message's first. */
  isFirst: boolean
}

/**
 * Claims the due messages of these instances that `owner` owns, oldest first, up to `most` per instance and in all; if
 * more are due, the instances share the limit equally. Messages are sent in the order of acceptance, so one that waits for its delay blocks those after it; one that waits for a turn of its
 * instance's pace does not. A claimed message that the network does not acknowledge can be claimed again at `retryAt`.
 */
export async function claimOutbox(
  db: Db,
  claim: {
    owner: Ownership
    instances: { id: string; most: number; paced: boolean }[]
    most: number
    retryAt: Date
  },
  now: Date,
): Promise<ClaimedEntry[]> {
  return db.system<ClaimedEntry[]>`
    with head as materialized (
      select h.instance_id, h.seq, bool_and(h.due_at <= ${now} or h.sending)
          over (partition by h.instance_id order by h.seq) and h.due_at <= ${now}
          -- A message with a typing delay ends its batch, so that those behind it stay unclaimed.
          and coalesce(sum(h.typed::int) over (partition by h.instance_id order by h.seq
            rows between unbounded preceding and 1 preceding), 0) = 0 as ready,
          row_number() over (partition by h.instance_id order by h.seq) as turn
      from unnest(${claim.instances.map((instance) => instance.id)}::text[],
        ${claim.instances.map((instance) => instance.most)}::int[],
        ${booleans(
          db,
          claim.instances.map((instance) => instance.paced),
        )}::boolean[]) as i(instance_id, most, paced)
      join instance o on o.id = i.instance_id
        and o.owner_node = ${claim.owner.node} and o.owner_epoch = ${claim.owner.epoch}
      cross join lateral (
        select * from (
          select instance_id, seq, due_at, sending, typed from outbox
          where instance_id = i.instance_id and (not sending or due_at <= ${now}) and (not waits or not i.paced)
          order by seq limit i.most) others
        union all
        -- If the turn is free, also the first message that waits for it, after all others.
        select * from (
          select instance_id, seq, due_at, sending, typed from outbox
          where i.paced and instance_id = i.instance_id and waits and not sending and not exists (
            select from pace p where p.instance_id = i.instance_id and p.free_at > ${now})
          order by seq limit 1) turn
        limit i.most) h),
    -- Only these are locked: every lock is a write.
    chosen as materialized (
      select o.instance_id, o.seq from (
        select instance_id, seq from head where ready order by turn limit ${claim.most}) h
      join outbox o on o.instance_id = h.instance_id and o.seq = h.seq
      for update of o skip locked)
    update outbox o set sending = true, due_at = ${claim.retryAt},
      first_sent_at = coalesce(o.first_sent_at, ${now}::timestamptz)
    from chosen c where o.instance_id = c.instance_id and o.seq = c.seq and o.due_at <= ${now}
    returning o.instance_id, o.seq, o.message_id, o.first_sent_at = ${now} as is_first`
}

/** Whether a claim would find messages of these instances: due at the head of the queue, or with a free turn. */
export const anyOutboxDue = (
  db: Db,
  instances: { id: string; most: number; paced: boolean }[],
  now: Date,
) => db.sql`
  exists (select from unnest(${instances.map(({ id }) => id)}::text[],
      ${instances.map(({ most }) => most)}::int[],
      ${booleans(
        db,
        instances.map(({ paced }) => paced),
      )}::boolean[]) as i(id, most, paced)
    where exists (select from (
        select due_at from outbox
        where instance_id = i.id and (not sending or due_at <= ${now}) and (not waits or not i.paced)
        order by seq limit i.most) head where head.due_at <= ${now})
      or i.paced and exists (select from outbox where instance_id = i.id and waits and not sending)
        and not exists (select from pace p where p.instance_id = i.id and p.free_at > ${now}))`

/** Removes these messages from the outbox if they have ended or no longer exist. */
export async function deleteEndedEntries(db: Db, entries: ClaimedEntry[]): Promise<void> {
  await db.system`
    delete from outbox o using unnest(${entries.map(({ instanceId }) => instanceId)}::text[],
      ${entries.map(({ seq }) => seq)}::bigint[]) as i(instance_id, seq)
    where o.instance_id = i.instance_id and o.seq = i.seq and not exists (
      select from message m where m.id = o.message_id and m.status = 'queued')`
}

/**
 * Makes claimed but unsent messages due again, each at its own time; the send timeout of `notAttempted`
 * ones restarts with their next claim. Skips instances that another node has taken over.
 */
export async function requeueOutbound(
  db: Db,
  owner: Ownership,
  entries: (OutboxKey & { dueAt: Date; notAttempted: boolean })[],
): Promise<void> {
  await db.system`
    update outbox o set due_at = i.due_at,
      sending = not i.not_attempted, first_sent_at = case when not i.not_attempted then o.first_sent_at end
    from unnest(${entries.map(({ instanceId }) => instanceId)}::text[],
      ${entries.map(({ seq }) => seq)}::bigint[],
      ${timestamps(
        db,
        entries.map(({ dueAt }) => dueAt),
      )}::timestamptz[],
      ${booleans(
        db,
        entries.map(({ notAttempted }) => notAttempted),
      )}::boolean[]) as i(instance_id, seq, due_at, not_attempted)
    where o.instance_id = i.instance_id and o.seq = i.seq and o.sending and exists (
      select from instance n
      where n.id = o.instance_id and n.owner_node = ${owner.node} and n.owner_epoch = ${owner.epoch})`
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
    update outbox set due_at = ${now}
    where sending and due_at > ${now} and instance_id in (
      select id from instance
      where id = any(${instanceIds}) and owner_node = ${owner.node} and owner_epoch = ${owner.epoch})`
}

/** Makes the messages that waited for this file due, after their own delays. Returns their instance ids. */
export async function releaseAwaitingMedia(db: Db, mediaId: string, now: Date): Promise<string[]> {
  const rows = await db.system<{ instanceId: string }[]>`
    update outbox o set due_at = greatest(${now}::timestamptz,
      m.created_at + coalesce((m.options ->> 'delayMs')::int, 0) * interval '1 millisecond')
    from message m
    where m.media_id = ${mediaId} and o.instance_id = m.instance_id and o.seq = m.seq and o.due_at = 'infinity'
    returning o.instance_id`
  return [...new Set(rows.map((row) => row.instanceId))]
}

/**
 * Releases messages whose file is no longer being fetched, because a process
 * died between storing it and releasing them. Returns their instance ids.
 */
export async function releaseOrphaned(db: Db, now: Date): Promise<string[]> {
  const rows = await db.system<{ instanceId: string }[]>`
    update outbox o set due_at = greatest(${now}::timestamptz,
      m.created_at + coalesce((m.options ->> 'delayMs')::int, 0) * interval '1 millisecond')
    from outbox f left join message m on m.id = f.message_id left join media d on d.id = m.media_id
    where f.due_at = 'infinity' and d.status is distinct from 'pending'
      and o.instance_id = f.instance_id and o.seq = f.seq
    returning o.instance_id`
  return [...new Set(rows.map((row) => row.instanceId))]
}

/** Returns the queued messages that wait for this file. */
export async function findAwaitingMedia(
  db: Db,
  mediaId: string,
): Promise<{ instanceId: string; waMessageId: string; chatId: string }[]> {
  return db.system<{ instanceId: string; waMessageId: string; chatId: string }[]>`
    select m.instance_id, m.wa_message_id, m.chat_id
    from message m join outbox o on o.instance_id = m.instance_id and o.seq = m.seq
    where m.media_id = ${mediaId} and o.due_at = 'infinity'`
}

/**
 * Whether a message `o` waits for a turn of its instance `n`. A deleted, logged out or permanently banned instance never
 * gets one; a stopped or temporarily banned instance gets one later.
 */
const waits = (
  db: Db,
) => db.sql`(o.waits and coalesce(n.settings ->> 'pace', 'off') <> 'off' and n.deleted_at is null
  and n.status <> 'LOGGED_OUT'
  and (n.status <> 'BANNED' or n.restriction ->> 'until' is not null))`

/** Whether the message of the outbox row `o` was accepted for an account that its instance `n` no longer has. */
const isStranded = (db: Db) => db.sql`(o.created_at <= n.paired_at and exists (
  select from message t where t.id = o.message_id and ${isOfFormerAccount(db)}))`

/** A message that must fail, with the error code to fail it with. */
export type FailingMessage = {
  id: string
  instanceId: string
  waMessageId: string
  chatId: string
  code: 'ACK_TIMEOUT' | 'INSTANCE_OFFLINE' | 'PACE_LIMIT'
}

/**
 * Whether the outcome of a message posted to the official API may still arrive: for a day, because Meta resends
 * statuses after an outage of this installation. `o` is the outbox and `n` the instance; `before` as in `findOverdue`.
 */
const mayStillSettle = (
  db: Db,
  before: Date,
) => db.sql`(n.network = 'cloud_api' and n.deleted_at is null
  and coalesce(o.first_sent_at, o.created_at) > ${before}::timestamptz - interval '1 day'
  and exists (select from message sent join instance_credential c on c.instance_id = sent.instance_id
    and c.kind = ${SENT} and c.id = sent.wa_message_id where sent.id = o.message_id))`

const outboxKeysOf = (db: Db, messageIds: readonly string[]) =>
  db.sql`(select instance_id, seq from message where id = any(${[...messageIds]}))`

/** Which messages are overdue; see `findOverdue`. */
type OverdueQuery = { before: Date; waitedSince: Date; among?: readonly string[] }

/** Maximum messages that `findOverdue` returns. */
export const MAX_OVERDUE = 500

/**
 * Returns messages that must fail: first sent before `before` and never acknowledged, or waiting since then for an
 * instance that is not connected, or accepted before `waitedSince` and still waiting because of the instance's pace, or
 * accepted for an account that the instance no longer has.
 * With `among`, considers only these messages.
 */
export async function findOverdue(
  db: Db,
  { before, waitedSince, among }: OverdueQuery,
): Promise<FailingMessage[]> {
  return db.system<FailingMessage[]>`
    select m.id, m.instance_id, m.wa_message_id, m.chat_id, l.code from (
      select o.message_id, o.seq,
        case when ${isStranded(db)} then 'INSTANCE_OFFLINE'
          when o.sending and n.status = 'CONNECTED' then 'ACK_TIMEOUT'
          when ${waits(db)} then 'PACE_LIMIT'
          when n.status = 'CONNECTED' then 'ACK_TIMEOUT' else 'INSTANCE_OFFLINE' end as code
      from outbox o join instance n on n.id = o.instance_id
        and n.project_id <> all(${movingProjects(db)})
      where ${among ? db.sql`(o.instance_id, o.seq) in ${outboxKeysOf(db, among)}` : db.sql`true`} and ((o.sending and o.first_sent_at <= ${before} and not ${mayStillSettle(db, before)})
        or (n.status <> 'CONNECTED' and not ${waits(db)}
          and greatest(o.created_at, coalesce(n.disconnected_at, o.created_at)) <= ${before}
          and not ${mayStillSettle(db, before)})
        or (${waits(db)} and not o.sending and o.created_at <= ${waitedSince})
        or ${isStranded(db)})
      order by o.seq limit ${MAX_OVERDUE}) l
    join message m on m.id = l.message_id order by l.seq`
}

/** Locks messages and then their outbox rows, so that no node claims one before the commit. */
export async function lockQueued(db: Db, messageIds: readonly string[]): Promise<void> {
  await db.system`select 1 from message where id = any(${[...messageIds]}) order by id for update`
  await db.system`
    select 1 from outbox where (instance_id, seq) in ${outboxKeysOf(db, messageIds)} order by seq for update`
}
