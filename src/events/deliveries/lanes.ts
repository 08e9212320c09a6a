import type { AttemptOutcome } from './attempt.ts'
import {
  laneOf,
  updateWindow,
  newHealth,
  MAX_WINDOW,
  type Health,
  type Lane,
} from './endpoint-health.ts'
import { createRoundRobin } from './round-robin.ts'

/** An endpoint with queued deliveries or attempts in flight. */
type Endpoint<Item> = {
  id: string
  projectId: string
  health: Health
  lane: Lane
  queue: Item[]
  head: number
  inFlight: number
  listed: boolean
}

/** A concurrency slot, occupied by an attempt of `endpoint` until it is released with `release`. */
export type Slot<Item> = { endpoint: Endpoint<Item>; lane: Lane; item: Item }

/** The queues of all endpoints, limited by the concurrency slots of this node. */
export type Lanes<Item> = {
  push(webhookId: string, projectId: string, item: Item): void
  /** Takes the next item and a slot for it, of the healthy lane or of both; null if no queued item may be sent now. */
  acquire(from: 'healthy' | 'both'): Slot<Item> | null
  /** Releases the slot; `outcome` is null if no request was made. */
  release(place: Slot<Item>, outcome: AttemptOutcome | null): void
  /** Returns how many more items of this webhook to claim: enough to keep its slots occupied. */
  capacityFor(webhookId: string): number
  /** Lists the webhooks whose queue is full. */
  fullWebhooks(): string[]
  inFlight(lane: Lane): number
  /** Removes and returns all queued items. */
  clear(): Item[]
}

/** Maximum deliveries queued in memory per healthy endpoint; the overflow stays in the database. */
const MAX_HEALTHY_QUEUE = 1024
const HEALTHY_CLAIM_SIZE = 32
/** Deliveries queued in memory for a slow endpoint beyond its share of slots; its backlog stays in the database. */
const SLOW_MARGIN = 4
const MAX_SLOW_SHARE = 32
const CACHE_SIZE = 50_000

/**
 * Creates the two lanes that share the concurrency slots of this node. Endpoints whose last attempt failed or that
 * respond slowly are in the slow lane, which gets at most half of the slots, divided evenly. Within a lane, endpoints
 * are served round-robin. The endpoints of one Project get at most half of the slots, so that a host that stops
 * answering all of them leaves slots to others (G51).
 */
