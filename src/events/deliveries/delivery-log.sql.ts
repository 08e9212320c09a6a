import type { Db, Scope, ScopeFragment } from '../../platform/db/sql.ts'
import { likePattern, accessGranted, ownedBy, scopedTo } from '../../platform/db/sql.ts'

/** A row of `delivery_log`: one attempt. */
export type LogRow = {
  id: number
  eventId: string
  event: string
  attempt: number
  statusCode: number | null
  success: boolean
  reason: string | null
  durationMs: number
  createdAt: Date
}

const columns = (db: Db) =>
  db.sql`id, event_id, event, attempt, status_code, success, reason, duration_ms, created_at`

/** Restricts a table to the rows of a webhook of the scope, and checks its key. */
function ofWebhook(
  db: Db,
  scope: Scope,
  { webhookId, now }: { webhookId: string; now: Date },
): ScopeFragment {
  const webhook = db.sql`select from webhook where id = ${webhookId} and ${ownedBy(db, scope)}`
  return db.sql`${accessGranted(db, scope, now)} and exists (${webhook}) and webhook_id = ${webhookId}`
}

/** Lists a page of the attempts of a webhook since `since` that pass the filter, newest first, among the last `scan`. */
export async function listAttempts(
  db: Db,
  scope: Scope,
  page: {
    webhookId: string
    limit: number
    offset: number
    event: string | null
    success: boolean | null
    scan: number
    since: Date
    now: Date
  },
): Promise<LogRow[]> {
  return db.scoped<LogRow[]>`
    select * from (
      select ${columns(db)} from delivery_log
      where ${ofWebhook(db, scope, page)}
        and created_at > ${page.since}
      order by id desc limit ${page.scan}) recent
    where (${page.event}::text is null or event = ${page.event})
      and (${page.success}::boolean is null or success = ${page.success})
    order by id desc limit ${page.limit} offset ${page.offset}`
}

/** Filter of the delivery log of one webhook; null fields do not filter. */
export type LogFilter = {
  webhookId: string
  since: Date
  /** Only attempts with an id below this one. */
  before: number | null
  success: boolean | null
  event: string | null
  /** The first digit of the HTTP status; 0 for attempts without a response. */
  statusClass: number | null
  /** Substring of the failure reason, case-insensitive. */
  q: string | null
}

/**
 * Finds, among the last `scan` attempts of a webhook, the newest attempt of each event that passes the filter, newest
 * first. `last` is the id of the oldest attempt scanned, or null if the scan reached the end of the log.
 */
export async function findNewestAttempts(
  db: Db,
  scope: Scope,
  filter: LogFilter & { limit: number; scan: number; now: Date },
): Promise<{ rows: LogRow[]; last: number | null }> {
  const { webhookId, since, before, success, event, statusClass, q, limit, scan } = filter
  const like = q === null ? null : likePattern(q)
  type Scanned = { scanned: number; last: number | null }
  const rows = await db.scoped<((LogRow | { id: null }) & Scanned)[]>`
    with scanned as materialized (
      select ${columns(db)} from delivery_log
      where ${ofWebhook(db, scope, filter)} and created_at > ${since}
        and (${before}::bigint is null or id < ${before})
      order by id desc limit ${scan}),
    found as (
      select * from scanned s
      where (${success}::boolean is null or success = ${success})
        and (${event}::text is null or event = ${event})
        and (${statusClass}::int is null or coalesce(status_code / 100, 0) = ${statusClass})
        and (${like}::text is null or reason ilike ${like})
        and not exists (
          select 1 from delivery_log later
          where later.webhook_id = ${webhookId} and later.event_id = s.event_id
            and (later.attempt > 1 or not later.success) and later.id > s.id
            and later.created_at > ${since})
      order by id desc limit ${limit})
    select f.*, looked.* from (select count(*)::int as scanned, min(id) as last from scanned) looked
    left join found f on true order by f.id desc`
  const [looked] = rows
  return {
    rows: rows.filter((row): row is LogRow & Scanned => row.id !== null),
    last: looked?.scanned === scan ? looked.last : null,
  }
}

/** Lists every attempt of these events, oldest first, except deliveries that succeeded on the first attempt. */
export async function listAttemptsOfEvents(
  db: Db,
  scope: Scope,
  { webhookId, eventIds, now }: { webhookId: string; eventIds: string[]; now: Date },
): Promise<LogRow[]> {
  return db.scoped<LogRow[]>`
    select ${columns(db)} from delivery_log
    where ${ofWebhook(db, scope, { webhookId, now })} and event_id = any(${eventIds})
      and (attempt > 1 or not success)
    order by id`
}

