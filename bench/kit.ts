// Shared helpers of the benchmarks: servers, paired instances, load and measurement.
import { spawn, type ChildProcess } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { createApp, type App } from '../src/app/app.ts'
import type { EventDraft } from '../src/events/events.service.ts'
import { createBatcher } from '../src/kernel/batcher.ts'
import { makeKey } from '../src/company/keys/parse-key.ts'
import { newId } from '../src/kernel/ids.ts'
import { hashToken } from '../src/kernel/seal.ts'
import { createOperator } from '../src/operations/operator.ts'
import { parseConfig } from '../src/kernel/config/config.ts'
import type { Db } from '../src/platform/db/sql.ts'
import { openStorage } from '../src/platform/db/storage.ts'
import { makeDataDir, removeDataDir } from '../test/kit/process.ts'
import type { CpuProfile } from './cpu-profile.ts'

/** A server in a separate process, with an account and a key. */
export type Bench = AsyncDisposable & {
  port: number
  pid: number
  env: Record<string, string>
  key: string
  projectId: string
  /** Calls the API on the production host; rejects on a non-2xx status. */
  call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  /** Resident memory of the server process in bytes, after a garbage collection. */
  memory(): Promise<number>
  /** Profiles the server process until the function it returns is called. */
  profile(): Promise<() => Promise<CpuProfile>>
  /** Stops the server and starts it again on the same data. */
  restart(): Promise<void>
}

const script = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Starts a benchmark process, which ends with this one; resolves with it and the JSON value of its first output line. */
export async function start<Ready>(
  name: string,
  args: string[],
  env: Record<string, string>,
): Promise<{ child: ChildProcess; ready: Ready }> {
  const child = spawn(
    process.execPath,
    [
      ...(process.env['BENCH_NODE_ARGS']?.split(' ') ?? []),
      '--expose-gc',
      // As in `npm start`.
      '--heap-growing-percent=100',
      `--max-semi-space-size=${env['MALLOC_ARENA_MAX'] ? 4 : 8}`,
      '--import',
      script('../test/kit/end-with-parent.ts'),
      script(name),
      ...args,
    ],
    {
      env: { PATH: process.env['PATH'] ?? '', MALLOC_ARENA_MAX: '2', ...env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  )
  const lines = createInterface({ input: child.stdout ?? process.stdin })
  const line = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve)
    child.once('exit', (code) =>
      reject(new Error(`${name} exited with code ${code} before it was ready`)),
    )
  })
  return { child, ready: JSON.parse(line) as Ready }
}

/** Sends SIGTERM and waits for the exit. */
export async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

/**
 * Starts a server in production mode on the simulator, with a subscribed Project, credits and a key. `settings` are
 * lines added to PostgreSQL's configuration.
 */
