// A minimal HTTP/1.1 load generator: it shares the cores with the server, so it parses as little as possible.
import { connect, type Socket } from 'node:net'

/** Counts and latencies of a load: `answers` are the 2xx responses, `failures` all others. */
export type LoadResult = {
  answers: number
  failures: number
  seconds: number
  latenciesMs: number[]
}

/**
 * Keeps `connections` busy for `seconds`, one request at a time each. `next` returns the bytes of a complete request.
 */
export async function load(options: {
  port: number
  connections: number
  seconds: number
  next: () => Buffer
}): Promise<LoadResult> {
  const { port, connections, seconds, next } = options
  const latenciesMs: number[] = []
  let failures = 0
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000

  const runOne = () =>
    new Promise<void>((resolve, reject) => {
      const socket: Socket = connect(port, '127.0.0.1')
      socket.setNoDelay(true)
      let sentAt = 0
      let pending = Buffer.alloc(0)
      const send = () => {
        if (performance.now() >= endsAt) {
          socket.end()
          resolve()
          return
        }
        sentAt = performance.now()
        socket.write(next())
      }
      socket.once('connect', send)
      socket.once('error', reject)
      socket.on('data', (chunk) => {
        pending = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk
        const headEnd = pending.indexOf('\r\n\r\n')
        if (headEnd === -1) return
        const head = pending.toString('latin1', 0, headEnd)
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
        if (pending.length < headEnd + 4 + length) return
        if (head.startsWith('HTTP/1.1 2')) latenciesMs.push(performance.now() - sentAt)
        else if (failures++ === 0) process.stderr.write(`${pending.toString()}\n`)
        pending = Buffer.alloc(0)
        send()
      })
    })

  await Promise.all(Array.from({ length: connections }, runOne))
  const elapsed = (performance.now() - startedAt) / 1000
  return { answers: latenciesMs.length, failures, seconds: elapsed, latenciesMs }
}

/** The value at `share` (0 to 1) of the sorted values; 0 without values. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Prints throughput and latency; returns responses per second. */
export function describeLoad(
  name: string,
  { answers, failures, seconds, latenciesMs }: LoadResult,
) {
  const perSecond = answers / seconds
  const [p50, p99] = [percentile(latenciesMs, 0.5), percentile(latenciesMs, 0.99)]
  print(
    `${name.padEnd(34)} ${perSecond.toFixed(0).padStart(7)}/s   p50 ${p50.toFixed(1)} ms   ` +
      `p99 ${p99.toFixed(1)} ms   failures ${failures}`,
  )
  return perSecond
}

/** Writes a line to stdout. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
