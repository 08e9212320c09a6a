import { ApiError, RecadoError, UnexpectedResponseError } from './errors.ts'
import type { WebhookEvent } from './generated/types.gen.ts'
import { events as say } from './phrases.ts'
import { check, wait, type Transport } from './transport.ts'
/** Events between these times may be missing: the connection was down. Webhooks and lists have them. */
export type Gap = { event: 'gap'; from: Date; until: Date }
/** The part of the WebSocket API that the stream uses. */
type WebSocketLike = {
  addEventListener(type: string, listener: (event: never) => void): void
  close(): void
}
/** A WebSocket constructor that can send headers: global in Node.js 22, Bun and Deno; the package `ws` elsewhere. */
export type WebSocketConstructor = new (
  url: string,
  options: { headers: Record<string, string> },
) => WebSocketLike
/** Which events to receive. */
export type EventsQuery = {
  /** Only these; all by default. */
  events?: WebhookEvent['event'][]
  /** Only of this instance. */
  instanceId?: string
  signal?: AbortSignal
}
/** Close codes after which the same credential is refused again. */
const REFUSED = new Set([4401, 4402, 4403])
/** Events that wait for a slow consumer; then the connection is closed, and the rest becomes a gap. */
const MAX_WAITING = 10_000
const PROBE_TIMEOUT_MS = 5000
/** For the handshake, and without a frame afterwards: the server pings every 25 s. */
const READY_TIMEOUT_MS = 15_000
const SILENCE_TIMEOUT_MS = 60_000
const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 15_000
/** A gap begins this long before the last frame; after connections shorter than the other, delays grow. */
const [OVERLAP_MS, STABLE_MS] = [60_000, 10_000]
/**
 * Receives events over a WebSocket. Reconnects when nothing arrives, not even a ping, and then yields a gap. Ends when
 * `signal` aborts or the loop is left; throws RecadoError if the server refuses the key or is not Recado.
 */
export async function* streamEvents(
  transport: Pick<Transport, 'baseUrl' | 'apiKey' | 'get'>,
  query: EventsQuery,
  Socket: WebSocketConstructor | undefined,
): AsyncGenerator<WebhookEvent | Gap, void, undefined> {
  const { baseUrl, apiKey } = transport
  const { events, instanceId, signal } = query
  const search = new URLSearchParams({ ping: 'true' })
  if (events?.length) search.set('events', events.join(','))
  if (instanceId) search.set('instanceId', instanceId)
  const path = `/v1/events?${search}`
  const url = baseUrl.replace(/^http/, 'ws') + path
  const headers = { authorization: `Bearer ${apiKey}` }
  const open = () => {
    try {
      // Throws without a constructor, too. That of Workers takes no headers.
      return new (Socket as WebSocketConstructor)(url, { headers })
    } catch (cause) {
      throw new RecadoError(say.noWebSocket, { cause })
    }
  }
  let lostAt: Date | null = null
  for (let failures = 0; !signal?.aborted; failures++) {
    let isReady = false
    const openedAt = Date.now()
    const connection = connect(open())
    signal?.addEventListener('abort', connection.close, { once: true })
    try {
      for await (const frame of connection.frames) {
        if (frame === 'ready') {
          if (lostAt) yield { event: 'gap', from: lostAt, until: new Date() }
          ;[isReady, lostAt] = [true, null]
        } else yield frame
      }
    } finally {
      signal?.removeEventListener('abort', connection.close)
      connection.close()
    }
    // What was sent after the last frame may be lost.
    lostAt ??= new Date(connection.lastAt().getTime() - OVERLAP_MS)
    if (isReady && Date.now() - openedAt > STABLE_MS) failures = 0
    const { code = 0, reason = '' } = connection.ended() ?? {}
    // The error of the request says more than a close code.
    if (!isReady && !signal?.aborted) await probe(transport, path, signal)
    if (REFUSED.has(code)) throw new RecadoError(say.refused(code, reason))
    const delayMs = Math.random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures)
    await wait(delayMs, signal).catch(() => {})
  }
}
/** Finds out why a WebSocket was refused: throws the error of its path, unless it may pass. */
async function probe(
  { baseUrl, get }: Pick<Transport, 'baseUrl' | 'get'>,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const timeout = AbortSignal.timeout(PROBE_TIMEOUT_MS)
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout
  const response = await get(path, either).catch(() => null)
  if (!response || response.status >= 500) return
  await check(baseUrl, response).catch((error: unknown) => {
    const isFinal = error instanceof ApiError && error.status < 405
    if (isFinal || error instanceof UnexpectedResponseError) throw error
  })
}
function parse(text: string) {
  try {
    return JSON.parse(text) as { type?: string; event?: string } | null
  } catch {
    return null
  }
}
/** The frames of one connection, as they arrive; `frames` ends when it closes. */
function connect(socket: WebSocketLike) {
  let ended: { code: number; reason: string } | null = null
  const waiting: (WebhookEvent | 'ready')[] = []
  let wake = () => {}
  /** Ends the frames at once: the other side may be dead, and never answer the closing handshake. */
  const close = () => {
    end({ code: 1006, reason: '' })
    socket.close()
  }
  let timer = setTimeout(close, READY_TIMEOUT_MS)
  let lastAt = new Date()
  let pings = false
  socket.addEventListener('message', ({ data }: { data: unknown }) => {
    const frame = parse(String(data))
    // Another server, which the error of the request names.
    if (!frame) return close()
    lastAt = new Date()
    // A server that sends no pings may be silent for long.
    pings ||= frame.type === 'ping'
    clearTimeout(timer)
    if (pings) timer = setTimeout(close, SILENCE_TIMEOUT_MS)
    // Frames of a kind that this version does not know, too.
    if (frame.type === 'ready') waiting.push('ready')
    else if (frame.event) waiting.push(frame as WebhookEvent)
    if (waiting.length >= MAX_WAITING) socket.close()
    wake()
  })
  const end = (how: { code: number; reason: string }) => {
    clearTimeout(timer)
    ended ??= how
    wake()
  }
  socket.addEventListener('close', end)
  socket.addEventListener('error', () => end({ code: 1006, reason: '' }))
  async function* frames() {
    for (;;) {
      const frame = waiting.shift()
      if (frame) yield frame
      else if (ended) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return { frames: frames(), ended: () => ended, lastAt: () => lastAt, close }
}
