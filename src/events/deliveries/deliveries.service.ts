import type { Db, Scope } from '../../platform/db/sql.ts'
import type { EventName } from '../catalog/index.ts'
import { toPage } from '../../kernel/schemas.ts'
import { MAX_REQUESTS, type InboxesService } from '../inboxes/inboxes.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { WebhooksService } from '../webhooks/webhooks.service.ts'
import { estimateP95 } from './durations.ts'
import { MAX_ATTEMPTS } from './finisher.ts'
import type { HistoryEnvelope } from '../events.schemas.ts'
import {
  findEventBody,
  findNextAttempts,
  findNewestAttempts,
  findP95,
  listAttempts,
  listFailures,
  listHours,
  listAttemptsOfEvents,
  sweepHours,
  type LogRow,
} from './delivery-log.sql.ts'
import type {
  VerifiedRequests,
  DeliveredEvent,
  DeliveredEventQuery,
  DeliveryLogQuery,
  DeliveryAttempt,
  DeliveryHealth,
} from './deliveries.schemas.ts'
import { LOG_RETENTION_MS } from './retention.ts'
import { isSignedBy, SIGNATURE_HEADER, WEBHOOK_ID_HEADER } from './sign-delivery.ts'

const HOUR_MS = 3600_000
const HOURS = 24
/**
 * Maximum log rows scanned per query, so that a filter without matches does not read a whole month. The caller resumes
 * at the cursor that the query returns.
 */
const MAX_SCANNED_ROWS = 20_000
const MAX_WAITING_SCANNED = 5000
const MAX_FAILURES = 10
const P95_SAMPLE_SIZE = 200
const ALL_ROWS = { limit: null, offset: 0 }

/** Reads the delivery log; see `createDeliveriesService`. */
export type DeliveriesService = ReturnType<typeof createDeliveriesService>

