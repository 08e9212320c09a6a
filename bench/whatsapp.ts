// The WhatsApp adapter compared with the engine alone, against the protocol server in a separate process.
import type { ChildProcess } from 'node:child_process'
import { openStorage } from '../src/platform/db/storage.ts'
import { parseConfig } from '../src/kernel/config/config.ts'
import { print } from './load.ts'
import { start, startServer, stop, type Bench } from './kit.ts'
import type { BareOrders } from './whatsapp-bare.ts'
import type { ServerOrders, ServerReady } from './whatsapp-server.ts'

const CONTACTS = 10
const SESSIONS = 200
/** `start` also halves the semi-space for this environment: most session objects are long-lived. */
const SMALL = { MALLOC_ARENA_MAX: '2' }

type Ask<Orders> = <Name extends keyof Orders & string>(
  name: Name,
  input: Orders[Name] extends (input: infer Input) => unknown ? Input : never,
) => Promise<Orders[Name] extends (input: never) => infer Result ? Awaited<Result> : never>

let asked = 0

/** Returns a function that sends IPC commands to `child` and resolves with their results. */
function asker<Orders>(child: ChildProcess): Ask<Orders> {
  return (name, input) =>
    new Promise((resolve) => {
      const id = ++asked
      const onResponse = (answer: { id?: number; result: never }) => {
        if (answer.id !== id) return
        child.off('message', onResponse)
        resolve(answer.result)
      }
      child.on('message', onResponse)
      child.send({ id, name, input })
    })
}

async function until(so: () => Promise<boolean>, everyMs = 20): Promise<void> {
  while (!(await so())) await new Promise((resolve) => setTimeout(resolve, everyMs))
}

const seconds = async (work: () => Promise<void>): Promise<number> => {
  const from = performance.now()
  await work()
  return (performance.now() - from) / 1000
}

type World = { server: Ask<ServerOrders>; contacts: string[]; ready: ServerReady }
const ROUNDS = 5

/** One side of the comparison: the engine alone, or the adapter. */
type Contestant = {
  /** Bytes per idle session. */
  memory: number
  /** Messages per second. */
  send(count: number): Promise<number>
  /** Messages per second. */
  receive(count: number): Promise<number>
  stop(): Promise<void>
}

