// Delivery latency of healthy endpoints while others hang, and while one endpoint has a million
// pending deliveries.
import type { App } from '../src/app/app.ts'
import { newId } from '../src/kernel/ids.ts'
import {
  readTally,
  createRecorder,
  draft,
  makeProjects,
  openLoop,
  openWorkshop,
  start,
  stop,
} from './kit.ts'
import { percentile, print } from './load.ts'

const ENDPOINTS = 10_000
const DEAD_EVERY = 100
const PENDING = 1_000_000
const PER_SECOND = 1000

/** Each endpoint has its own address, because production endpoints are separate origins. */
const addressOf = (index: number) => `127.1.${index >> 8}.${index & 255}`

async function makeEndpoints(app: App, urls: string[]): Promise<string[]> {
  const projects = await makeProjects(app.storage.database, urls.length)
  for (const [index, url] of urls.entries()) {
    const scope = { projectId: projects[index] ?? '', mode: 'production' as const, keyId: null }
    await app.webhooks.create(
      app.storage.database,
      scope,
      { actor: 'bench', address: null },
      { name: 'b', url },
    )
  }
  return projects
}

/** `npm run bench -- fair [seconds]`: prints the p99 of healthy endpoints in each scenario. */
export async function benchFair(seconds: number): Promise<void> {
  print(`fair: ${ENDPOINTS} endpoints, ${PER_SECOND} events/s, ${seconds} s each run`)
  const receiver = await start<{ port: number; silentPort: number }>('receiver.ts', [], {})
  const { port, silentPort } = receiver.ready
  {
    await using workshop = await openWorkshop()
    const { app } = workshop
    const { database: db } = app.storage
    const urls = (dead: boolean) =>
      Array.from({ length: dead ? ENDPOINTS / DEAD_EVERY : ENDPOINTS }, (_, index) =>
        dead
          ? `http://${addressOf(ENDPOINTS + index)}:${silentPort}/`
          : `http://${addressOf(index)}:${port}/`,
      )
    const good = await makeEndpoints(app, urls(false))
    const dead = await makeEndpoints(app, urls(true))
    const [crowded = ''] = await makeEndpoints(app, [`http://127.2.0.1:${port}/`])

    const record = createRecorder(app)
    /** Takes turns among the endpoints of a list; each list has a turn of its own. */
    const turns = new Map<string[], number>()
    const nextOf = (endpoints: string[]) => {
      const turn = turns.get(endpoints) ?? 0
      turns.set(endpoints, turn + 1)
      return endpoints[turn % endpoints.length] ?? ''
    }
    const run = async (name: string, pick: () => string) => {
      await readTally(receiver.child)
      await openLoop(PER_SECOND, seconds, () => record(draft(pick())))
      const { latenciesMs } = await readTally(receiver.child)
      const p99 = percentile(latenciesMs, 0.99)
      const p50 = percentile(latenciesMs, 0.5)
      print(`${name.padEnd(34)} p50 ${p50.toFixed(1)} ms   p99 ${p99.toFixed(1)} ms`)
      return p99
    }
    // Warm up with one delivery per endpoint, so that no run includes first connections.
    await openLoop(PER_SECOND, ENDPOINTS / PER_SECOND, () => record(draft(nextOf(good))))
    const quiet = await run('quiet', () => nextOf(good))
    const ratio = (p99: number) =>
      print(`  relative to the quiet p99        ${(p99 / quiet).toFixed(2)}`)

    let count = 0
    const some = () => nextOf(count++ % DEAD_EVERY === 0 ? dead : good)
    ratio(await run(`${dead.length} endpoints black-holed`, some))

    const again = await run('quiet again, black holes retried', () => nextOf(good))
    ratio(again)
    await pendingFor(app, crowded, PENDING)
    ratio(await run('one endpoint with a million pending', () => nextOf(good)))
    const [left] = await db.system<{ count: number }[]>`select count(*) from delivery`
    print(`  of the million, delivered so far    ${PENDING - (left?.count ?? 0)}`)
    await db.system`truncate delivery`
  }
  await stop(receiver.child)
}

/** Inserts `count` deliveries of one event, visible to every node, as an overflowing burst does. */
async function pendingFor(app: App, projectId: string, count: number): Promise<void> {
  const { database: db } = app.storage
  const at = new Date(app.clock.now())
  const id = newId('evt', app.clock.now())
  const body = JSON.stringify({ event: 'message.received', data: { eventId: id } })
  await db.system`
    insert into event (id, project_id, mode, instance_id, name, body, created_at)
    values (${id}, ${projectId}, 'production', 'ins_bench', 'message.received', ${body}, ${at})`
  await db.system`
    insert into delivery (webhook_id, webhook_generation, event_id, event_at, attempt, due_at, visible_at)
    select w.id, 1, ${id}, ${at}::timestamptz, 1, ${at}::timestamptz, ${at}::timestamptz
    from webhook w, generate_series(1, ${count}) where w.project_id = ${projectId}`
  // Vacuum and checkpoint: a backlog that grows over hours has had both.
  await db.system`vacuum analyze delivery`
  await db.system`checkpoint`
}