export async function startServer(
  args: string[] = [],
  more: Record<string, string> = {},
  settings = '',
): Promise<Bench> {
  const dataDir = makeDataDir()
  const env = {
    DATA_DIR: dataDir,
    PORT: '0',
    PRODUCTION_NETWORK: 'simulator',
    EGRESS_ALLOW: '127.0.0.1/32',
    ...more,
  }
  const config = parseConfig(env)
  const email = 'bench@empresa.com.br'
  const password = 'uma senha longa'
  let projectId: string
  {
    await using storage = await openStorage(config, 'operator')
    const { migrate } = await import('../src/platform/db/migrate.ts')
    await migrate(storage.database)
    const db = storage.database
    const { accounts, projects, billing } = createOperator(config, db)
    const input = { company: 'Bench', taxId: '11222333000181', email, password }
    projectId = (await accounts.create(db, input, true)).projectId
    await projects.set(db, projectId, 'subscription.set', { subscription: 'active' })
    await billing.grant(db, projectId, 1_000_000_000)
  }
  if (settings)
    appendFileSync(join(dataDir, 'postgres', 'cluster', 'postgresql.auto.conf'), settings)
  let running = await start<{ port: number }>('server.ts', args, env)
  let token = ''
  const call: Bench['call'] = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${running.ready.port}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        authorization: `Bearer ${token}`,
        'x-token-response': 'body',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Record<string, unknown>
    if (!response.ok) {
      throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(answer)}`)
    }
    return answer
  }
  token = String((await call('POST', '/v1/auth/login', { email, password }))['accessToken'])
  const key = String((await call('POST', '/v1/keys', { name: 'bench' }))['key'])
  token = key
  const ask = (order: string) =>
    new Promise<unknown>((resolve) => {
      running.child.once('message', resolve)
      running.child.send(order)
    })
  return {
    get port() {
      return running.ready.port
    },
    get pid() {
      return running.child.pid ?? 0
    },
    env,
    key,
    projectId,
    call,
    memory: async () => Number(await ask('memory')),
    async profile() {
      await ask('profile')
      return async () => (await ask('profiled')) as CpuProfile
    },
    async restart() {
      await stop(running.child)
      running = await start('server.ts', args, env)
    },
    async [Symbol.asyncDispose]() {
      await stop(running.child)
      removeDataDir(dataDir)
    },
  }
}

/** Pairs a new instance with a virtual phone; resolves once it is CONNECTED. */
export async function pairInstance(
  bench: Bench,
  name: string,
): Promise<{ id: string; phone: string }> {
  const instance = await bench.call('POST', '/v1/instances', { name })
  const phone = await bench.call('POST', '/v1/simulator/phones', { name })
  const id = String(instance['id'])
  for (;;) {
    const { code } = await bench.call('GET', `/v1/instances/${id}/qr/poll`)
    if (code) {
      await bench.call('POST', `/v1/simulator/phones/${String(phone['id'])}/scan`, { code })
      break
    }
  }
  while ((await bench.call('GET', `/v1/instances/${id}`))['status'] !== 'CONNECTED');
  return { id, phone: String(phone['phone']) }
}

/** Returns the database's commit counter; a statement outside a transaction counts as one. */
export async function countCommits(bench: Bench): Promise<number> {
  await using storage = await openStorage(parseConfig(bench.env), 'operator')
  await storage.database.system`select pg_stat_force_next_flush()`
  const [row] = await storage.database.system<{ commits: number }[]>`
    select xact_commit as commits from pg_stat_database where datname = current_database()`
  return row?.commits ?? 0
}

/** Wall-clock time in milliseconds, with sub-millisecond resolution. */
export const wall = () => performance.timeOrigin + performance.now()

type Tally = { received: number; distinct: number; latenciesMs: number[] }

/** Returns the receiver's counts, and the latencies in milliseconds since the previous call. */
export function readTally(receiver: ChildProcess): Promise<Tally> {
  return new Promise((resolve) => {
    receiver.once('message', (tally) => resolve(tally as Tally))
    receiver.send('tally')
  })
}

/** Calls `work` at a steady rate, without waiting for earlier calls to finish. */
export function openLoop(
  perSecond: number,
  seconds: number,
  work: () => Promise<unknown>,
): Promise<void> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    let done = 0
    const timer = setInterval(() => {
      const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond)
      for (; done < due; done++) void work()
      if (done >= seconds * perSecond) {
        clearInterval(timer)
        resolve()
      }
    }, 2)
  })
}

/** Creates an event with its creation time, from which the receiver computes the latency. */
export const draft = (projectId: string): EventDraft => ({
  name: 'message.received',
  projectId,
  mode: 'production',
  instanceId: 'ins_bench',
  data: {
    waMessageId: newId('msg', 0),
    message: {
      type: 'text',
      chat: { type: 'direct' },
      text: 'x'.repeat(300),
      sentAt: wall(),
    },
  } as never,
})

/** Returns a function that records events in batches, as the messaging modules do. */
export function createRecorder(app: App): (event: EventDraft) => Promise<void> {
  const recorder = createBatcher<EventDraft, void>({
    activity: app.activity,
    maxItems: 256,
    maxInFlight: 2,
    async flush(drafts) {
      await app.events.record(app.storage.database, drafts)
      return drafts.map(() => {})
    },
  })
  return recorder.add
}

/** A server in the benchmark's own process. */
export type Workshop = AsyncDisposable & { app: App; port: number }

/** Starts a server in this process, in production mode on the simulator. */
export async function openWorkshop(): Promise<Workshop> {
  const dataDir = makeDataDir()
  const config = parseConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    PRODUCTION_NETWORK: 'simulator',
    EGRESS_ALLOW: '127.0.0.0/8',
  })
  const app = await createApp(config, { logger: pino({ level: 'error' }) })
  const port = await app.listen()
  return {
    app,
    port,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      removeDataDir(dataDir)
    },
  }
}

/** Creates Projects in one account; returns their ids. */
export async function makeProjects({ system }: Db, count: number): Promise<string[]> {
  const projects = Array.from({ length: count }, () => newId('prj', Date.now()))
  const account = newId('acc', Date.now())
  const at = new Date()
  await system`
    insert into account (id, company, tax_id, created_at) values (${account}, 'Bench', '0', ${at})`
  await system`
    insert into project (id, account_id, name, created_at)
    select id, ${account}, 'Bench', ${at} from unnest(${projects}::text[]) as p(id)`
  return projects
}

/** Creates one key for each Project; returns the keys in the same order. */
export async function makeKeys(db: Db, projects: string[]): Promise<string[]> {
  const keys = projects.map(() => makeKey('production'))
  await db.system`
    insert into api_key (id, project_id, mode, name, key_prefix, secret_hash, created_at)
    select id, project_id, 'production', 'bench', prefix, decode(hash, 'hex'), ${new Date()}
    from unnest(${projects.map(() => newId('key', 0))}::text[], ${projects}::text[],
      ${keys.map(({ keyPrefix }) => keyPrefix)}::text[],
      ${keys.map(({ key }) => hashToken(key).toString('hex'))}::text[])
      as k(id, project_id, prefix, hash)`
  return keys.map(({ key }) => key)
}
