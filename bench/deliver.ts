// Events per second that are committed, POSTed to a local receiver and logged, compared with a bare
// undici loop of the same POSTs.
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { deliveryHeaders } from '../src/events/deliveries/sign-delivery.ts'
import { newId } from '../src/kernel/ids.ts'
import { signingKeys } from '../src/events/webhooks/webhooks.service.ts'
import {
  readTally,
  createRecorder,
  draft,
  makeProjects,
  openLoop,
  openWorkshop,
  start,
  stop,
  wall,
} from './kit.ts'
import { percentile, print } from './load.ts'

const PRODUCERS = 256
const MOST_BACKLOG = 1024
const OPEN_LOOP = 500

/** Deliveries per second of undici alone, with the same bytes, headers and signatures. */
async function bareLoop(port: number, seconds: number): Promise<number> {
  const agent = new Agent({ connections: 64, pipelining: 1 })
  const keys = signingKeys(`whsec_${Buffer.alloc(32).toString('base64')}`)
  const until = performance.now() + seconds * 1000
  let count = 0
  const loop = async () => {
    while (performance.now() < until) {
      const { name, instanceId, data } = draft('prj_bench')
      const event = { id: newId('evt', wall()), name }
      const timestamp = new Date().toISOString()
      const envelope = { event: name, instanceId, timestamp, data: { eventId: event.id, ...data } }
      const body = Buffer.from(JSON.stringify(envelope))
      const answer = await request(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        body,
        dispatcher: agent,
        headers: deliveryHeaders({ webhookId: 'whk_bench', event, body, keys, at: wall() }),
      })
      await answer.body.dump()
      count++
    }
  }
  await Promise.all(Array.from({ length: 64 }, loop))
  await agent.close()
  return count / seconds
}

/** `npm run bench -- deliver [seconds]`: closed-loop throughput, then open-loop latency. */
export async function benchDeliver(seconds: number): Promise<void> {
  print(`deliver: ${PRODUCERS} producers, ${seconds} s, everything on this machine`)
  const receiver = await start<{ port: number }>('receiver.ts', [], {})
  const { port } = receiver.ready
  const ceiling = await bareLoop(port, Math.min(10, seconds))
  print(`bare undici loop of the same POSTs ${ceiling.toFixed(0).padStart(7)}/s`)

  {
    await using workshop = await openWorkshop()
    const { app } = workshop
    const { database: db } = app.storage
    const [projectId = ''] = await makeProjects(app.storage.database, 1)
    const url = `http://127.0.0.1:${port}/`
    const scope = { projectId, mode: 'production' as const, keyId: null }
    await app.webhooks.create(db, scope, { actor: 'bench', address: null }, { name: 'b', url })
    const record = createRecorder(app)
    const logged = async () => {
      const [row] = await db.system<{ count: number }[]>`
        select count(*) as count from delivery_log where success`
      return row?.count ?? 0
    }
    const statements = async () => {
      await db.system`select pg_stat_force_next_flush()`
      const [row] = await db.system<{ count: number }[]>`
        select xact_commit as count from pg_stat_database where datname = current_database()`
      return row?.count ?? 0
    }

    // Producers share one poll of the backlog; without it, the run would measure recording alone.
    let room: Promise<void> | null = null
    const waitForRoom = async () => {
      while (app.backlog() > MOST_BACKLOG) await sleep(1)
      room = null
    }

    const before = (await readTally(receiver.child)).received
    const commitsBefore = await statements()
    const startedAt = performance.now()
    const until = startedAt + seconds * 1000
    let recorded = 0
    await Promise.all(
      Array.from({ length: PRODUCERS }, async () => {
        while (performance.now() < until) {
          await record(draft(projectId))
          recorded++
          if (app.backlog() > MOST_BACKLOG) await (room ??= waitForRoom())
        }
      }),
    )
    await app.activity.idle()
    while ((await logged()) < recorded) await app.activity.idle()
    const elapsed = (performance.now() - startedAt) / 1000
    const commits = (await statements()) - commitsBefore
    const tally = await readTally(receiver.child)
    const perSecond = recorded / elapsed
    print(`committed, delivered and logged    ${perSecond.toFixed(0).padStart(7)}/s`)
    print(`  relative to the bare loop        ${(perSecond / ceiling).toFixed(2)}`)
    print(
      `  recorded ${recorded}, received ${tally.received - before}, lost ${recorded - (tally.received - before)}`,
    )
    print(`  transactions per delivery        ${(commits / recorded).toFixed(4)}`)

    await openLoop(OPEN_LOOP, seconds, () => record(draft(projectId)))
    await app.activity.idle()
    const { latenciesMs } = await readTally(receiver.child)
    const [p50, p99] = [percentile(latenciesMs, 0.5), percentile(latenciesMs, 0.99)]
    print(
      `open loop at ${OPEN_LOOP}/s, record → received: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    )
  }
  await stop(receiver.child)
}
