import { LEASE_MS, type LeasedDelivery } from '../events.service.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock, Timer } from '../../kernel/clock.ts'
import type { WebhookTarget } from '../webhooks/webhooks.service.ts'
import type { AttemptOutcome } from './attempt.ts'
import type { Lane } from './endpoint-health.ts'
import type { Finisher } from './finisher.ts'
import type { Lanes, Slot } from './lanes.ts'
import { createProjectLoad } from './project-load.ts'
import type { Targets } from './targets.ts'

/** The webhook of a delivery that was queued for longer than this is reread before sending (G50). */
const TARGET_CACHE_MS = 200
/** A delivery queued longer than this is released, well before its lease expires (G50). */
const MAX_QUEUED_MS = 10_000
const MAX_UNSTORED_RESULTS = 10_000
/**
 * Attempts of the slow lane that begin within `SLOW_INTERVAL_MS`. A failed attempt costs more than a successful one,
 * and thousands fail at once when a host goes down: unpaced, they hold up all other requests for seconds.
 */
const SLOW_BATCH_SIZE = 8
const SLOW_INTERVAL_MS = 10

/** A queued delivery; `since` is the monotonic time at which it was queued, in milliseconds. */
export type QueuedDelivery = { delivery: LeasedDelivery; since: number }

/** Sends the deliveries leased to this node and keeps track of those it holds. */
export type Dispatcher = {
  accept(deliveries: LeasedDelivery[]): void
  /** Stores the outcome of an attempt and schedules its retry; also for attempts that ended without being sent. */
  finish(delivery: LeasedDelivery, outcome: AttemptOutcome): Promise<void>
  /** Returns how many more deliveries of this webhook could be queued now. */
  room(webhook: { id: string; projectId: string }): number
  fullWebhooks(): string[]
  /** Lists the Projects whose share of the queue is full. */
  fullProjects(): string[]
  /** Whether the queue is full for every Project. */
  nodeFull(): boolean
  /** Returns whether this delivery is queued here, in flight, waiting for its retry or being written back. */
  holds(id: number): boolean
  /** Lists the held deliveries whose lease expires before `before`, in epoch milliseconds. */
  expiringLeases(before: number): number[]
  leasesExtended(ids: number[], until: number): void
  inFlight(lane: Lane): number
  /** Number of deliveries waiting for a free slot. */
  waiting(): number
  /** Number of deliveries waiting for their retry. */
  retrying(): number
  /** Number of attempts that have ended and whose result is not stored yet. */
  unstored(): number
  /** Rejects new deliveries, releases the queued ones, and resolves when all attempts in flight have ended. */
  stop(): Promise<void>
}

/**
 * Creates the dispatcher: sends each leased delivery when its lane has a free slot, and schedules early retries in
 * memory.
 */
