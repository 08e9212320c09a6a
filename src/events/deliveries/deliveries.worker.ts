import { setTimeout as pause } from 'node:timers/promises'
import type { BusTopics } from '../../platform/bus/bus.port.ts'
import { isDatabaseUnavailable } from '../../platform/db/database-errors.ts'
import { UNWATCHED_POLL_MS, type DueWatch } from '../../platform/db/due-watch.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { DeliveryIntake, LeasedDelivery } from '../events.service.ts'
import { LEASE_MS } from '../events.service.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { Tracing } from '../../platform/tracing/tracing.port.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { delay } from '../../kernel/clock.ts'
import { random } from '../../kernel/ids.ts'
import { createLoop } from '../../kernel/loop.ts'
import type { WebhooksService } from '../webhooks/webhooks.service.ts'
import { attemptDelivery, interrupted, type AttemptDeps } from './attempt.ts'
import {
  anyVisible,
  claimDeliveries,
  findNextVisible,
  listDueWebhooks,
  purgeStale,
  releaseDeliveries,
  renewLeases,
  type ClaimedRow,
  type DueWebhook,
} from './deliveries.sql.ts'
import { createDeliveryMetrics } from './delivery-metrics.ts'
import { createDispatcher, type QueuedDelivery } from './dispatcher.ts'
import { createFinisher } from './finisher.ts'
import { createLanes } from './lanes.ts'
import type { MediaLinks } from './media-links.ts'
import { createPurger } from './purger.ts'
import { shareBudget } from './share-budget.ts'
import { createTargets } from './targets.ts'
import { traceAttempt } from './trace-attempt.ts'

/** Deliveries that become visible within this time are claimed on time by a timer. */
const LOOKAHEAD_MS = 1500
const MIN_POLL_MS = 250
const WEBHOOKS_PER_CLAIM = 512
/** A backlog is claimed in small batches, so that new deliveries do not queue behind a flood of old ones. */
const CLAIM_BATCH_SIZE = 128
const BACKLOG_POLL_MS = 20
const RENEW_INTERVAL_MS = 5000
const RENEW_MARGIN_MS = 15_000
const PURGE_BATCH_SIZE = 5000
const DATABASE_RETRY_MS = 500
/** An attempt during which nodes crashed more often than this counts as failed (G50). */
const MAX_CRASHES = 2

/** The deliveries worker: its queue, the number of deliveries it holds, and how to stop it. */
export type DeliveriesWorker = DeliveryIntake & { backlog(): number; stop(): Promise<void> }

/**
 * Starts the worker that sends deliveries. Events recorded on this node are queued directly after their commit;
 * retries, overflow and deliveries of crashed nodes are claimed from the database (G50).
 */