async function contestant(world: World, name: string, prefix: string): Promise<Contestant> {
  const { server, contacts, ready } = world
  const { child } = await start(name, [ready.url, ready.rootKey], SMALL)
  const ask = asker<BareOrders>(child)
  child.on('message', ({ phone, code }: { phone?: string; code: string }) => {
    if (phone) void server('scan', { phone, code })
  })
  const [first = '', ...others] = await server('people', { prefix, count: SESSIONS })
  await ask('open', { phones: [first] })
  const base = await ask('memory', {})
  await ask('open', { phones: others })
  const memory = ((await ask('memory', {})) - base) / others.length
  return {
    memory,
    async send(count) {
      const before = await server('received', { phones: contacts })
      const took = await seconds(async () => {
        await ask('send', { to: contacts, count })
        await until(async () => (await server('received', { phones: contacts })) - before >= count)
      })
      return count / took
    },
    async receive(count) {
      const before = await ask('received', {})
      const took = await seconds(async () => {
        await server('write', { from: contacts, to: first, count })
        await until(async () => (await ask('received', {})) - before >= count)
      })
      return count / took
    },
    stop: () => stop(child),
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** Alternates between adapter and engine, because the machine's other load varies. */
async function compare(world: World, count: number): Promise<void> {
  const engine = await contestant(world, 'whatsapp-bare.ts', '55117')
  const ours = await contestant(world, 'whatsapp-adapter.ts', '55116')
  const line = (name: string, left: number, right: number, unit: string, digits = 0) =>
    print(
      `  ${name.padEnd(34)} ${left.toFixed(digits).padStart(7)}${unit}  engine alone ` +
        `${right.toFixed(digits).padStart(7)}${unit}  ratio ${(left / right).toFixed(2)}`,
    )
  for (const [what, name] of [
    ['send', 'durable sends'],
    ['receive', 'received'],
  ] as const) {
    for (const one of [engine, ours]) await one[what](100)
    const rounds: [number, number][] = []
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push([await ours[what](count / ROUNDS), await engine[what](count / ROUNDS)])
    }
    const [left, right] = [median(rounds.map(([own]) => own)), median(rounds.map(([, it]) => it))]
    line(`${name}, median of ${ROUNDS}`, left, right, '/s')
  }
  line('memory of an idle session', ours.memory / 2 ** 20, engine.memory / 2 ** 20, ' MB', 2)
  await Promise.all([engine.stop(), ours.stop()])
}

async function pair(bench: Bench, server: World['server'], phone: string): Promise<string> {
  const { id } = await bench.call('POST', '/v1/instances', { name: phone })
  const path = `/v1/instances/${String(id)}`
  let code: unknown = null
  await until(async () => {
    code = (await bench.call('GET', `${path}/qr/poll`))['code']
    return typeof code === 'string'
  }, 50)
  await server('scan', { phone, code: String(code) })
  await until(async () => (await bench.call('GET', path))['status'] === 'CONNECTED', 50)
  return path
}

/** Measures the full product over HTTP, with all rows and events in the database. */
async function product({ server, contacts, ready }: World, count: number): Promise<void> {
  const env = {
    ...SMALL,
    PRODUCTION_NETWORK: 'whatsapp',
    WHATSAPP_URL: ready.url,
    WHATSAPP_ROOT_KEY: ready.rootKey,
  }
  await using bench = await startServer([], env)
  const [first = '', ...others] = await server('people', { prefix: '55118', count: SESSIONS })
  const path = await pair(bench, server, first)
  const send = async (many: number) => {
    let next = 0
    const one = async () => {
      for (let n = next++; n < many; n = next++) {
        const body = { to: contacts[n % contacts.length], text: `mensagem ${n}` }
        await bench.call('POST', `${path}/messages/text`, body)
      }
    }
    await Promise.all(Array.from({ length: 16 }, one))
    await until(async () => {
      const { queue } = await bench.call('GET', path)
      return (queue as { pending: number }).pending === 0
    })
  }
  await send(100)
  const sending = await seconds(() => send(count))
  const { database } = await openStorage(parseConfig(bench.env), 'operator')
  const events = async () => {
    const [row] = await database.system<{ count: number }[]>`
      select count(*)::int as count from event where name = 'message.received'`
    return row?.count ?? 0
  }
  await server('write', { from: contacts, to: first, count: 50 })
  await until(async () => (await events()) >= 50)
  const receiving = await seconds(async () => {
    await server('write', { from: contacts, to: first, count })
    await until(async () => (await events()) >= 50 + count)
  })
  for (let at = 0; at < others.length; at += 10) {
    await Promise.all(others.slice(at, at + 10).map((phone) => pair(bench, server, phone)))
  }
  await until(async () => (await server('current', {})) === SESSIONS)
  await bench.restart()
  const back = await seconds(() => until(async () => (await server('current', {})) === SESSIONS))
  await database.close(1)
  print(`  accepted over HTTP to acknowledged ${(count / sending).toFixed(0).padStart(7)}/s`)
  print(`  inbound to committed event         ${(count / receiving).toFixed(0).padStart(7)}/s`)
  print(`  ${SESSIONS} sessions up after a restart      ${back.toFixed(1).padStart(7)} s`)
}

/** `npm run bench -- whatsapp [messages]`: compares the adapter with the engine, then measures the full product. */
export async function benchWhatsApp(count: number): Promise<void> {
  print(
    `whatsapp: ${count} messages each way, ${SESSIONS} sessions; protocol server in a separate process`,
  )
  const { child, ready } = await start<ServerReady>('whatsapp-server.ts', [], {})
  const server = asker<ServerOrders>(child)
  const contacts = await server('people', { prefix: '55119', count: CONTACTS })
  const world = { server, contacts, ready }
  await compare(world, count)
  await product(world, count)
  await stop(child)
}
