import type { LeasedDelivery } from '../events/events.service.ts'
import type { Activity } from '../lib/activity.ts'
import type { Clock, Timer } from '../lib/clock.ts'
import type { WebhookTarget } from '../webhooks/webhooks.service.ts'
import type { AttemptOutcome } from './attempt.ts'
import type { Finisher } from './finisher.ts'
import type { Targets } from './targets.ts'

/** What waits here longer than this has its webhook read again before it leaves (deliveries §1.10). */
const TRUSTED_MS = 200
/** What waits longer than this is handed back, long before its lease ends (deliveries §1.7). */
const LONGEST_WAIT_MS = 10_000
const ENDPOINT_IN_FLIGHT = 64
const ENDPOINT_QUEUE = 1024
/** So many of one endpoint are held here at the most by claiming: enough to keep its connections busy. */
const ENDPOINT_CLAIM = 384
const NODE_QUEUE = 20_000
const NODE_QUEUE_BYTES = 64 * 1024 * 1024
const FINISHER_QUEUE = 10_000

type Waiting = { delivery: LeasedDelivery; since: number }
type Endpoint = { id: string; queue: Waiting[]; head: number; inFlight: number; listed: boolean }

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
  inFlight(): number
  queued(): number
  /** Attempts that have ended and are not yet written down. */
  settling(): number
  /** Takes nothing more, gives back what waits, and resolves when what is on the wire has ended. */
  stop(): Promise<void>
}

/** Sends leased deliveries: a queue for each webhook, taken in turns, with a cap for each and for the node. */
export function createDispatcher(deps: {
  clock: Clock
  activity: Activity
  targets: Targets
  finisher: Finisher
  mostInFlight: number
  attempt: (delivery: LeasedDelivery, target: WebhookTarget) => Promise<AttemptOutcome>
  release: (ids: number[], afterMs: number) => Promise<void>
  onOutcome: (delivery: LeasedDelivery, outcome: AttemptOutcome, lagMs: number) => void
  onError: (error: unknown) => void
}): Dispatcher {
  const { clock, activity, targets, finisher, mostInFlight, onOutcome, onError } = deps
  const endpoints = new Map<string, Endpoint>()
  const retries = new Map<number, Timer>()
  /** Whatever of ours waits, is on the wire or is being finished: its lease is renewed. */
  const held = new Set<number>()
  /** Endpoints that have something to send and may; taken from the front, put back at the end. */
  let turn: Endpoint[] = []
  let queued = 0
  let queuedBytes = 0
  let inFlight = 0
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

  async function send(endpoint: Endpoint, waiting: Waiting): Promise<void> {
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
      onError(error)
      giveBack([delivery.id], 1000)
    } finally {
      // The place on the wire is free again: writing down how it ended needs none.
      inFlight--
      endpoint.inFlight--
      enlist(endpoint)
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
      onError(error)
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
    held.add(delivery.id)
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

  function enlist(endpoint: Endpoint): void {
    const waits = endpoint.queue.length > endpoint.head
    if (waits && !endpoint.listed && endpoint.inFlight < ENDPOINT_IN_FLIGHT) {
      endpoint.listed = true
      turn.push(endpoint)
    }
    if (!waits && endpoint.inFlight === 0) endpoints.delete(endpoint.id)
  }

  function takeFrom(endpoint: Endpoint): Waiting | null {
    const waiting = endpoint.queue[endpoint.head]
    if (!waiting) return null
    if (++endpoint.head === endpoint.queue.length) {
      endpoint.queue = []
      endpoint.head = 0
    }
    queued--
    queuedBytes -= waiting.delivery.event.body.length
    return waiting
  }

  function pump(): void {
    const late: number[] = []
    while (!stopping && inFlight < mostInFlight && settling < FINISHER_QUEUE) {
      const endpoint = turn.shift()
      if (!endpoint) break
      endpoint.listed = false
      const waiting = takeFrom(endpoint)
      if (waiting && clock.monotonic() - waiting.since > LONGEST_WAIT_MS) {
        late.push(waiting.delivery.id)
      } else if (waiting) {
        inFlight++
        endpoint.inFlight++
        void activity.run(() => send(endpoint, waiting))
      }
      enlist(endpoint)
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
      const { webhookId: id } = delivery
      let endpoint = endpoints.get(id)
      if (!endpoint) {
        endpoint = { id, queue: [], head: 0, inFlight: 0, listed: false }
        endpoints.set(id, endpoint)
      }
      held.add(delivery.id)
      endpoint.queue.push({ delivery, since })
      queued++
      queuedBytes += delivery.event.body.length
      enlist(endpoint)
    }
    pump()
  }

  const full = () =>
    stopping || queued + retries.size >= NODE_QUEUE || queuedBytes >= NODE_QUEUE_BYTES

  return {
    accept,
    finish,
    room(webhookId) {
      const endpoint = endpoints.get(webhookId)
      const taken = endpoint ? endpoint.queue.length - endpoint.head + endpoint.inFlight : 0
      return full() ? 0 : Math.max(0, ENDPOINT_CLAIM - taken)
    },
    fullWebhooks: () =>
      [...endpoints.values()]
        .filter((endpoint) => endpoint.queue.length - endpoint.head >= ENDPOINT_QUEUE)
        .map((endpoint) => endpoint.id),
    holds: (id) => held.has(id),
    nodeFull: full,
    inFlight: () => inFlight,
    queued: () => queued + retries.size,
    settling: () => settling,
    async stop() {
      stopping = true
      const waiting = [...endpoints.values()].flatMap((endpoint) =>
        endpoint.queue.slice(endpoint.head).map((entry) => entry.delivery.id),
      )
      for (const timer of retries.values()) timer.cancel()
      giveBack([...waiting, ...retries.keys()], 0)
      endpoints.clear()
      retries.clear()
      turn = []
      queued = 0
      queuedBytes = 0
      await activity.idle()
    },
  }
}
