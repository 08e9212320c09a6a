import type { WebSocket } from 'ws'
import type { Scope } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { say } from '../../kernel/phrases/phrases.ts'

/** The events that a client subscribes to; null means all. */
export type StreamFilter = {
  instanceId: string | null
  events: Set<string> | null
  /** Whether the client also receives pings as frames, because browsers and Node hide protocol pings. */
  ping: boolean
}

/** WebSocket close codes (G53); 4402 and 4429 are explained in ADR 12. */
export const CLOSE = {
  unauthorized: 4401,
  paymentRequired: 4402,
  forbidden: 4403,
  tooMany: 4429,
  protocol: 1008,
  goingAway: 1012,
  slow: 1013,
} as const
/** A close code of `CLOSE`. */
export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE]

/** One WebSocket client of the event stream. */
export type Connection = {
  id: string
  scope: Scope
  /** Returns the number of bytes sent that the client has not received yet. */
  buffered(): number
  /** Returns whether the event matches the filter of the client. */
  wants(event: { instanceId: string; name: string }): boolean
  /** Sends one envelope; closes the connection if more than 1 MiB is buffered. */
  send(envelope: Buffer): void
  close(code: CloseCode): void
  /** Runs every second: pings, and disconnects a client that does not respond or does not drain its buffer. */
  tick(): void
}

const PING_MS = 25_000
const PONG_TIMEOUT_MS = 10_000
const MAX_BUFFERED_BYTES = 1024 * 1024
const DRAIN_TIMEOUT_MS = 5000
const MAX_FRAMES_PER_SECOND = 10
const CLOSE_TIMEOUT_MS = 2000
const PING_FRAME = JSON.stringify({ type: 'ping' })

const CLOSE_REASONS: Record<CloseCode, string> = {
  [CLOSE.unauthorized]: say.streams.unauthorized,
  [CLOSE.paymentRequired]: say.streams.paymentRequired,
  [CLOSE.forbidden]: say.projects.inactive,
  [CLOSE.tooMany]: say.streams.tooMany,
  [CLOSE.protocol]: say.streams.tooTalkative,
  [CLOSE.goingAway]: say.streams.goingAway,
  [CLOSE.slow]: say.streams.slow,
}

/** What fits into a close frame beside the code. */
const MAX_REASON_BYTES = 123

/**
 * Closes a socket with a code and a sentence, by default that of the code, and terminates it if the client does not
 * complete the handshake.
 */
export function closeSocket(
  socket: WebSocket,
  clock: Clock,
  code: CloseCode,
  reason: string | null = null,
): void {
  const fits = reason !== null && Buffer.byteLength(reason) <= MAX_REASON_BYTES
  socket.close(code, fits ? reason : CLOSE_REASONS[code])
  clock.after(CLOSE_TIMEOUT_MS, () => socket.terminate())
}

/**
 * Opens the connection of one client of the event stream. There is no buffer beyond the socket's and no replay, and
 * events are never skipped silently: a client that cannot keep up is disconnected with a close code (G53).
 */
export function openConnection(options: {
  id: string
  socket: WebSocket
  scope: Scope
  filter: StreamFilter
  clock: Clock
  /** `code` is the code sent by the server, or null if the client disconnected. May be called twice. */
  onClose: (connection: Connection, code: CloseCode | null) => void
}): Connection {
  const { id, socket, scope, filter, clock, onClose } = options
  let pingedAt: number | null = null
  let pingAt = clock.monotonic() + PING_MS
  let bufferedSince: number | null = null
  let second = 0
  let received = 0
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
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) connection.close(CLOSE.slow)
    },
    close(code) {
      if (closing) return
      closing = true
      closeSocket(socket, clock, code)
      onClose(connection, code)
    },
    tick() {
      const now = clock.monotonic()
      if (socket.bufferedAmount === 0) bufferedSince = null
      else bufferedSince ??= now
      if (bufferedSince !== null && now - bufferedSince >= DRAIN_TIMEOUT_MS)
        connection.close(CLOSE.slow)
      else if (pingedAt !== null && now - pingedAt >= PONG_TIMEOUT_MS) socket.terminate()
      else if (now >= pingAt) {
        pingAt = now + PING_MS
        pingedAt ??= now
        socket.ping()
        if (filter.ping) socket.send(PING_FRAME)
      }
    },
  }
  /** Counts what the client sends, control frames included: each costs the server as much as a message. */
  function countFrame(): void {
    const now = Math.floor(clock.monotonic() / 1000)
    received = now === second ? received + 1 : 1
    second = now
    // Terminated, because a client that floods does not wait for the closing handshake.
    if (received > MAX_FRAMES_PER_SECOND) connection.close(CLOSE.protocol)
    if (received > 2 * MAX_FRAMES_PER_SECOND) socket.terminate()
  }
  socket.on('pong', () => {
    pingedAt = null
    countFrame()
  })
  socket.on('ping', countFrame)
  socket.on('message', countFrame)
  socket.once('close', () => {
    closing = true
    onClose(connection, null)
  })
  socket.send(JSON.stringify({ type: 'ready', connectionId: id, mode: scope.mode }))
  return connection
}
