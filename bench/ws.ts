// The event stream: latency of events to 5,000 clients, and their memory cost.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../src/app/app.ts'
import {
  readTally,
  draft,
  makeKeys,
  makeProjects,
  openLoop,
  openWorkshop,
  start,
  stop,
} from './kit.ts'
import { percentile, print } from './load.ts'

const CLIENTS = 5000
const EVENTS_PER_SECOND = 200

const residentMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024

/** `npm run bench -- ws [seconds]`: runs with 1, 10 and 50 clients per Project. */
export async function benchWs(seconds: number): Promise<void> {
  print(`ws: ${CLIENTS} clients, ${EVENTS_PER_SECOND} events/s, ${seconds} s each run`)
  await using workshop = await openWorkshop()
  const before = residentMb()
  for (const fanOut of [1, 10, 50]) {
    const projects = await makeProjects(workshop.app.storage.database, CLIENTS / fanOut)
    const keys = await makeKeys(workshop.app.storage.database, projects)
    // Thousands of keys exceed the limits of arguments and environment variables.
    const list = join(mkdtempSync(join(tmpdir(), 'recado-bench-')), 'keys')
    writeFileSync(list, keys.join(','), { mode: 0o600 })
    const options = [String(workshop.port), String(fanOut), list]
    const clients = await start<object>('ws-clients.ts', options, {})
    rmSync(dirname(list), { recursive: true })
    const connected = residentMb()
    await recordEvents(workshop.app, projects, 5)
    const { received: warm } = await readTally(clients.child)
    const settled = residentMb()
    const told = await recordEvents(workshop.app, projects, seconds)
    const { latenciesMs, received } = await readTally(clients.child)
    const [p50, p99] = [percentile(latenciesMs, 0.5), percentile(latenciesMs, 0.99)]
    const wanted = told * fanOut
    print(
      `${String(fanOut).padStart(2)} per Project: ${wanted} frames, missing ${wanted - (received - warm)}, ` +
        `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; memory ${before.toFixed(0)} MB without, ` +
        `${connected.toFixed(0)} MB with the clients, ${settled.toFixed(0)} → ${residentMb().toFixed(0)} MB in the run`,
    )
    await stop(clients.child)
    await sleep(1000)
  }
}

/** Records events for the Projects in turn; returns their number. */
async function recordEvents(app: App, projects: string[], seconds: number): Promise<number> {
  let count = 0
  await openLoop(EVENTS_PER_SECOND, seconds, () =>
    app.events.record(app.storage.database, [draft(projects[count++ % projects.length] ?? '')]),
  )
  await app.activity.idle()
  // Give clients time to read the last frames.
  await sleep(500)
  return count
}
