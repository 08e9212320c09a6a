import type { WebSocket } from 'ws'
import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { EventsService, EventsListener, RecordedEvent } from '../events.service.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { Authenticator } from '../../platform/auth/authenticator.port.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { createBatcher } from '../../kernel/batcher.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { createLoop } from '../../kernel/loop.ts'
import type { FailureKind } from '../../kernel/phrases/fail.ts'
import {
  CLOSE,
  closeSocket,
  openConnection,
  type CloseCode,
  type Connection,
  type StreamFilter,
} from './connection.ts'
import { createFrameTurns } from './frame-turns.ts'

const POLL_MS = 1000
const RECHECK_INTERVAL_MS = 5000
const HEARTBEAT_INTERVAL_MS = 2000
/**
 * If no bus message arrives from other nodes for this long, their
 * events are presumed lost, and clients must reconnect elsewhere.
 */
const BUS_TIMEOUT_MS = 5000
/** Maximum bytes buffered for all clients of this node. */
const MAX_BUFFERED_BYTES = 256 * 1024 * 1024
/** Maximum clients per Project and mode on this node. */
const MAX_CONNECTIONS_PER_SCOPE = 5000

/** Frames that are sent in one turn of the event loop, to all clients: each takes about 10 µs. */
const FRAMES_PER_TURN = 256
/** Maximum frames that wait for the clients of a Project and mode. */
const MAX_WAITING_FRAMES = 250_000

/** The lookup that streams need from the `instances` module, which is created after this one. */
export type InstanceLookup = {
  /** Returns the status of the instance. Throws 404 if it is not in the scope. */
  get(db: Db, scope: Scope, id: string): Promise<{ status: string }>
}

/** Delivers recorded events to the connected clients of this node. */
export type StreamsService = EventsListener & {
  /** Takes over the socket and sends it the scope's events from now on. */
  open(socket: WebSocket, scope: Scope, filter: StreamFilter): void
  /** Closes the socket of a refused caller with the close code for `kind`, and with `reason`, if there is one. */
  refuse(socket: WebSocket, kind: FailureKind, reason: string | null): void
  /** Calls `onEvent` with the scope's events until the returned function is called. */
  subscribe(
    scope: Pick<Scope, 'projectId' | 'mode'>,
    onEvent: (event: RecordedEvent) => void,
  ): () => void
  /** Calls `onGap` whenever events of other nodes may be missing, until the returned function is called. */
  subscribeToGaps(onGap: () => void): () => void
  /** Disconnects all clients and accepts no new ones; for shutdown. */
  disconnectAll(): void
  stop(): Promise<void>
}

/**
 * Creates the live stream of events. Clients receive events only while connected, without buffering or replay. Events
 * recorded on this node are sent immediately; those of other nodes arrive as ids over the bus and are read in batches (G53).
 */
