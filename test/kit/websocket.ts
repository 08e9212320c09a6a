import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'

export type StreamClient = {
  socket: WebSocket
  /** Every frame, parsed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads envelopes of many shapes
  frames: any[]
  /** Resolves with the next frame that has not been asked for yet. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  next(): Promise<any>
  /** Resolves with the code and the sentence by which the stream was closed. */
  closed: Promise<{ code: number; reason: string }>
}

/** Connects to the stream of events, as a company's program would. */
export function connectStream(options: {
  port: number
  host: string
  key: string | null
  query?: string
  /** Whether it answers pings. */
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
  // Who only looks at `closed` need not handle it as well.
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

/** The HTTP answer to an upgrade that was refused. */
export async function refusedUpgrade(client: StreamClient): Promise<number> {
  const [, response] = (await once(client.socket, 'unexpected-response')) as [
    unknown,
    IncomingMessage,
  ]
  response.destroy()
  return response.statusCode ?? 0
}