/** Creates the service that reads the log of delivery attempts (G48). */
export function createDeliveriesService(deps: {
  clock: Clock
  webhooks: WebhooksService
  inboxes: InboxesService
}) {
  const { clock, webhooks, inboxes } = deps

  return {
    /**
     * Returns the attempts of the last 30 days, newest first; with a filter, those among the newest 20,000. Throws 404 if
     * the webhook is not in this scope.
     */
    async list(
      db: Db,
      scope: Scope,
      webhookId: string,
      { limit, offset, event, outcome }: DeliveryLogQuery,
    ) {
      await webhooks.assertExists(db, scope, webhookId)
      const now = clock.now()
      const success = outcome === undefined ? null : outcome === 'success'
      const filtered = event !== undefined || success !== null
      const rows = await listAttempts(db, scope, {
        webhookId,
        limit: limit + 1,
        offset,
        event: event ?? null,
        success,
        scan: filtered ? MAX_SCANNED_ROWS : offset + limit + 1,
        since: new Date(now - LOG_RETENTION_MS),
        now: new Date(now),
      })
      return toPage(rows.map(render), limit, offset)
    },

    /** Returns the requests of an inbox with verified signatures. Throws 404 if the inbox is not in this scope. */
    async verifiedRequests(db: Db, scope: Scope, inboxId: string): Promise<VerifiedRequests> {
      const page = { limit: MAX_REQUESTS, offset: 0 }
      const { items } = await inboxes.requests(db, scope, inboxId, page)
      const every = await webhooks.list(db, scope, ALL_ROWS)
      const names = new Map(every.map(({ id, name }) => [id, name] as const))
      const named = new Set(items.map(({ headers }) => headers[WEBHOOK_ID_HEADER] ?? ''))
      const own = await webhooks.targets(
        db,
        [...named].filter((id) => names.has(id)),
      )
      const keys = new Map(
        own.map(({ id, keys: current, previous }) => [
          id,
          [current, ...(previous ? [previous.keys] : [])],
        ]),
      )
      return {
        items: items.map((request) => {
          const { headers, body } = request
          const webhookId = headers[WEBHOOK_ID_HEADER] ?? ''
          const [webhookName, signers] = [names.get(webhookId), keys.get(webhookId)]
          if (webhookName === undefined || !signers) return { ...request, signature: null }
          const signature = headers[SIGNATURE_HEADER] ?? ''
          const genuine = signers.some((signer) => isSignedBy(signer, Buffer.from(body), signature))
          return { ...request, signature: { webhookName, genuine } }
        }),
      }
    },

    /**
     * Returns the envelope of an event of this scope. Throws 404 if the webhook is not in this scope or the
     * event has been deleted: events hold message content and are retained only briefly after their day.
     */
    async envelope(
      db: Db,
      scope: Scope,
      webhookId: string,
      eventId: string,
    ): Promise<HistoryEnvelope> {
      await webhooks.assertExists(db, scope, webhookId)
      const body = await findEventBody(db, scope, { id: eventId, now: new Date(clock.now()) })
      if (body === null) throw fail('not_found', (say) => say.webhooks.eventGone)
      return JSON.parse(body) as HistoryEnvelope
    },

    /** Returns events, newest attempt first, with every attempt. Throws 404 if the webhook is not in this scope. */
    async events(
      db: Db,
      scope: Scope,
      webhookId: string,
      query: DeliveredEventQuery,
    ): Promise<{ items: DeliveredEvent[]; before: number | null }> {
      await webhooks.assertExists(db, scope, webhookId)
      const now = new Date(clock.now())
      const { limit, outcome, event, status, q } = query
      const { rows, last } = await findNewestAttempts(db, scope, {
        webhookId,
        limit: limit + 1,
        scan: MAX_SCANNED_ROWS,
        now,
        since: new Date(clock.now() - query.hours * HOUR_MS),
        before: query.before ?? null,
        success: outcome === undefined ? null : outcome === 'success',
        event: event ?? null,
        statusClass: status === undefined ? null : Number(status.replace('none', '0').charAt(0)),
        q: q?.trim() ? q.trim() : null,
      })
      const shown = rows.slice(0, limit)
      const eventIds = shown.map(({ eventId }) => eventId)
      const ofThese = { webhookId, eventIds, now }
      const tried = await listAttemptsOfEvents(db, scope, ofThese)
      const { due, truncated } = await findNextAttempts(db, scope, {
        ...ofThese,
        most: MAX_WAITING_SCANNED,
      })
      const items = shown.map((newest) => {
        const attempts = tried.filter(({ eventId }) => eventId === newest.eventId)
        const dueAt = due.get(newest.eventId) ?? null
        const all = attempts.length > 0 ? attempts : [newest]
        // If the list of waiting deliveries was truncated, this event may be waiting even though it is not listed.
        return renderEvent(all.at(-1) ?? newest, all, { dueAt, waits: dueAt !== null || truncated })
      })
      return { items, before: rows.length > limit ? (shown.at(-1)?.id ?? null) : last }
    },

    /** Deletes hourly counts older than the log. */
    sweep: (db: Db): Promise<void> => sweepHours(db, new Date(clock.now() - LOG_RETENTION_MS)),

    /**
     * Returns statistics of the last 24 hours: counts by hour and webhook, the p95 of durations and recent failures.
     */
    async health(db: Db, scope: Scope): Promise<DeliveryHealth> {
      const now = new Date(clock.now())
      const from = Math.floor(clock.now() / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS
      const since = new Date(from)
      const hours = await listHours(db, scope, { since, now })
      const none = () => Array.from({ length: HOURS }, () => 0)
      const byWebhook = new Map<string, { delivered: number[]; failed: number[] }>()
      const times: number[][] = Array.from({ length: HOURS }, () => [])
      for (const { webhookId, hour, delivered, failed, times: took } of hours) {
        const index = (hour.getTime() - from) / HOUR_MS
        const counts = byWebhook.get(webhookId) ?? { delivered: none(), failed: none() }
        // Skip hours in the future: another node's clock may be ahead of this one's.
        if (index >= HOURS) continue
        counts.delivered[index] = delivered
        counts.failed[index] = failed
        const known = times[index] ?? []
        times[index] = took.map((count, bound) => count + (known[bound] ?? 0))
        byWebhook.set(webhookId, counts)
      }
      const failures = await listFailures(db, scope, { since, most: MAX_FAILURES, now })
      return {
        from: since.toISOString(),
        p95Ms: await findP95(db, scope, { since, each: P95_SAMPLE_SIZE, now }),
        p95ByHour: times.map(estimateP95),
        webhooks: [...byWebhook].map(([webhookId, counts]) => ({ webhookId, ...counts })),
        failures: failures.map((row) => ({
          webhookId: row.webhookId,
          webhookName: row.webhookName,
          ...render(row),
        })),
      }
    },
  }
}

function renderEvent(
  newest: LogRow,
  attempts: LogRow[],
  next: { dueAt: Date | null; waits: boolean },
): DeliveredEvent {
  const waits = !newest.success && newest.attempt < MAX_ATTEMPTS && next.waits
  return {
    eventId: newest.eventId,
    event: newest.event as EventName,
    outcome: newest.success ? 'success' : waits ? 'retrying' : 'failed',
    nextAttemptAt: waits ? (next.dueAt?.toISOString() ?? null) : null,
    attempts: attempts.map(render),
  }
}

function render(row: LogRow): DeliveryAttempt {
  return {
    id: row.id,
    event: row.event as EventName,
    attempt: row.attempt,
    statusCode: row.statusCode,
    outcome: row.success ? 'success' : 'failed',
    errorReason: row.reason,
    durationMs: row.durationMs,
    createdAt: row.createdAt.toISOString(),
  }
}