/**
 * Finds when the next attempts of these events are due. Only the `most` waiting deliveries with the latest visibility
 * are searched; `truncated` means that there are more.
 */
export async function findNextAttempts(
  db: Db,
  scope: Scope,
  input: { webhookId: string; eventIds: string[]; most: number; now: Date },
): Promise<{ due: Map<string, Date>; truncated: boolean }> {
  const rows = await db.scoped<{ eventId: string; dueAt: Date; waiting: number }[]>`
    with waiting as materialized (
      select event_id, due_at from delivery
      where ${ofWebhook(db, scope, input)}
      order by visible_at desc limit ${input.most})
    select event_id, due_at, (select count(*)::int from waiting) as waiting from waiting
    where event_id = any(${input.eventIds})
    union all
    select null, null, (select count(*)::int from waiting)`
  return {
    due: new Map(rows.flatMap((row) => (row.eventId ? [[row.eventId, row.dueAt] as const] : []))),
    truncated: (rows.at(-1)?.waiting ?? 0) >= input.most,
  }
}

/** Returns the body of an event, or null once it has been deleted. */
export async function findEventBody(
  db: Db,
  scope: Scope,
  { id, now }: { id: string; now: Date },
): Promise<string | null> {
  const [row] = await db.scoped<{ body: string }[]>`
    select body from event where ${scopedTo(db, scope, now)} and id = ${id}`
  return row?.body ?? null
}

/** A webhook's attempts in one hour; `times` is the histogram of success durations over `DURATION_BOUNDS_MS`. */
export type HourRow = {
  webhookId: string
  hour: Date
  delivered: number
  failed: number
  times: number[]
}

/** Lists attempt counts by webhook and hour since `since`, oldest hour first. */
export async function listHours(
  db: Db,
  scope: Scope,
  { since, now }: { since: Date; now: Date },
): Promise<HourRow[]> {
  return db.scoped<HourRow[]>`
    select h.webhook_id, h.hour, h.delivered::int, h.failed::int, h.times::int[]
    from webhook w join delivery_hour h on h.webhook_id = w.id and h.hour >= ${since}
    where ${scopedTo(db, scope, now)} and w.deleted_at is null
    order by h.hour`
}

/**
 * Returns the p95 duration, in milliseconds, of the successes among the last `each` attempts of every webhook, or null
 * if there are none.
 */
export async function findP95(
  db: Db,
  scope: Scope,
  { since, each, now }: { since: Date; each: number; now: Date },
): Promise<number | null> {
  const [row] = await db.scoped<{ p95: number | null }[]>`
    select percentile_disc(0.95) within group (order by l.duration_ms) as p95
    from webhook w cross join lateral (
      select duration_ms, success from delivery_log
      where webhook_id = w.id and created_at > ${since}
      order by id desc limit ${each}) l
    where ${scopedTo(db, scope, now)} and w.deleted_at is null and l.success`
  return row?.p95 ?? null
}

/** A failed attempt with the webhook that it was made to. */
export type FailureRow = LogRow & { webhookId: string; webhookName: string }

/** Lists failed attempts of the newest events with failures, newest attempt first. */
export async function listFailures(
  db: Db,
  scope: Scope,
  { since, most, now }: { since: Date; most: number; now: Date },
): Promise<FailureRow[]> {
  return db.scoped<FailureRow[]>`
    select w.id as webhook_id, w.name as webhook_name, l.*
    from webhook w cross join lateral (
      select ${columns(db)} from delivery_log
      where webhook_id = w.id and (attempt > 1 or not success) and not success
        and created_at > ${since}
      order by event_id desc limit ${most}) l
    where ${scopedTo(db, scope, now)} and w.deleted_at is null
    order by l.id desc limit ${most}`
}

/** Deletes the counts of hours before `before`. */
export async function sweepHours(db: Db, before: Date): Promise<void> {
  await db.system`delete from delivery_hour where hour < ${before}`
}

/** Returns whether any delivery still refers to an event recorded before `before`. */
export async function hasDeliveriesBefore(db: Db, before: Date): Promise<boolean> {
  const rows = await db.system`select 1 from delivery where event_at < ${before} limit 1`
  return rows.length > 0
}