export function createDispatcher(deps: {
  clock: Clock
  activity: PendingWork
  targets: Targets
  finisher: Finisher
  lanes: Lanes<QueuedDelivery>
  attempt: (delivery: LeasedDelivery, target: WebhookTarget) => Promise<AttemptOutcome>
  release: (ids: number[], afterMs: number) => Promise<void>
  /** Resolves after this many milliseconds of real time, because it spares the event loop. */
  pause: (ms: number) => Promise<void>
  onOutcome: (delivery: LeasedDelivery, outcome: AttemptOutcome, lagMs: number) => void
  onError: (error: unknown, task?: string) => void
}): Dispatcher {
  const { clock, activity, targets, finisher, lanes, onOutcome, onError } = deps
  const retries = new Map<number, Timer>()
  /**
   * Lease expiry, in epoch milliseconds, of each delivery queued, in flight, waiting to retry or being written back.
   */
  const held = new Map<number, number>()
  /** The deliveries that are queued or wait for their retry. */
  const load = createProjectLoad()
  let queued = 0
  let unstored = 0
  let stopping = false
  /** Attempts of the slow lane that have begun since the last pause. */
  let slowBegun = 0

  const releaseLeases = (ids: number[], afterMs: number) => {
    for (const id of ids) held.delete(id)
    if (ids.length > 0)
      void activity
        .run(() => deps.release(ids, afterMs))
        .catch((error: unknown) => onError(error, `releasing deliveries ${ids.join(', ')}`))
  }

  /**
   * Returns the target if the delivery may still be sent, else null. The cached webhook is trusted only for a first
   * attempt that was queued less than `TARGET_CACHE_MS` ago.
   */
  async function currentTarget({ delivery, since }: QueuedDelivery): Promise<WebhookTarget | null> {
    const seen = targets.cached(delivery.webhookId)
    const fresh = delivery.attempt === 1 && clock.monotonic() - since <= TARGET_CACHE_MS
    if (seen && fresh && seen.generation === delivery.webhookGeneration) return seen
    const target = await targets.read(delivery.webhookId)
    const current = target?.enabled && target.generation === delivery.webhookGeneration
    return current ? target : null
  }

  async function send(slot: Slot<QueuedDelivery>): Promise<void> {
    const { item: waiting } = slot
    const { delivery } = waiting
    let outcome: AttemptOutcome | null = null
    try {
      const target = await currentTarget(waiting)
      if (target?.moves) releaseLeases([delivery.id], 0)
      else if (target) {
        const lagMs = clock.now() - delivery.dueAt
        outcome = await deps.attempt(delivery, target)
        onOutcome(delivery, outcome, lagMs)
      } else held.delete(delivery.id)
    } catch (error) {
      onError(error, `sending delivery ${delivery.id} of webhook ${delivery.webhookId}`)
      releaseLeases([delivery.id], 1000)
    } finally {
      // Release the slot first, because storing the result needs none.
      lanes.release(slot, outcome)
      pump()
    }
    if (outcome?.localFault) releaseLeases([delivery.id], 1000)
    else if (outcome) await storeResult(delivery, outcome)
  }

  async function storeResult(delivery: LeasedDelivery, outcome: AttemptOutcome): Promise<void> {
    unstored++
    try {
      await finish(delivery, outcome)
    } catch (error) {
      onError(
        error,
        `storing the result of delivery ${delivery.id} of webhook ${delivery.webhookId}`,
      )
      releaseLeases([delivery.id], 1000)
    } finally {
      unstored--
      pump()
    }
  }

  async function finish(delivery: LeasedDelivery, outcome: AttemptOutcome): Promise<void> {
    const retry = await finisher.finish(delivery, outcome)
    if (!retry) {
      held.delete(delivery.id)
      return
    }
    held.set(delivery.id, clock.now() + retry.inMs + LEASE_MS)
    if (stopping) {
      releaseLeases([delivery.id], retry.inMs)
      return
    }
    load.add(retry.delivery)
    const timer = clock.after(retry.inMs, () => {
      retries.delete(delivery.id)
      load.remove(retry.delivery)
      accept([retry.delivery])
    })
    retries.set(delivery.id, timer)
  }

  function pump(): void {
    const late: number[] = []
    while (!stopping && unstored < MAX_UNSTORED_RESULTS) {
      const slot = lanes.acquire(slowBegun < SLOW_BATCH_SIZE ? 'both' : 'healthy')
      if (!slot) break
      const { delivery, since } = slot.item
      queued--
      load.remove(delivery)
      if (clock.monotonic() - since > MAX_QUEUED_MS) {
        late.push(delivery.id)
        lanes.release(slot, null)
      } else {
        if (slot.lane === 'slow') countSlow()
        void activity.run(() => send(slot))
      }
    }
    releaseLeases(late, 0)
  }

  /** Counts an attempt of the slow lane; the first one begins the pause before the next batch. */
  function countSlow(): void {
    if (slowBegun++ > 0) return
    void activity.run(async () => {
      await deps.pause(SLOW_INTERVAL_MS)
      slowBegun = 0
      pump()
    })
  }

  function accept(deliveries: LeasedDelivery[]): void {
    if (stopping) {
      const ids = deliveries.map((delivery) => delivery.id)
      releaseLeases(ids, 0)
      return
    }
    const since = clock.monotonic()
    for (const delivery of deliveries) {
      held.set(delivery.id, clock.now() + LEASE_MS)
      queued++
      load.add(delivery)
      lanes.push(delivery.webhookId, delivery.projectId, { delivery, since })
    }
    pump()
  }

  return {
    accept,
    finish,
    room: ({ id, projectId }) => (stopping || load.isFull(projectId) ? 0 : lanes.capacityFor(id)),
    fullWebhooks: lanes.fullWebhooks,
    holds: (id) => held.has(id),
    expiringLeases: (before) => [...held].flatMap(([id, until]) => (until < before ? [id] : [])),
    leasesExtended(ids, until) {
      for (const id of ids) if (held.has(id)) held.set(id, until)
    },
    fullProjects: load.fullProjects,
    nodeFull: () => stopping || load.isNodeFull(),
    inFlight: lanes.inFlight,
    waiting: () => queued,
    retrying: () => retries.size,
    unstored: () => unstored,
    async stop() {
      stopping = true
      const waiting = lanes.clear().map(({ delivery }) => delivery.id)
      for (const timer of retries.values()) timer.cancel()
      releaseLeases([...waiting, ...retries.keys()], 0)
      retries.clear()
      queued = 0
      await activity.idle()
    },
  }
}
