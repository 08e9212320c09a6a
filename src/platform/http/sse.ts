import type { FastifyReply } from 'fastify'
import type { Clock, Timer } from '../../kernel/clock.ts'
import type { Server } from './server.ts'

/** A response of server-sent events. */
export type EventStream = {
  /**
   * Sends an event. While the client does not read, only the newest event of each name is queued; `merge` combines it
   * with the one already queued.
   */
  send<Data>(event: string, data: Data, merge?: (older: Data, newer: Data) => Data): void
  /** Ends the response. */
  end(): void
  closed: boolean
}

const open = new WeakMap<object, Set<EventStream>>()

/** Ends all open streams when the server closes; they would otherwise keep it from closing. */
export function endStreamsOnClose(server: Server): void {
  const streams = new Set<EventStream>()
  open.set(server.server, streams)
  server.addHook('preClose', async () => {
    for (const stream of streams) stream.end()
  })
}

/** A client that reads nothing for this long is disconnected. */
const STALLED_MS = 30_000

/** Turns the reply into a stream of server-sent events. `onClose` is called once, whichever side closes. */
export function openEventStream(
  reply: FastifyReply,
  clock: Clock,
  onClose: () => void,
  headers: Record<string, string> = {},
): EventStream {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'x-request-id': reply.request.id,
    'x-content-type-options': 'nosniff',
    connection: 'keep-alive',
    ...headers,
  })
  const streams = open.get(reply.server.server)
  const newest = new Map<string, unknown>()
  let stalled: Timer | null = null

  function write(event: string, data: unknown): void {
    const taken = raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    if (!taken) stalled ??= clock.after(STALLED_MS, () => raw.destroy())
  }
  raw.on('drain', () => {
    stalled?.cancel()
    stalled = null
    for (const [event, data] of newest) {
      newest.delete(event)
      write(event, data)
      if (stalled) return
    }
  })
  const stream: EventStream = {
    closed: false,
    send<Data>(event: string, data: Data, merge?: (older: Data, newer: Data) => Data) {
      if (stream.closed) return
      if (!stalled) {
        write(event, data)
        return
      }
      const one = newest.has(event) && merge ? merge(newest.get(event) as Data, data) : data
      // Keep arrival order, even if an older event of the same name was queued before others.
      newest.delete(event)
      newest.set(event, one)
    },
    end() {
      raw.end()
      close()
    },
  }
  const close = () => {
    if (stream.closed) return
    stream.closed = true
    stalled?.cancel()
    streams?.delete(stream)
    onClose()
  }
  streams?.add(stream)
  raw.once('close', close)
  // The client may have disconnected while the request was being authenticated; its `close` event will not occur again.
  if (raw.destroyed || raw.socket?.destroyed) setImmediate(close)
  return stream
}
