import { request, type IncomingMessage } from 'node:http'

/** A server-sent event; `data` is parsed JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read events of many shapes
export type StreamEvent = { event: string; data: any }

/** A stream of server-sent events. */
export type Stream = {
  status: number
  headers: IncomingMessage['headers']
  text: string
  /** Resolves with the next event. */
  next(): Promise<StreamEvent>
  /** Resolves with all events up to and including the next one of this name. */
  until(event: string): Promise<StreamEvent[]>
  closed: Promise<void>
  close(): void
}

/** Opens a stream; resolves when the response headers have arrived. */
export function openStream(
  port: number,
  host: string,
  path: string,
  headers = {},
): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, host: '127.0.0.1', path, headers: { host, ...headers } })
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => {
      const queue: StreamEvent[] = []
      let wake: (() => void) | null = null
      let pending = ''
      const stream: Stream = {
        status: incoming.statusCode ?? 0,
        headers: incoming.headers,
        text: '',
        async next() {
          for (;;) {
            const event = queue.shift()
            if (event) return event
            await new Promise<void>((heard) => (wake = heard))
          }
        },
        async until(name) {
          const events: StreamEvent[] = []
          do events.push(await stream.next())
          while (events.at(-1)?.event !== name)
          return events
        },
        closed: new Promise((ended) => incoming.once('close', ended)),
        close: () => outgoing.destroy(),
      }
      incoming.on('error', () => {})
      incoming.on('data', (chunk: Buffer) => {
        stream.text += chunk.toString()
        pending += chunk.toString()
        for (let end = pending.indexOf('\n\n'); end !== -1; end = pending.indexOf('\n\n')) {
          const [, event = '', data = 'null'] =
            /^event: (\w+)\ndata: (.*)$/s.exec(pending.slice(0, end)) ?? []
          pending = pending.slice(end + 2)
          queue.push({ event, data: JSON.parse(data) })
          wake?.()
        }
      })
      resolve(stream)
    })
    outgoing.end()
  })
}
