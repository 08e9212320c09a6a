// Checks that memory stays flat over ten minutes of deliveries at a steady rate.
import { readFileSync } from 'node:fs'
import { createRecorder, draft, makeProjects, openLoop, openWorkshop, start, stop } from './kit.ts'
import { print } from './load.ts'

const PER_SECOND = 1000
const SAMPLE_MS = 1000
/** Samples per window; only the lowest counts, because memory rises between garbage collections. */
const WINDOW = 30
/** Share of the run that is ignored while heaps and caches grow to their final size. */
const WARM_UP = 0.3

const residentMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024

/** `npm run bench -- soak [seconds]`: prints the memory slope after the warm-up. */
export async function benchSoak(seconds: number): Promise<void> {
  print(`soak: ${PER_SECOND} deliveries/s, ${seconds} s`)
  const receiver = await start<{ port: number }>('receiver.ts', [], {})
  {
    await using workshop = await openWorkshop()
    const { app } = workshop
    const [projectId = ''] = await makeProjects(app.storage.database, 1)
    const scope = { projectId, mode: 'production' as const, keyId: null }
    const url = `http://127.0.0.1:${receiver.ready.port}/`
    await app.webhooks.create(
      app.storage.database,
      scope,
      { actor: 'bench', address: null },
      { name: 'b', url },
    )
    const record = createRecorder(app)
    const samples: number[] = []
    const timer = setInterval(() => samples.push(residentMb()), SAMPLE_MS)
    await openLoop(PER_SECOND, seconds, () => record(draft(projectId)))
    clearInterval(timer)
    await app.activity.idle()
    const lows: { at: number; mb: number }[] = []
    for (let from = 0; from + WINDOW <= samples.length; from += WINDOW) {
      lows.push({ at: from / 3600, mb: Math.min(...samples.slice(from, from + WINDOW)) })
    }
    const settled = lows.slice(Math.floor(lows.length * WARM_UP))
    print(`minimum per ${WINDOW} s, MB: ${lows.map(({ mb }) => mb.toFixed(0)).join(' ')}`)
    print(`slope after the warm-up            ${slope(settled).toFixed(1).padStart(7)} MB/h`)
  }
  await stop(receiver.child)
}

/** Least-squares slope in MB per hour. */
function slope(points: { at: number; mb: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [at, mb] = [mean(points.map((point) => point.at)), mean(points.map((point) => point.mb))]
  const rise = points.reduce((sum, point) => sum + (point.at - at) * (point.mb - mb), 0)
  return rise / points.reduce((sum, point) => sum + (point.at - at) ** 2, 0)
}
