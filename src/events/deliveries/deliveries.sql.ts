import type { Db, Fragment } from '../../platform/db/sql.ts'
import { movingProjects, booleans, timestamps } from '../../platform/db/sql.ts'
import { DURATION_BOUNDS_MS } from './durations.ts'

/** A finished attempt to log; its delivery is rescheduled or deleted. */
export type FinishedAttempt = {
  id: number
  webhookId: string
  eventId: string
  event: string
  attempt: number
  success: boolean
  statusCode: number | null
  reason: string | null
  durationMs: number
  endedAt: Date
  /** When the next attempt is due; null deletes the delivery. */
  nextDueAt: Date | null
  /** Lease expiry for a retry that this node schedules in memory; null releases the lease. */
  leasedUntil: Date | null
}

/** The histogram columns: successes per slot between the duration bounds. */
function countsBySlot(db: Db): Fragment {
  const count = (slot: number) => db.sql`count(*) filter (where success and slot = ${slot})`
  return DURATION_BOUNDS_MS.reduce(
    (counts, _, below) => db.sql`${counts}, ${count(below + 1)}`,
    count(0),
  )
}

/**
 * Finishes attempts in one statement: deletes the deliveries that are done, reschedules the others, logs every attempt
 * and updates the hourly counts and the webhooks' last success and failure. A delivery whose lease another node has
 * taken is left unchanged. Returns the ids of the deliveries that were changed.
 */
export async function finishAttempts(
  db: Db,
  lease: { node: string; epoch: number },
  attempts: FinishedAttempt[],
): Promise<Set<number>> {
  const rows = await db.system<{ id: number }[]>`
    with input as materialized (
      select * from unnest(
        ${attempts.map((attempt) => attempt.id)}::bigint[],
        ${attempts.map((attempt) => attempt.webhookId)}::text[],
        ${attempts.map((attempt) => attempt.eventId)}::text[],
        ${attempts.map((attempt) => attempt.event)}::text[],
        ${attempts.map((attempt) => attempt.attempt)}::smallint[],
        ${booleans(
          db,
          attempts.map((attempt) => attempt.success),
        )}::boolean[],
        ${attempts.map((attempt) => attempt.statusCode)}::smallint[],
        ${attempts.map((attempt) => attempt.reason)}::text[],
        ${attempts.map((attempt) => attempt.durationMs)}::int[],
        ${timestamps(
          db,
          attempts.map((attempt) => attempt.endedAt),
        )}::timestamptz[],
        ${timestamps(
          db,
          attempts.map((attempt) => attempt.nextDueAt),
        )}::timestamptz[],
        ${timestamps(
          db,
          attempts.map((attempt) => attempt.leasedUntil),
        )}::timestamptz[]
      ) with ordinality as t(id, webhook_id, event_id, event, attempt, success, status_code, reason,
        duration_ms, ended_at, next_due_at, leased_until, position)),
    over as (
      delete from delivery d using input i
      where d.id = i.id and d.lease_node = ${lease.node} and d.lease_epoch = ${lease.epoch}
        and i.next_due_at is null
      returning d.id),
    moved as (
      update delivery d set attempt = i.attempt + 1, due_at = i.next_due_at, crash_count = 0,
        visible_at = coalesce(i.leased_until, i.next_due_at),
        lease_node = case when i.leased_until is null then null else d.lease_node end,
        lease_epoch = case when i.leased_until is null then null else d.lease_epoch end
      from input i
      where d.id = i.id and d.lease_node = ${lease.node} and d.lease_epoch = ${lease.epoch}
        and i.next_due_at is not null
      returning d.id),
    kept as materialized (
      select i.*, width_bucket(i.duration_ms, ${DURATION_BOUNDS_MS}::int[]) as slot from input i join webhook w on w.id = i.webhook_id and w.deleted_at is null),
    logged as (
      insert into delivery_log (webhook_id, event_id, event, attempt, status_code, success, reason,
        duration_ms, created_at)
      select webhook_id, event_id, event, attempt, status_code, success, reason, duration_ms, ended_at
      from kept order by position),
    counted as (
      insert into delivery_hour as h (webhook_id, hour, delivered, failed, times)
      select webhook_id, date_trunc('hour', ended_at, 'UTC'), count(*) filter (where success),
        count(*) filter (where not success),
        array[${countsBySlot(db)}]
      from kept group by 1, 2 order by 1, 2
      on conflict (webhook_id, hour) do update set
        delivered = h.delivered + excluded.delivered, failed = h.failed + excluded.failed,
        times = array(select known + more from unnest(h.times, excluded.times) as t(known, more))),
    noted as (
      insert into webhook_status as s (webhook_id, last_success_at, last_failure_at, last_failure_reason)
      select webhook_id, max(ended_at) filter (where success), max(ended_at) filter (where not success),
        (array_agg(left(reason, 500) order by ended_at desc) filter (where not success))[1]
      from kept group by webhook_id order by webhook_id
      on conflict (webhook_id) do update set
        last_success_at = greatest(s.last_success_at, excluded.last_success_at),
        last_failure_at = greatest(s.last_failure_at, excluded.last_failure_at),
        last_failure_reason = case
          when excluded.last_failure_at >= coalesce(s.last_failure_at, '-infinity')
          then excluded.last_failure_reason else s.last_failure_reason end)
    select id from over union all select id from moved`
  return new Set(rows.map((row) => row.id))
}

