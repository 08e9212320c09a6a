import type { WebSocket } from 'ws'
import type { Scope } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { say } from '../../kernel/phrases/phrases.ts'

/** Which events a client wants; null means all. */
export type StreamFilter = { instanceId: string | null; events: Set<string> | null }

/** Why we close. Source: contract §2.5; 4402 and 4429 are ours (ADR 0012). */
export const CLOSE = {
  unauthorized: 4401,
  paymentRequired: 4402,
  forbidden: 4403,
  tooMany: 4429,
  protocol: 1008,
  goingAway: 1012,
  slow: 1013,
} as const
export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE]

export type Connection = {
  id: string
  scope: Scope
  /** What waits to be taken by the client, in bytes. */
  buffered(): number
  wants(event: { instanceId: string; name: string }): boolean
  /** Sends one envelope; a client that takes too little is closed instead. */
  send(envelope: Buffer): void
  close(code: CloseCode): void
  /** Once a second: pings, and ends who does not answer or does not drain. */
  look(): void
}

const PING_MS = 25_000
const PONG_MS = 10_000
const MOST_BUFFERED = 1024 * 1024
const DRAIN_MS = 5000
const MESSAGES_PER_SECOND = 10
const LAST_WORDS_MS = 2000

const WORDS: Record<CloseCode, string> = {
  [CLOSE.unauthorized]: say.streams.unauthorized,
  [CLOSE.paymentRequired]: say.streams.paymentRequired,
  [CLOSE.forbidden]: say.projects.inactive,
  [CLOSE.tooMany]: say.streams.tooMany,
  [CLOSE.protocol]: say.streams.tooTalkative,
  [CLOSE.goingAway]: say.streams.goingAway,
  [CLOSE.slow]: say.streams.slow,
}

/** Closes with a code and its sentence; who does not answer the closing is cut off. */
export function closeSocket(socket: WebSocket, clock: Clock, code: CloseCode): void {
  socket.close(code, WORDS[code])
  clock.after(LAST_WORDS_MS, () => socket.terminate())
}

/**
 * One client of the event stream: no buffer of ours, no replay, and never a single event left out in silence: who
 * cannot follow is told by the close code. Source: specification §6.4, contract §2.5, deliveries §1.11.
 */
export function openConnection(options: {
  id: string
  socket: WebSocket
  scope: Scope
  filter: StreamFilter
  clock: Clock
  /** `code` is ours, or null when the client went. May be called twice. */
  onClose: (connection: Connection, code: CloseCode | null) => void
}): Connection {
  const { id, socket, scope, filter, clock, onClose } = options
  let pingedAt: number | null = null
  let pingAt = clock.monotonic() + PING_MS
  let bufferedSince: number | null = null
  let second = 0
  let heard = 0
  let closing = false

  const connection: Connection = {
    id,
    scope,
    buffered: () => socket.bufferedAmount,
    wants: ({ instanceId, name }) =>
      (filter.instanceId === null || filter.instanceId === instanceId) &&
      (filter.events === null || filter.events.has(name)),
    send(envelope) {
      if (closing) return
      socket.send(envelope, { binary: false })
      if (socket.bufferedAmount > MOST_BUFFERED) connection.close(CLOSE.slow)
    },
    close(code) {
      if (closing) return
      closing = true
      closeSocket(socket, clock, code)
      onClose(connection, code)
    },
    look() {
      const now = clock.monotonic()
      if (socket.bufferedAmount === 0) bufferedSince = null
      else bufferedSince ??= now
      if (bufferedSince !== null && now - bufferedSince >= DRAIN_MS) connection.close(CLOSE.slow)
      else if (pingedAt !== null && now - pingedAt >= PONG_MS) socket.terminate()
      else if (now >= pingAt) {
        pingAt = now + PING_MS
        pingedAt ??= now
        socket.ping()
      }
    },
  }
  socket.on('pong', () => {
    pingedAt = null
  })
  socket.on('message', () => {
    const now = Math.floor(clock.monotonic() / 1000)
    heard = now === second ? heard + 1 : 1
    second = now
    if (heard > MESSAGES_PER_SECOND) connection.close(CLOSE.protocol)
  })
  socket.once('close', () => {
    closing = true
    onClose(connection, null)
  })
  socket.send(JSON.stringify({ type: 'ready', connectionId: id, mode: scope.mode }))
  return connection
}
