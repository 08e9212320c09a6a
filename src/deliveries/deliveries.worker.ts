import { availableParallelism } from 'node:os'
import type { BusTopics } from '../bus/bus.port.ts'
import type { Db } from '../db/sql.ts'
import type { DeliveryIntake, LeasedDelivery } from '../events/events.service.ts'
import { LEASE_MS } from '../events/events.service.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Activity } from '../lib/activity.ts'
import { random } from '../lib/ids.ts'
import { createLoop } from '../lib/loop.ts'
import { say } from '../phrases/phrases.ts'
import type { WebhooksService } from '../webhooks/webhooks.service.ts'
import { attemptDelivery, type AttemptDeps, type AttemptOutcome } from './attempt.ts'
import {
  anyDue,
  claimDeliveries,
  listDueWebhooks,
  listEndingLeases,
  purgeStale,
  releaseDeliveries,
  renewLeases,
  type ClaimedRow,
} from './deliveries.sql.ts'
import { createDispatcher } from './dispatcher.ts'
import { createFinisher } from './finisher.ts'
import { createTargets } from './targets.ts'

const POLL_MS = 250
const WEBHOOKS_PER_CLAIM = 512
const CLAIM_AT_ONCE = 2000
const RENEW_MS = 5000
const RENEW_BEFORE_MS = 15_000
const PURGE_BATCH = 5000
/** From this many crashes in the middle of one attempt, the attempt counts as failed (deliveries §1.6). */
const CRASHES_FORGIVEN = 2
const MOST_IN_FLIGHT = 512 * availableParallelism()

export type DeliveriesWorker = DeliveryIntake & { backlog(): number; stop(): Promise<void> }

/**
 * Delivers: takes what is recorded on this node straight from its commit, and claims retries, spill and what
 * crashed nodes left. Source: deliveries §1.
 */
export function startDeliveriesWorker(
  deps: AttemptDeps & {
    db: Db
    activity: Activity
    bus: BusTopics
    webhooks: WebhooksService
    metrics: Metrics
    node: { id: string; epoch: number }
    onError: (error: unknown) => void
  },
): DeliveriesWorker {
  const { db, clock, activity, bus, webhooks, metrics, node, onError } = deps
  const lease = { node: node.id, epoch: node.epoch }
  const count = createCounters(metrics)
  const targets = createTargets({ db, webhooks, activity })
  const finisher = createFinisher({
    db,
    clock,
    activity,
    lease,
    onFenced: (fenced) => count.fenced.inc(fenced),
    onError,
  })
  const dispatcher = createDispatcher({
    clock,
    activity,
    targets,
    finisher,
    mostInFlight: MOST_IN_FLIGHT,
    attempt: (delivery, target) => attemptDelivery(deps, delivery, target),
    release: (ids, afterMs) => releaseDeliveries(db, lease, ids, new Date(clock.now() + afterMs)),
    onOutcome: count.outcome,
    onError,
  })
  metrics.gauge('wh_inflight', 'Delivery attempts on the wire', dispatcher.inFlight)
  metrics.gauge('wh_queue', 'Deliveries leased and waiting here', dispatcher.queued)

  async function claim(): Promise<boolean> {
    const now = clock.now()
    if (dispatcher.nodeFull() || !(await anyDue(db, new Date(now)))) return false
    const except = dispatcher.fullWebhooks()
    const due = await listDueWebhooks(db, new Date(now), except, WEBHOOKS_PER_CLAIM)
    let budget = CLAIM_AT_ONCE
    const wanted = due.flatMap((id) => {
      const quota = Math.min(dispatcher.room(id), budget)
      budget -= quota
      return quota > 0 ? [{ id, quota }] : []
    })
    if (wanted.length === 0) return false
    const until = new Date(now + LEASE_MS)
    const rows = await claimDeliveries(db, { ...lease, webhooks: wanted }, new Date(now), until)
    const interrupted = rows.filter((row) => row.crashCount > CRASHES_FORGIVEN)
    for (const row of interrupted) await dispatcher.finish(toDelivery(row), INTERRUPTED)
    const sound = rows.filter((row) => row.crashCount <= CRASHES_FORGIVEN)
    dispatcher.accept(sound.map(toDelivery))
    return rows.length > 0
  }

  /** Renews the leases of what this node still holds and gives back what it has lost sight of. */
  async function renew(): Promise<boolean> {
    const now = clock.now()
    const ending = await listEndingLeases(db, lease, new Date(now + RENEW_BEFORE_MS))
    const held = ending.filter(dispatcher.holds)
    const lost = ending.filter((id) => !dispatcher.holds(id))
    if (held.length > 0) await renewLeases(db, lease, held, new Date(now + LEASE_MS))
    if (lost.length > 0) await releaseDeliveries(db, lease, lost, new Date(now))
    return false
  }

  const everyMs = () => POLL_MS * (0.8 + 0.4 * random())
  const loop = createLoop({ clock, activity, everyMs, run: claim, onError })
  const renewal = createLoop({ clock, activity, everyMs: () => RENEW_MS, run: renew, onError })
  const unsubscribe = [
    bus.subscribe('deliveries', loop.wake),
    bus.subscribe('webhooks', (id) => {
      targets.forget(id)
      void activity.run(() => purge(db, id)).catch(onError)
    }),
  ]
  return {
    lease: () => ({
      ...lease,
      fullWebhooks: dispatcher.fullWebhooks(),
      nodeFull: dispatcher.nodeFull(),
    }),
    accept: dispatcher.accept,
    backlog: () => dispatcher.queued() + dispatcher.inFlight() + dispatcher.settling(),
    async stop() {
      for (const end of unsubscribe) end()
      await loop.stop()
      await renewal.stop()
      await dispatcher.stop()
    },
  }
}

const INTERRUPTED: AttemptOutcome = {
  success: false,
  statusCode: null,
  reason: say.deliveries.network(say.deliveries.interrupted),
  cancelled: false,
  ours: false,
  durationMs: 0,
}

function toDelivery(row: ClaimedRow): LeasedDelivery {
  const { id, webhookId, webhookGeneration, attempt, dueAt, eventId, eventName, body } = row
  const event = { id: eventId, name: eventName, body }
  return { id, webhookId, webhookGeneration, attempt, dueAt: dueAt.getTime(), event }
}

async function purge(db: Db, webhookId: string): Promise<void> {
  while ((await purgeStale(db, webhookId, PURGE_BATCH)) === PURGE_BATCH);
}

function createCounters(metrics: Metrics) {
  const attempts = metrics.counter('wh_attempts_total', 'Delivery attempts', ['outcome', 'attempt'])
  const lag = metrics.histogram(
    'wh_lag_seconds',
    'From due to start of an attempt',
    [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  )
  /** Finding a series by its labels costs more than counting: the few there are, are found once. */
  const series = (['success', 'failed'] as const).map((outcome) =>
    Array.from({ length: 7 }, (_, attempt) => attempts.labels(outcome, String(attempt))),
  )
  return {
    fenced: metrics.counter('wh_fenced_acks_total', 'Attempts whose lease had moved on'),
    outcome(delivery: LeasedDelivery, outcome: AttemptOutcome, lagMs: number) {
      series[outcome.success ? 0 : 1]?.[delivery.attempt]?.inc()
      lag.observe(Math.max(0, lagMs) / 1000)
    },
  }
}