/** A delivery claimed by this node, with the event to send. */
export type ClaimedRow = {
  id: number
  webhookId: string
  projectId: string
  webhookGeneration: number
  attempt: number
  dueAt: Date
  crashCount: number
  eventId: string
  eventName: string
  body: string
}

/** Returns when the earliest delivery becomes or became visible, or null if there is none. Reads one index entry. */
export async function findNextVisible(db: Db): Promise<Date | null> {
  const [row] = await db.system<{ visibleAt: Date }[]>`
    select visible_at from delivery where visible_at < 'infinity' order by visible_at limit 1`
  return row?.visibleAt ?? null
}

/** Whether a delivery is visible by then. */
export const anyVisible = (db: Db, until: Date) =>
  db.sql`exists (select from delivery where visible_at <= ${until})`

/** A webhook that has due deliveries, and its Project; an empty string if the webhook no longer exists. */
export type DueWebhook = { id: string; projectId: string }

/**
 * Lists the webhooks with an id above `after`, except those in `except`, that have due deliveries. A loose index scan:
 * it skips from one webhook to the next without reading all deliveries.
 */
export async function listDueWebhooks(
  db: Db,
  now: Date,
  { after, except, most }: { after: string; except: string[]; most: number },
): Promise<DueWebhook[]> {
  return db.system<DueWebhook[]>`
    with recursive endpoint(webhook_id) as (
      select min(webhook_id) from delivery where webhook_id > ${after}
      union all
      select (select min(d.webhook_id) from delivery d where d.webhook_id > e.webhook_id)
      from endpoint e where e.webhook_id is not null)
    select e.webhook_id as id, coalesce(w.project_id, '') as project_id from endpoint e left join webhook w on w.id = e.webhook_id
    where e.webhook_id is not null and e.webhook_id <> all(${except})
      and (w.id is null or w.project_id <> all(${movingProjects(db)}))
      and exists (select 1 from delivery d
        where d.webhook_id = e.webhook_id and d.visible_at <= ${now})
    limit ${most}`
}

/**
 * Leases due deliveries, up to `quota` per webhook and never in a global order, so that the backlog of one endpoint
 * cannot delay another. Deletes those whose webhook is removed, paused or of another generation.
 */
export async function claimDeliveries(
  db: Db,
  claim: { webhooks: { id: string; quota: number }[]; node: string; epoch: number },
  now: Date,
  until: Date,
): Promise<ClaimedRow[]> {
  return db.system<ClaimedRow[]>`
    with picked as materialized (
      select d.id, d.webhook_id, d.webhook_generation
      from unnest(${claim.webhooks.map((webhook) => webhook.id)}::text[],
        ${claim.webhooks.map((webhook) => webhook.quota)}::int[]) as e(webhook_id, quota)
      cross join lateral (
        select id, webhook_id, webhook_generation from delivery
        where webhook_id = e.webhook_id and visible_at <= ${now}
        order by visible_at limit e.quota for update skip locked) d
      -- CLAIM_BATCH_SIZE of the worker, as a constant: without one the planner expects a tenth of the table per webhook and
      -- joins all of it.
      limit 128),
    dropped as (
      delete from delivery d using picked p
      where d.id = p.id and not exists (select 1 from webhook w where w.id = p.webhook_id
        and w.enabled and w.deleted_at is null and w.generation = p.webhook_generation)
      returning d.id),
    leased as (
      update delivery d set visible_at = ${until}, lease_node = ${claim.node},
        lease_epoch = ${claim.epoch},
        crash_count = d.crash_count + case when d.lease_node is null
          or (d.lease_node = ${claim.node} and d.lease_epoch = ${claim.epoch}) then 0 else 1 end
      from picked p join webhook w on w.id = p.webhook_id
      where d.id = p.id and w.enabled and w.deleted_at is null and w.generation = p.webhook_generation
      returning d.*)
    select l.id, l.webhook_id, e.project_id, l.webhook_generation, l.attempt, l.due_at, l.crash_count, l.event_id,
      e.name as event_name, e.body
    from leased l join event e on e.id = l.event_id and e.created_at = l.event_at
    order by l.due_at, l.id`
}

/** Extends the leases that this node still holds on these deliveries to `until`. */
export async function renewLeases(
  db: Db,
  lease: { node: string; epoch: number },
  ids: number[],
  until: Date,
): Promise<void> {
  await db.system`
    update delivery set visible_at = ${until}
    where id = any(${ids}::bigint[]) and lease_node = ${lease.node} and lease_epoch = ${lease.epoch}`
}

/** Releases leases: from `visibleAt` on, but not before they are due, any node may claim the deliveries. */
export async function releaseDeliveries(
  db: Db,
  lease: { node: string; epoch: number },
  ids: number[],
  visibleAt: Date,
): Promise<void> {
  await db.system`
    update delivery set visible_at = greatest(due_at, ${visibleAt}), lease_node = null, lease_epoch = null
    where id = any(${ids}::bigint[]) and lease_node = ${lease.node} and lease_epoch = ${lease.epoch}`
}

/**
 * Deletes up to `most` deliveries of an earlier generation of a webhook, or of one that is paused or removed. Returns
 * how many it deleted.
 */
export async function purgeStale(db: Db, webhookId: string, most: number): Promise<number> {
  const rows = await db.system`
    delete from delivery where id in (
      select d.id from delivery d join webhook w on w.id = d.webhook_id
      where d.webhook_id = ${webhookId}
        and (w.deleted_at is not null or not w.enabled or w.generation <> d.webhook_generation)
      limit ${most} for update of d skip locked)
    returning id`
  return rows.length
}
