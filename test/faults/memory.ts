// Checks that the anonymous memory of a server stops growing under moderate load. File-backed pages
// (the program and its libraries) are ignored, because the kernel may evict them at any time.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { createInstallation } from './installation.ts'

const MINUTES = Number(process.env['MINUTES'] ?? 80)
const MEASURED_MINUTES = 30
/**
 * Excluded from the slope: caches fill, and V8's heap approaches its upper bound of about twice the
 * live heap plus the young generation, in ever smaller steps.
 */
const WARM_UP_MINUTES = MINUTES - MEASURED_MINUTES
const SENDS_PER_SECOND = 50
const CLIENTS = 10
const SAMPLE_MS = 10_000
const PRINTED_EVERY = 6
const MAX_MIB_PER_HOUR = 5

/** Least-squares slope through the points. */
function slopeOf(points: { x: number; y: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x0, y0] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))]
  const above = points.reduce((sum, { x, y }) => sum + (x - x0) * (y - y0), 0)
  return above / points.reduce((sum, { x }) => sum + (x - x0) ** 2, 0)
}

/** Formats the heap and external memory that the server's metrics report. */
async function heapOf(port: number): Promise<string> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const mibOf = (name: string) =>
    Math.round(Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]) / 1024 / 1024)
  return `heap ${mibOf('nodejs_heap_size_used_bytes')} of ${mibOf('nodejs_heap_size_total_bytes')} MiB, external ${mibOf('nodejs_external_memory_bytes')} MiB`
}

/** Sends, lists and receives at a steady rate; prints memory use, and throws above the target. */
export async function watchMemory(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const place = await createInstallation(stack, 'memory')
  await place.createCompany()
  const { server, port } = await place.start('one')
  place.ports = [port]
  const { base } = await place.signInAndConnect()
  const endpoint = createServer((incoming, response) => {
    incoming.resume().once('end', () => response.writeHead(204).end())
  })
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  stack.defer(() => void endpoint.close())
  const address = endpoint.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`
  await place.call('POST', '/v1/webhooks', { name: 'memory', url })

  let working = true
  async function work(client: number): Promise<void> {
    for (let count = 0; working; count++) {
      const to = `5511${900_000_000 + ((client * 997 + count) % 5000) * 10 + 9}`
      await place.call('POST', `${base}/messages`, { to, text: `pedido ${count} de ${client}` })
      if (count % 10 === 0) await place.call('GET', `${base}/messages?limit=50`)
      if (count % 50 === 0) await place.call('GET', `${base}/conversations?q=pedido`)
      await pause((CLIENTS * 1000) / SENDS_PER_SECOND)
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, client) => work(client))
  const samples: { x: number; y: number }[] = []
  const startedAt = performance.now()
  while (performance.now() - startedAt < MINUTES * 60_000) {
    await pause(SAMPLE_MS)
    const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8')
    const mibOf = (name: string) =>
      Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
    const mib = mibOf('RssAnon')
    samples.push({ x: (performance.now() - startedAt) / 3600_000, y: mib })
    if (samples.length % PRINTED_EVERY === 0) {
      process.stdout.write(
        `  ${Math.round(mib)} MiB anonymous, ${Math.round(mibOf('RssFile'))} MiB file-backed; ${await heapOf(port)}\n`,
      )
    }
  }
  working = false
  await Promise.all(clients)
  const steady = samples.filter(({ x }) => x * 60 > WARM_UP_MINUTES)
  const slope = slopeOf(steady)
  process.stdout.write(
    `memory under ${SENDS_PER_SECOND} sends a second: ${Math.round(steady[0]?.y ?? 0)} MiB after ${WARM_UP_MINUTES} minutes, ` +
      `${Math.round(steady.at(-1)?.y ?? 0)} MiB after ${MINUTES}: ${slope.toFixed(1)} MiB an hour (target ${MAX_MIB_PER_HOUR})\n`,
  )
  assert.ok(slope <= MAX_MIB_PER_HOUR)
}
