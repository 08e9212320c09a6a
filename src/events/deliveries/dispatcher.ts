import { LEASE_MS, type LeasedDelivery } from '../events.service.ts'
import type { Activity } from '../../kernel/activity.ts'
import type { Clock, Timer } from '../../kernel/clock.ts'
import type { WebhookTarget } from '../webhooks/webhooks.service.ts'
import type { AttemptOutcome } from './attempt.ts'
import type { Lane } from './endpoint-health.ts'
import type { Finisher } from './finisher.ts'
import type { Lanes, Place } from './lanes.ts'
import type { Targets } from './targets.ts'

/** What waits here longer than this has its webhook read again before it leaves (deliveries §1.10). */
const TRUSTED_MS = 200
/** What waits longer than this is handed back, long before its lease ends (deliveries §1.7). */
const LONGEST_WAIT_MS = 10_000
const NODE_QUEUE = 20_000
const NODE_QUEUE_BYTES = 64 * 1024 * 1024
const FINISHER_QUEUE = 10_000

export type Waiting = { delivery: LeasedDelivery; since: number }

export type Dispatcher = {
  accept(deliveries: LeasedDelivery[]): void
  /** Ends an attempt and times its retry; also for one that ended before it was sent. */
  finish(delivery: LeasedDelivery, outcome: AttemptOutcome): Promise<void>
  /** How many more of this webhook could be taken now. */
  room(webhookId: string): number
  fullWebhooks(): string[]
  nodeFull(): boolean
  /** Whether this delivery waits here, is on the wire or is being finished. */
  holds(id: number): boolean
  /** What is held here by a lease that ends before then. */
  endingLeases(before: number): number[]
  extended(ids: number[], until: number): void
  inFlight(lane: Lane): number
  /** Waiting for a place on the wire. */
  waiting(): number
  /** Waiting for the time of their retry. */
  retrying(): number
  /** Attempts that have ended and are not yet written down. */
  settling(): number
  /** Takes nothing more, gives back what waits, and resolves when what is on the wire has ended. */
  stop(): Promise<void>
}

/** Sends leased deliveries, each when its lane gives it a place, and times the near retries. */
export function createDispatcher(deps: {
  clock: Clock
  activity: Activity
  targets: Targets
  finisher: Finisher
  lanes: Lanes<Waiting>
  attempt: (delivery: LeasedDelivery, target: WebhookTarget) => Promise<AttemptOutcome>
  release: (ids: number[], afterMs: number) => Promise<void>
  onOutcome: (delivery: LeasedDelivery, outcome: AttemptOutcome, lagMs: number) => void
  onError: (error: unknown, task?: string) => void
}): Dispatcher {
  const { clock, activity, targets, finisher, lanes, onOutcome, onError } = deps
  const retries = new Map<number, Timer>()
  /** Whatever of ours waits, is on the wire or is being finished, and when its lease ends. */
  const held = new Map<number, number>()
  let queued = 0
  let queuedBytes = 0
  let settling = 0
  let stopping = false

  const giveBack = (ids: number[], afterMs: number) => {
    for (const id of ids) held.delete(id)
    if (ids.length > 0) void activity.run(() => deps.release(ids, afterMs)).catch(onError)
  }

  /** Whether the delivery may still leave; reads the webhook again unless it was judged just now. */
  async function admit({ delivery, since }: Waiting): Promise<WebhookTarget | null> {
    const seen = targets.seen(delivery.webhookId)
    const fresh = delivery.attempt === 1 && clock.monotonic() - since <= TRUSTED_MS
    if (seen && fresh && seen.generation === delivery.webhookGeneration) return seen
    const target = await targets.read(delivery.webhookId)
    const current = target?.enabled && target.generation === delivery.webhookGeneration
    return current ? target : null
  }

  async function send(place: Place<Waiting>): Promise<void> {
    const { item: waiting } = place
    const { delivery } = waiting
    let outcome: AttemptOutcome | null = null
    try {
      const target = await admit(waiting)
      if (target) {
        const lagMs = clock.now() - delivery.dueAt
        outcome = await deps.attempt(delivery, target)
        onOutcome(delivery, outcome, lagMs)
      } else held.delete(delivery.id)
    } catch (error) {
      onError(error, `delivery ${delivery.id} of webhook ${delivery.webhookId}`)
      giveBack([delivery.id], 1000)
    } finally {
      // The place on the wire is free again: writing down how it ended needs none.
      lanes.leave(place, outcome)
      pump()
    }
    if (outcome?.ours) giveBack([delivery.id], 1000)
    else if (outcome) await settle(delivery, outcome)
  }

  async function settle(delivery: LeasedDelivery, outcome: AttemptOutcome): Promise<void> {
    settling++
    try {
      await finish(delivery, outcome)
    } catch (error) {
      onError(error, `delivery ${delivery.id} of webhook ${delivery.webhookId}`)
      giveBack([delivery.id], 1000)
    } finally {
      settling--
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
      giveBack([delivery.id], retry.inMs)
      return
    }
    const timer = clock.after(retry.inMs, () => {
      retries.delete(delivery.id)
      accept([retry.delivery])
    })
    retries.set(delivery.id, timer)
  }

  function pump(): void {
    const late: number[] = []
    while (!stopping && settling < FINISHER_QUEUE) {
      const place = lanes.take()
      if (!place) break
      const { delivery, since } = place.item
      queued--
      queuedBytes -= delivery.event.body.length
      if (clock.monotonic() - since > LONGEST_WAIT_MS) {
        late.push(delivery.id)
        lanes.leave(place, null)
      } else void activity.run(() => send(place))
    }
    giveBack(late, 0)
  }

  function accept(deliveries: LeasedDelivery[]): void {
    if (stopping) {
      const ids = deliveries.map((delivery) => delivery.id)
      giveBack(ids, 0)
      return
    }
    const since = clock.monotonic()
    for (const delivery of deliveries) {
      held.set(delivery.id, clock.now() + LEASE_MS)
      queued++
      queuedBytes += delivery.event.body.length
      lanes.push(delivery.webhookId, delivery.projectId, { delivery, since })
    }
    pump()
  }

  const full = () =>
    stopping || queued + retries.size >= NODE_QUEUE || queuedBytes >= NODE_QUEUE_BYTES

  return {
    accept,
    finish,
    room: (webhookId) => (full() ? 0 : lanes.room(webhookId)),
    fullWebhooks: lanes.full,
    holds: (id) => held.has(id),
    endingLeases: (before) => [...held].flatMap(([id, until]) => (until < before ? [id] : [])),
    extended(ids, until) {
      for (const id of ids) if (held.has(id)) held.set(id, until)
    },
    nodeFull: full,
    inFlight: lanes.inFlight,
    waiting: () => queued,
    retrying: () => retries.size,
    settling: () => settling,
    async stop() {
      stopping = true
      const waiting = lanes.clear().map(({ delivery }) => delivery.id)
      for (const timer of retries.values()) timer.cancel()
      giveBack([...waiting, ...retries.keys()], 0)
      retries.clear()
      queued = 0
      queuedBytes = 0
      await activity.idle()
    },
  }
}
