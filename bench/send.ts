// Accepted and committed text sends per second over HTTP, compared with a bare route.
import { openStorage } from '../src/platform/db/storage.ts'
import { parseConfig } from '../src/kernel/config/config.ts'
import { newId } from '../src/kernel/ids.ts'
import {
  countCommits,
  makeKeys,
  makeProjects,
  pairInstance,
  start,
  startServer,
  stop,
  type Bench,
} from './kit.ts'
import { describeLoad, load, print } from './load.ts'

const CONNECTIONS = 64
const PROJECTS = [16, 1000]

/** How many recipients `requests` writes to, in turn. */
export const RECIPIENTS = 5000

/** Requests that send texts to `recipients` in turn. */
export function requests(path: string, key: string, recipients = RECIPIENTS): () => Buffer {
  let count = 0
  return () => {
    count++
    const to = `5511${900000000 + (count % recipients) * 10 + 9}`
    const body = JSON.stringify({ to, text: `Olá, seu pedido ${count} saiu para entrega.` })
    return Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }
}

async function bare(seconds: number): Promise<number> {
  const { child, ready } = await start<{ port: number }>('bare.ts', [], {})
  const next = requests('/v1/instances/ins_x/messages', 'svc_live_x')
  const result = await load({ port: ready.port, connections: CONNECTIONS, seconds, next })
  await stop(child)
  return describeLoad('bare Fastify route', result)
}

/** Creates an instance that is connected although its network is held: what is sent stays queued. */
export async function connectHeld(bench: Bench): Promise<string> {
  const { id } = (await bench.call('POST', '/v1/instances', { name: 'send' })) as { id: string }
  await using storage = await openStorage(parseConfig(bench.env), 'operator')
  // No instance can pair while the network is held: mark it as connected.
  await storage.database
    .system`update instance set status = 'CONNECTED', phone = '5511900000000' where id = ${id}`
  return id
}

async function acceptance(seconds: number): Promise<number> {
  await using bench = await startServer(['--hold-network'])
  return await acceptOn(bench, seconds)
}

/** Sends accepted per second by a server whose network is held. */
export async function acceptOn(bench: Bench, seconds: number): Promise<number> {
  const id = await connectHeld(bench)
  const next = requests(`/v1/instances/${id}/messages`, bench.key)
  const { port } = bench
  await load({ port, connections: CONNECTIONS, seconds: Math.min(5, seconds), next })
  const before = await countCommits(bench)
  const result = await load({ port, connections: CONNECTIONS, seconds, next })
  const statements = (await countCommits(bench)) - before
  const perSecond = describeLoad('accepted and committed sends', result)
  print(`  database statements per send     ${(statements / result.answers).toFixed(4)}`)
  return perSecond
}

/** The same sends, to as many recipients in all, by many Projects, which do not contend for one balance row. */
async function byProjects(count: number, seconds: number): Promise<void> {
  await using bench = await startServer(['--hold-network'])
  const paths: { path: string; key: string }[] = []
  {
    await using storage = await openStorage(parseConfig(bench.env), 'operator')
    const { database: db } = storage
    const projects = await makeProjects(db, count)
    const keys = await makeKeys(db, projects)
    for (const [index, projectId] of projects.entries()) {
      const id = newId('ins', Date.now())
      await db.system`
        update project set subscription = 'active' where id = ${projectId}`
      await db.system`insert into balance (project_id, credits) values (${projectId}, 1000000000)`
      await db.system`
        insert into instance (id, project_id, mode, name, status, phone, settings, created_at, updated_at)
        values (${id}, ${projectId}, 'production', 'x', 'CONNECTED', '5511900000000', '{}', now(), now())`
      paths.push({ path: `/v1/instances/${id}/messages`, key: keys[index] ?? '' })
    }
  }
  const recipients = Math.ceil(RECIPIENTS / count)
  const each = paths.map(({ path, key }) => requests(path, key, recipients))
  let turn = 0
  const next = () => each[turn++ % each.length]?.() ?? Buffer.alloc(0)
  const { port } = bench
  await load({ port, connections: CONNECTIONS, seconds: Math.min(5, seconds), next })
  const result = await load({ port, connections: CONNECTIONS, seconds, next })
  describeLoad(`  by ${count} Projects`, result)
}

async function finality(seconds: number): Promise<void> {
  await using bench = await startServer()
  await finishOn(bench, seconds)
}

/** Sends per second that reach their final state, from the first to the last. */
export async function finishOn(bench: Bench, seconds: number): Promise<number> {
  const { id } = await pairInstance(bench, 'send')
  const next = requests(`/v1/instances/${id}/messages`, bench.key)
  const startedAt = performance.now()
  const result = await load({ port: bench.port, connections: CONNECTIONS, seconds, next })
  const accepted = result.answers
  for (;;) {
    const instance = await bench.call('GET', `/v1/instances/${id}`)
    if ((instance['queue'] as { pending: number }).pending === 0) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const elapsed = (performance.now() - startedAt) / 1000
  print(
    `sends to their final state         ${(accepted / elapsed).toFixed(0).padStart(7)}/s   ` +
      `(${accepted} accepted in ${result.seconds.toFixed(1)} s, final after ${elapsed.toFixed(1)} s)`,
  )
  return accepted / elapsed
}

/** `npm run bench -- send [seconds]`: rates of acceptance and of reaching the final state. */
export async function benchSend(seconds: number): Promise<void> {
  print(`send: ${CONNECTIONS} connections, ${seconds} s, everything on this machine`)
  const ceiling = await bare(Math.min(10, seconds))
  const accepted = await acceptance(seconds)
  print(`  relative to the bare route       ${(accepted / ceiling).toFixed(2)}`)
  for (const count of PROJECTS) await byProjects(count, Math.min(10, seconds))
  await finality(Math.min(10, seconds))
}
