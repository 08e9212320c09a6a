import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'

/** A client of the event stream. */
export type StreamClient = {
  socket: WebSocket
  /** All received frames, parsed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read envelopes of many shapes
  frames: any[]
  /** Resolves with the next frame that `next` has not returned yet. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  next(): Promise<any>
  /** Resolves with the close code and reason. */
  closed: Promise<{ code: number; reason: string }>
}

/** Connects to the event stream as an API client would. */
export function connectStream(options: {
  port: number
  host: string
  key: string | null
  query?: string
  /** Whether the client answers pings. Default: true. */
  autoPong?: boolean
}): StreamClient {
  const { port, host, key, query = '', autoPong = true } = options
  const headers = { host, ...(key === null ? {} : { authorization: `Bearer ${key}` }) }
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/events${query}`, { headers, autoPong })
  const frames: unknown[] = []
  const waiting: (() => void)[] = []
  let asked = 0
  socket.on('message', (data: Buffer) => {
    frames.push(JSON.parse(data.toString()))
    for (const look of waiting.splice(0)) look()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  // `closed` reports the end; without a handler an error event would crash the test.
  socket.on('error', () => {})
  return {
    socket,
    frames,
    closed,
    async next() {
      const index = asked++
      while (frames.length <= index) await new Promise<void>((resolve) => waiting.push(resolve))
      return frames[index]
    },
  }
}

/** Resolves with the HTTP status of a rejected upgrade. */
export async function refusedUpgrade(client: StreamClient): Promise<number> {
  const [, response] = (await once(client.socket, 'unexpected-response')) as [
    unknown,
    IncomingMessage,
  ]
  response.destroy()
  return response.statusCode ?? 0
}