export function createLanes<Item>(options: {
  /** Maximum attempts in flight on this node. */
  places: number
  /** Returns the number of nodes that deliver to the same endpoints. */
  nodes: () => number
}): Lanes<Item> {
  const { places, nodes } = options
  const slowSlots = places >> 1
  const slotsPerProject = Math.max(1, places >> 1)
  /** The rest of its slots is for its healthy endpoints. */
  const slowSlotsPerProject = Math.max(1, Math.floor((slotsPerProject * 3) / 4))
  const endpoints = new Map<string, Endpoint<Item>>()
  const healths = new Map<string, Health>()
  const queues = {
    healthy: createRoundRobin<Endpoint<Item>>(),
    slow: createRoundRobin<Endpoint<Item>>(),
  }
  const inFlight = { healthy: 0, slow: 0 }
  /** By Project; no entry means none. */
  const inFlightOf = new Map<string, Record<Lane, number>>()
  /** Endpoints with deliveries to send whose Project has all its slots, by Project. They count as listed. */
  const parked = new Map<string, Record<Lane, Endpoint<Item>[]>>()
  let slowEndpoints = 0
  let slowTurn = false
  const fullWebhooks = new Set<string>()

  const lengthOf = (endpoint: Endpoint<Item>) => endpoint.queue.length - endpoint.head

  function find(id: string, projectId: string): Endpoint<Item> {
    const known = endpoints.get(id)
    if (known) return known
    const health = healths.get(id) ?? newHealth()
    if (healths.size >= CACHE_SIZE) healths.clear()
    healths.set(id, health)
    const lane = laneOf(health)
    const endpoint = { id, projectId, health, lane, queue: [], head: 0, inFlight: 0, listed: false }
    endpoints.set(id, endpoint)
    if (lane === 'slow') slowEndpoints++
    return endpoint
  }

  /** Returns how many attempts to this endpoint may be in flight at once. */
  function shareOf({ lane, health }: Endpoint<Item>): number {
    const share =
      lane === 'healthy'
        ? Math.min(health.window, MAX_WINDOW / nodes())
        : Math.min(MAX_SLOW_SHARE, slowSlots / slowEndpoints)
    return Math.max(1, Math.floor(share))
  }

  /** Updates the lists that hold an endpoint. Call after each change to it. */
  function relist(endpoint: Endpoint<Item>): void {
    const maxQueued = endpoint.lane === 'healthy' ? MAX_HEALTHY_QUEUE : shareOf(endpoint)
    if (lengthOf(endpoint) >= maxQueued) fullWebhooks.add(endpoint.id)
    else fullWebhooks.delete(endpoint.id)
    const waits = lengthOf(endpoint) > 0
    if (waits && !endpoint.listed && endpoint.inFlight < shareOf(endpoint)) {
      endpoint.listed = true
      queues[endpoint.lane].add(endpoint)
    }
    if (!waits && endpoint.inFlight === 0 && endpoints.delete(endpoint.id)) {
      if (endpoint.lane === 'slow') slowEndpoints--
    }
  }

  function countInFlight({ projectId }: Endpoint<Item>, lane: Lane, change: 1 | -1): void {
    inFlight[lane] += change
    const own = inFlightOf.get(projectId) ?? { healthy: 0, slow: 0 }
    own[lane] += change
    if (own.healthy + own.slow > 0) inFlightOf.set(projectId, own)
    else inFlightOf.delete(projectId)
  }

  /** Sets an endpoint aside if its Project has all its slots; returns whether it did. */
  function park(endpoint: Endpoint<Item>): boolean {
    const { projectId, lane } = endpoint
    const { healthy, slow } = inFlightOf.get(projectId) ?? { healthy: 0, slow: 0 }
    const isFull = healthy + slow >= slotsPerProject
    if (!isFull && (lane === 'healthy' || slow < slowSlotsPerProject)) return false
    endpoint.listed = true
    const others = parked.get(projectId) ?? { healthy: [], slow: [] }
    others[lane].push(endpoint)
    parked.set(projectId, others)
    return true
  }

  /** Lists the endpoints of the Project, one of each lane, that have been set aside for longest. */
  function unpark(projectId: string): void {
    const waiting = parked.get(projectId)
    if (!waiting) return
    const next = [waiting.healthy.shift(), waiting.slow.shift()]
    if (waiting.healthy.length + waiting.slow.length === 0) parked.delete(projectId)
    for (const endpoint of next) {
      if (!endpoint) continue
      endpoint.listed = false
      relist(endpoint)
    }
  }

  /** Returns the next endpoint, alternating between lanes. It may have changed lanes since it was listed. */
  function nextEndpoint(from: 'healthy' | 'both'): Endpoint<Item> | null {
    const slowOpen = from === 'both' && inFlight.slow < slowSlots
    slowTurn = !slowTurn
    const order: Lane[] = slowTurn ? ['slow', 'healthy'] : ['healthy', 'slow']
    for (const lane of order) {
      if (lane === 'slow' && !slowOpen) continue
      for (let endpoint = queues[lane].next(); endpoint; endpoint = queues[lane].next()) {
        endpoint.listed = false
        if (park(endpoint)) continue
        if (endpoint.lane === 'healthy' || slowOpen) return endpoint
        relist(endpoint)
      }
    }
    return null
  }

  return {
    push(webhookId, projectId, item) {
      const endpoint = find(webhookId, projectId)
      endpoint.queue.push(item)
      relist(endpoint)
    },
    acquire(from) {
      if (inFlight.healthy + inFlight.slow >= places) return null
      const endpoint = nextEndpoint(from)
      const item = endpoint?.queue[endpoint.head]
      if (!endpoint || item === undefined) return null
      if (++endpoint.head === endpoint.queue.length) {
        endpoint.queue = []
        endpoint.head = 0
      }
      const { lane } = endpoint
      endpoint.inFlight++
      countInFlight(endpoint, lane, 1)
      relist(endpoint)
      return { endpoint, lane, item }
    },
    release({ endpoint, lane }, outcome) {
      endpoint.inFlight--
      countInFlight(endpoint, lane, -1)
      if (outcome && !outcome.localFault) updateWindow(endpoint.health, outcome)
      const now = laneOf(endpoint.health)
      if (now !== endpoint.lane) {
        endpoint.lane = now
        slowEndpoints += now === 'slow' ? 1 : -1
      }
      // Those that waited come before the one that had a slot.
      unpark(endpoint.projectId)
      relist(endpoint)
    },
    capacityFor(webhookId) {
      const endpoint = endpoints.get(webhookId)
      if (!endpoint) {
        const health = healths.get(webhookId)
        return health && laneOf(health) === 'slow' ? SLOW_MARGIN : HEALTHY_CLAIM_SIZE
      }
      const taken = lengthOf(endpoint) + endpoint.inFlight
      const most =
        endpoint.lane === 'healthy' ? HEALTHY_CLAIM_SIZE : shareOf(endpoint) + SLOW_MARGIN
      return Math.max(0, most - taken)
    },
    fullWebhooks: () => [...fullWebhooks],
    inFlight: (lane) => inFlight[lane],
    clear() {
      const items = [...endpoints.values()].flatMap(({ queue, head }) => queue.slice(head))
      for (const endpoint of endpoints.values()) {
        endpoint.queue = []
        endpoint.head = 0
      }
      return items
    },
  }
}