export function startDeliveriesWorker(
  deps: AttemptDeps & {
    db: Db
    activity: PendingWork
    bus: BusTopics
    dueWatch: DueWatch
    webhooks: WebhooksService
    metrics: Metrics
    tracing: Tracing
    mediaLinks: MediaLinks
    node: { id: string; epoch: number; aliveNodes(): number }
    /** Maximum attempts in flight at once on this node. */
    maxInFlight: number
    onError: (error: unknown, task?: string) => void
  },
): DeliveriesWorker {
  const {
    db,
    clock,
    activity,
    bus,
    dueWatch,
    webhooks,
    metrics,
    tracing,
    mediaLinks,
    node,
    onError,
  } = deps
  const lease = { node: node.id, epoch: node.epoch }
  const count = createDeliveryMetrics(metrics)
  const targets = createTargets({ db, clock, webhooks, activity })
  const finisher = createFinisher({
    db,
    clock,
    activity,
    lease,
    onFenced: (fenced) => count.fenced.inc(fenced),
    onError,
  })
  /**
   * Releases leases, retrying while the database is unavailable: until they expire, no other node may claim the rows.
   */
  async function release(ids: number[], afterMs: number): Promise<void> {
    for (;;) {
      try {
        await releaseDeliveries(db, lease, ids, new Date(clock.now() + afterMs))
        return
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error
        await delay(clock, DATABASE_RETRY_MS)
      }
    }
  }

  const dispatcher = createDispatcher({
    clock,
    activity,
    targets,
    finisher,
    lanes: createLanes<QueuedDelivery>({ places: deps.maxInFlight, nodes: node.aliveNodes }),
    attempt: (delivery, target) => attemptDelivery(deps, mediaLinks(delivery, target), target),
    release,
    pause,
    onOutcome: (delivery, outcome, lagMs) => {
      const traceId = traceAttempt({ tracing, clock }, delivery, outcome)
      count.attempted(delivery, outcome, lagMs, traceId)
    },
    onError,
  })

  /** The last webhook id of the previous scan; the next scan resumes there, so that no webhook is always first. */
  let cursor = ''
  let oldestDueAt: number | null = null
  let nextAt: number | null = null
  let claimed = 0

  async function listDue(now: Date): Promise<DueWebhook[]> {
    const except = dispatcher.fullWebhooks()
    const found = await listDueWebhooks(db, now, {
      after: cursor,
      except,
      most: WEBHOOKS_PER_CLAIM,
    })
    const most = WEBHOOKS_PER_CLAIM - found.length
    const passed = cursor
    cursor = most === 0 ? (found.at(-1)?.id ?? '') : ''
    if (most === 0 || passed === '') return found
    const wrapped = await listDueWebhooks(db, now, { after: '', except, most })
    return [...new Map([...found, ...wrapped].map((one) => [one.id, one])).values()]
  }

  count.watch(dispatcher, () =>
    oldestDueAt === null ? 0 : Math.max(0, clock.now() - oldestDueAt) / 1000,
  )

  async function claim(): Promise<boolean> {
    const now = clock.now()
    claimed = 0
    nextAt = (await findNextVisible(db))?.getTime() ?? null
    oldestDueAt = nextAt !== null && nextAt <= now ? nextAt : null
    if (dispatcher.nodeFull() || oldestDueAt === null) return false
    const due = await listDue(new Date(now))
    const wanted = shareBudget(due, dispatcher.room, CLAIM_BATCH_SIZE)
    if (wanted.length === 0) return false
    const until = new Date(now + LEASE_MS)
    // If our own lease on a row that we still hold had expired, this claim has renewed it; such rows are skipped below.
    const found = await claimDeliveries(db, { ...lease, webhooks: wanted }, new Date(now), until)
    const rows = found.filter((row) => !dispatcher.holds(row.id))
    count.expired.inc(rows.filter((row) => row.crashCount > 0).length)
    const crashing = rows.filter((row) => row.crashCount > MAX_CRASHES)
    for (const row of crashing) await dispatcher.finish(toDelivery(row), interrupted())
    const sound = rows.filter((row) => row.crashCount <= MAX_CRASHES)
    dispatcher.accept(sound.map(toDelivery))
    claimed = rows.length
    return false
  }

  /** Renews the leases of held deliveries. Any that this node lost track of become visible when their lease expires. */
  async function renew(): Promise<boolean> {
    const now = clock.now()
    const ids = dispatcher.expiringLeases(now + RENEW_MARGIN_MS)
    if (ids.length === 0) return false
    await renewLeases(db, lease, ids, new Date(now + LEASE_MS))
    dispatcher.leasesExtended(ids, now + LEASE_MS)
    return false
  }

  function everyMs(): number {
    if (claimed > 0) return BACKLOG_POLL_MS
    const untilNext = nextAt === null ? UNWATCHED_POLL_MS : nextAt - clock.now()
    return Math.min(UNWATCHED_POLL_MS, Math.max(MIN_POLL_MS, untilNext)) * (0.8 + 0.4 * random())
  }
  const loop = createLoop({
    task: 'claiming deliveries',
    clock,
    activity,
    everyMs,
    run: claim,
    onError,
  })
  const renewal = createLoop({
    task: 'renewing the leases of deliveries',
    clock,
    activity,
    everyMs: () => RENEW_INTERVAL_MS,
    run: renew,
    onError,
  })
  const purger = createPurger({
    activity,
    deleteBatch: async (webhookId) =>
      (await purgeStale(db, webhookId, PURGE_BATCH_SIZE)) === PURGE_BATCH_SIZE,
    onError,
  })
  const unsubscribe = [
    dueWatch.watch((now) => anyVisible(db, new Date(now.getTime() + LOOKAHEAD_MS)), loop.wake),
    bus.subscribe('webhooks', ({ webhookId }) => {
      targets.forget(webhookId)
      purger.purge(webhookId)
    }),
  ]
  return {
    lease: () => ({
      ...lease,
      fullWebhooks: dispatcher.fullWebhooks(),
      fullProjects: dispatcher.fullProjects(),
      nodeFull: dispatcher.nodeFull(),
    }),
    accept: dispatcher.accept,
    backlog: () =>
      dispatcher.waiting() +
      dispatcher.retrying() +
      dispatcher.inFlight('healthy') +
      dispatcher.inFlight('slow') +
      dispatcher.unstored(),
    async stop() {
      for (const end of unsubscribe) end()
      purger.stop()
      await loop.stop()
      await renewal.stop()
      await dispatcher.stop()
    },
  }
}

function toDelivery(row: ClaimedRow): LeasedDelivery {
  const { id, webhookId, projectId, webhookGeneration, attempt, dueAt, eventId, eventName, body } =
    row
  const event = { id: eventId, name: eventName, body }
  return { id, webhookId, projectId, webhookGeneration, attempt, dueAt: dueAt.getTime(), event }
}
