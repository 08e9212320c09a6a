import type { FastifyReply } from 'fastify'
import type { BusTopics } from '../platform/bus/bus.port.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { openEventStream, type EventStream } from '../platform/http/sse.ts'
import type { PendingWork } from '../kernel/pending-work.ts'
import type { Clock, Timer } from '../kernel/clock.ts'
import type { InstancesService } from './instances.service.ts'
import type { WatchedState } from './instances.sql.ts'

const PING_MS = 25_000
/** Poll interval; also bounds how late an expired key ends the stream, and the delay after a lost wake-up. */
const POLL_MS = 5000
/** Maximum streams per instance and per Project on this node; beyond it, the oldest is closed. */
const MAX_STREAMS_PER_INSTANCE = 16
const MAX_STREAMS_PER_PROJECT = 256

/** Streams pairing codes as server-sent events. */
export type QrStreams = {
  /** Takes the reply over and streams to it. `first` is the state that was read to authorize the request. */
  follow(
    reply: FastifyReply,
    scope: Scope,
    instanceId: string,
    first: WatchedState,
    headers: Record<string, string>,
  ): void
}

/**
 * Creates the streams of codes and status changes of instances. A stream has no queue: each poll reads the newest code
 * and the transitions since the last one sent (G23).
 */
export function createQrStreams(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  bus: BusTopics
  instances: InstancesService
}): QrStreams {
  const { db, clock, activity, bus, instances } = deps
  /** The open streams of each instance and of each Project, oldest first. */
  const streams = new Map<string, Set<EventStream>>()

  function join(id: string, most: number, stream: EventStream): void {
    const set = streams.get(id) ?? new Set()
    const [oldest] = set
    // It leaves the set when it ends.
    if (set.size >= most) oldest?.end()
    streams.set(id, set.add(stream))
  }

  function leave(id: string, stream: EventStream): void {
    const set = streams.get(id)
    set?.delete(stream)
    if (set?.size === 0) streams.delete(id)
  }

  /** Calls `look` when the instance changes, or when the key of its stream may have been revoked; returns its end. */
  function onChange(projectId: string, instanceId: string, look: () => void): () => void {
    const ends = [
      bus.subscribe('instances', (changed) => {
        if (changed?.id === instanceId) look()
      }),
      bus.subscribe('changes', ({ projectId: changed, what }) => {
        if (changed === projectId && (what === 'keys' || what === 'project')) look()
      }),
    ]
    return () => ends.forEach((end) => end())
  }

  return {
    follow(reply, scope, instanceId, first, headers) {
      let lastSentTransition = first.lastTransition
      let lastSentCode: string | null = null
      let polling = false
      let again = false
      let lookTimer: Timer | null = null
      let pingTimer: Timer | null = null

      const stream = openEventStream(
        reply,
        clock,
        () => {
          unsubscribe()
          lookTimer?.cancel()
          pingTimer?.cancel()
          leave(instanceId, stream)
          leave(scope.projectId, stream)
        },
        headers,
      )
      const unsubscribe = onChange(scope.projectId, instanceId, poll)
      join(instanceId, MAX_STREAMS_PER_INSTANCE, stream)
      join(scope.projectId, MAX_STREAMS_PER_PROJECT, stream)

      function sendState(state: WatchedState): void {
        for (const { status, at } of state.transitions) {
          if (status === 'QR') sendCode(state)
          stream.send('status', { status, at: new Date(at).toISOString() })
        }
        lastSentTransition = state.lastTransition
        sendCode(state)
      }

      function sendCode({ status, qrCode, qrAt, qrExpiresAt }: WatchedState): void {
        if (status !== 'QR' || qrCode === null || qrCode === lastSentCode) return
        lastSentCode = qrCode
        const at = qrAt?.toISOString() ?? null
        stream.send('qr', { code: qrCode, at, expiresAt: qrExpiresAt?.toISOString() ?? null })
      }

      async function pollOnce(): Promise<void> {
        do {
          again = false
          const state = await instances.watch(db, scope, instanceId, lastSentTransition)
          if (state) sendState(state)
          else stream.end()
        } while (again && !stream.closed)
      }

      function poll(): void {
        if (polling) {
          again = true
          return
        }
        polling = true
        lookTimer?.cancel()
        // An error (a revoked key, an unavailable database) ends the stream: the client reconnects and gets the error.
        void activity
          .run(pollOnce)
          .catch(() => stream.end())
          .finally(() => {
            polling = false
            if (!stream.closed) lookTimer = clock.after(POLL_MS, poll)
          })
      }

      function ping(): void {
        stream.send('ping', {})
        pingTimer = clock.after(PING_MS, ping)
      }

      const at = first.updatedAt.toISOString()
      stream.send('ready', { instanceId, status: first.status, at })
      // A client that connects after pairing must still learn that it can stop.
      if (first.status === 'CONNECTED') stream.send('status', { status: first.status, at })
      sendCode(first)
      pingTimer = clock.after(PING_MS, ping)
      poll()
    },
  }
}