export function createStreamsService(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  bus: BusTopics
  events: EventsService
  authenticator: Authenticator
  metrics: Metrics
  othersAlive: () => boolean
  onError: (error: unknown, task?: string) => void
}): StreamsService {
  const { db, clock, activity, bus, events, authenticator, metrics, othersAlive, onError } = deps
  const byScope = new Map<string, Set<Connection>>()
  const frames = createFrameTurns<Connection>({
    clock,
    perTurn: FRAMES_PER_TURN,
    maxWaiting: MAX_WAITING_FRAMES,
  })
  const listeners = new Map<string, Set<(event: RecordedEvent) => void>>()
  const gapListeners = new Set<() => void>()
  let count = 0
  let leaving = false
  let lastBusMessageAt = clock.monotonic()
  let checkedAt = clock.monotonic()
  let beatAt = clock.monotonic()
  const sent = metrics.counter('ws_events_total', 'Events sent to clients of the stream')
  const closed = metrics.counter(
    'ws_closed_total',
    'Client connections closed by the server, by close code',
    ['code'],
  )
  metrics.gauge('ws_connections', 'Clients of the event stream', () => count)

  const allConnections = () => [...byScope.values()].flatMap((connections) => [...connections])
  const keyOf = (scope: { projectId: string; mode: string }) => `${scope.projectId} ${scope.mode}`

  function forget(connection: Connection, code: CloseCode | null): void {
    const key = keyOf(connection.scope)
    const connections = byScope.get(key)
    if (!connections?.delete(connection)) return
    count--
    if (code !== null) closed.labels(String(code)).inc()
    if (connections.size === 0) byScope.delete(key)
  }

  /** Closes a socket for which no connection was opened. */
  function refuseSocket(socket: WebSocket, code: CloseCode, reason: string | null = null): void {
    closed.labels(String(code)).inc()
    closeSocket(socket, clock, code, reason)
  }

  function deliver(event: RecordedEvent): void {
    for (const onEvent of listeners.get(keyOf(event)) ?? []) onEvent(event)
    const connections = byScope.get(keyOf(event))
    if (!connections) return
    const envelope = Buffer.from(event.body)
    const wanting = [...connections].filter((connection) => connection.wants(event))
    const isTaken = frames.add(keyOf(event), wanting, (connection) => {
      connection.send(envelope)
      sent.inc()
    })
    // They have lost an event, so they reconnect, as slow clients do.
    if (!isTaken) for (const connection of wanting) connection.close(CLOSE.slow)
  }

  /** Reads events recorded on other nodes in batches, and sends them in the order in which their ids arrived. */
  const reader = createBatcher<{ id: string; at: Date }, void>({
    activity,
    maxItems: 500,
    maxInFlight: 1,
    async flush(keys) {
      const found = new Map((await events.read(db, keys)).map((event) => [event.id, event]))
      for (const { id } of keys) {
        const event = found.get(id)
        if (event) deliver(event)
      }
      return keys.map(() => {})
    },
  })
  const unsubscribe = [
    bus.subscribe('events', ({ eventId, at }) => {
      lastBusMessageAt = clock.monotonic()
      if (count === 0 && listeners.size === 0) return
      reader.add({ id: eventId, at: new Date(at) }).catch((error: unknown) => {
        onError(error, `reading event ${eventId}`)
        reportGap()
      })
    }),
    bus.subscribe('gap', () => reportGap()),
    // Disconnects a revoked key at once. Unannounced changes, such as an expiry, are detected within 5 s.
    bus.subscribe('changes', ({ projectId, what }) => {
      if (what !== 'keys' && what !== 'project') return
      const connections = allConnections().filter(({ scope }) => scope.projectId === projectId)
      if (connections.length > 0)
        void activity
          .run(() => recheck(connections))
          .catch((error: unknown) => onError(error, 'checking the keys of streams'))
    }),
    bus.subscribe('heartbeat', () => {
      lastBusMessageAt = clock.monotonic()
    }),
  ]

  /** Closes those connections whose key is revoked or expired, or whose Project is suspended. */
  async function recheck(all: Connection[]): Promise<void> {
    const keyIds = [...new Set(all.flatMap(({ scope }) => scope.keyId ?? []))]
    if (keyIds.length === 0) return
    const refused = await authenticator.findRejectedKeys(db, keyIds)
    for (const connection of all) {
      const failure = refused.get(connection.scope.keyId ?? '')
      if (failure) connection.close(codeFor(failure.kind))
    }
  }

  /** Sheds load when too much is buffered on this node: closes the connections with the largest buffers first. */
  function shedLoad(all: Connection[]): void {
    let total = all.reduce((sum, connection) => sum + connection.buffered(), 0)
    if (total <= MAX_BUFFERED_BYTES) return
    for (const connection of all.toSorted((a, b) => b.buffered() - a.buffered())) {
      if (total <= MAX_BUFFERED_BYTES) return
      total -= connection.buffered()
      connection.close(CLOSE.slow)
    }
  }

  async function tick(): Promise<boolean> {
    const now = clock.monotonic()
    const all = allConnections()
    for (const connection of all) connection.tick()
    shedLoad(all)
    if (now - beatAt >= HEARTBEAT_INTERVAL_MS) {
      beatAt = now
      bus.publishToOthers('heartbeat', null)
    }
    if (!othersAlive()) lastBusMessageAt = now
    else if (now - lastBusMessageAt > BUS_TIMEOUT_MS) closeAll()
    if (now - checkedAt >= RECHECK_INTERVAL_MS) {
      checkedAt = now
      await recheck(all)
    }
    return false
  }

  function closeAll(): void {
    for (const connection of allConnections()) connection.close(CLOSE.goingAway)
  }

  /** Events of other nodes may be missing: clients reconnect, which fetch what they missed, and panels reload. */
  function reportGap(): void {
    closeAll()
    for (const onGap of gapListeners) onGap()
  }

  const loop = createLoop({
    task: 'reading events for streams',
    clock,
    activity,
    everyMs: () => POLL_MS,
    run: tick,
    onError,
  })

  return {
    onEvents(recorded, at) {
      for (const event of recorded) {
        deliver(event)
        bus.publishToOthers('events', { eventId: event.id, at })
      }
    },
    open(socket, scope, filter) {
      const connections = byScope.get(keyOf(scope)) ?? new Set()
      // A connection opened during shutdown would never be closed, and would keep the server from closing.
      if (leaving) {
        refuseSocket(socket, CLOSE.goingAway)
        return
      }
      if (connections.size >= MAX_CONNECTIONS_PER_SCOPE) {
        refuseSocket(socket, CLOSE.tooMany)
        return
      }
      const id = newId('con', clock.now())
      const connection = openConnection({ id, socket, scope, filter, clock, onClose: forget })
      byScope.set(keyOf(scope), connections.add(connection))
      count++
    },
    subscribe(scope, onEvent) {
      const key = keyOf(scope)
      const set = listeners.get(key) ?? new Set()
      listeners.set(key, set.add(onEvent))
      return () => {
        set.delete(onEvent)
        if (set.size === 0) listeners.delete(key)
      }
    },
    subscribeToGaps(onGap) {
      gapListeners.add(onGap)
      return () => void gapListeners.delete(onGap)
    },
    refuse: (socket, kind, reason) => refuseSocket(socket, codeFor(kind), reason),
    disconnectAll() {
      leaving = true
      closeAll()
    },
    async stop() {
      for (const end of unsubscribe) end()
      await loop.stop()
    },
  }
}

function codeFor(kind: FailureKind): CloseCode {
  if (kind === 'forbidden') return CLOSE.forbidden
  return kind === 'payment_required' ? CLOSE.paymentRequired : CLOSE.unauthorized
}
