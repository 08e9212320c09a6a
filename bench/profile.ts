// Where the time of a message goes: Node.js by function, PostgreSQL by statement, and what each message writes.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '../src/kernel/config/config.ts'
import type { Db } from '../src/platform/db/sql.ts'
import { openStorage } from '../src/platform/db/storage.ts'
import type { CpuProfile } from './cpu-profile.ts'
import { pairInstance, start, startServer, stop, type Bench } from './kit.ts'
import { load, print } from './load.ts'
import { connectHeld, RECIPIENTS, requests } from './send.ts'

const FILE = fileURLToPath(new URL('profile.json', import.meta.url))
const CONNECTIONS = 64
const WARM_UP_S = 3
const WARM_UP_ROUNDS = 3
/** A figure that is more than this above the stored one fails the check. */
const MOST_ABOVE = 0.15
const TOP_STATEMENTS = 8
/** Nothing between two checkpoints, so that the pages which each copies to the log do not depend on when it comes. */
const SETTINGS = `
shared_preload_libraries = 'pg_stat_statements'
checkpoint_timeout = '1h'
`

/** What one message writes, on average. A machine that stalls sends in smaller batches, which write more for each. */
type Writes = {
  walBytes: number
  rows: number
  /** Row versions that stayed on their page, without new index entries. */
  hotUpdates: number
  indexEntries: number
  statements: number
}
type StatementTime = { label: string; calls: number; ms: number; walBytes: number }
type Path = { name: string; writes: Writes; cpu: CpuProfile; statements: StatementTime[] }

async function findLogEnd({ system }: Db): Promise<string> {
  const [row] = await system<{ lsn: string }[]>`
    select pg_current_wal_insert_lsn()::text as lsn`
  return row?.lsn ?? '0/0'
}

/** Counts the records of the write-ahead log since `from`, per message. */
async function countWrites(db: Db, from: string, messages: number, calls: number): Promise<Writes> {
  const kinds = await db.system<{ name: string; count: number; bytes: number }[]>`
    select "resource_manager/record_type" as name, count::float8 as count, record_size::float8 as bytes
    from pg_get_wal_stats(${from}::pg_lsn, pg_current_wal_flush_lsn(), true)`
  const sum = (pattern: RegExp, of: 'count' | 'bytes' = 'count') =>
    kinds.filter(({ name }) => pattern.test(name)).reduce((total, kind) => total + kind[of], 0)
  const each = (count: number) => Math.round((count / messages) * 100) / 100
  return {
    walBytes: Math.round(sum(/./, 'bytes') / messages),
    rows: each(sum(/^Heap2?\/(INSERT|UPDATE|HOT_UPDATE|DELETE|MULTI_INSERT)/)),
    hotUpdates: each(sum(/^Heap\/HOT_UPDATE/)),
    indexEntries: each(sum(/^Btree\/INSERT_(LEAF|POST)/) + sum(/^Gin\/(INSERT|UPDATE_META_PAGE)$/)),
    statements: Math.round((calls / messages) * 10_000) / 10_000,
  }
}

/** Names a statement by what it writes, or reads. */
function labelOf(query: string): string {
  const tables = (pattern: RegExp) => [
    ...new Set([...query.matchAll(pattern)].map((match) => `${match[1]} ${match[2]}`)),
  ]
  const written = tables(/\b(insert into|update|delete from) ([a-z_]+)/g)
  if (written.length > 0) return written.join(', ')
  return tables(/\b(from|join) ([a-z_]+)/g).join(', ') || query.slice(0, 60)
}

async function readStatements({ system }: Db): Promise<StatementTime[]> {
  const rows = await system<{ query: string; calls: number; ms: number; walBytes: number }[]>`
    select regexp_replace(query, '\\s+', ' ', 'g') as query, calls::float8 as calls,
      total_exec_time as ms, wal_bytes::float8 as wal_bytes
    from pg_stat_statements where query !~ 'pg_stat_|pg_get_wal|pg_current_wal' order by total_exec_time desc`
  return rows.map(({ query, ...row }) => ({ ...row, label: labelOf(query) }))
}

/** Runs `work` with everything measured; it returns the number of messages once all of them are done. */
async function measure(
  bench: Bench,
  db: Db,
  name: string,
  work: () => Promise<number>,
): Promise<Path> {
  await db.system`create extension if not exists pg_stat_statements`
  await db.system`create extension if not exists pg_walinspect`
  await db.system`checkpoint`
  await db.system`select pg_stat_statements_reset()`
  const from = await findLogEnd(db)
  const stopProfile = await bench.profile()
  const messages = await work()
  const cpu = await stopProfile()
  const statements = await readStatements(db)
  const calls = statements.reduce((total, one) => total + one.calls, 0)
  const writes = await countWrites(db, from, messages, calls)
  const perMessage = (ms: number) => ms / messages
  const path: Path = {
    name,
    writes,
    cpu: {
      totalMs: perMessage(cpu.totalMs),
      areas: Object.fromEntries(Object.entries(cpu.areas).map(([k, v]) => [k, perMessage(v)])),
      top: cpu.top.map((one) => ({ ...one, ms: perMessage(one.ms) })),
    },
    statements: statements.slice(0, TOP_STATEMENTS).map((one) => ({
      label: one.label,
      calls: one.calls / messages,
      ms: perMessage(one.ms),
      walBytes: one.walBytes / messages,
    })),
  }
  report(path, messages, statements.reduce((total, one) => total + one.ms, 0) / messages)
  return path
}

const us = (ms: number) => `${(ms * 1000).toFixed(1).padStart(7)} µs`

function report({ name, writes, cpu, statements }: Path, messages: number, databaseMs: number) {
  print(`\n${name}: ${messages} messages; each, on average`)
  print(
    `  WAL ${writes.walBytes} bytes, ${writes.rows} row versions (${writes.hotUpdates} without index entries), ` +
      `${writes.indexEntries} index entries, ${writes.statements} statements`,
  )
  print(`  PostgreSQL ${us(databaseMs)}`)
  for (const one of statements)
    print(`    ${us(one.ms)}  ${one.walBytes.toFixed(0).padStart(5)} bytes  ${one.label}`)
  print(`  Node.js    ${us(cpu.totalMs)}`)
  const areas = Object.entries(cpu.areas).toSorted(([, a], [, b]) => b - a)
  for (const [area, ms] of areas.slice(0, TOP_STATEMENTS)) print(`    ${us(ms)}  ${area}`)
  print('  … by function')
  for (const { name: called, place, ms } of cpu.top) print(`    ${us(ms)}  ${called} ${place}`)
}

const connect = (bench: Bench) => openStorage(parseConfig(bench.env), 'operator')

/** Sends requests for some seconds; returns how many succeeded, and fails if none did. */
async function answersIn(bench: Bench, next: () => Buffer, seconds: number): Promise<number> {
  const { port } = bench
  const { answers } = await load({ port, connections: CONNECTIONS, seconds, next })
  if (answers === 0) throw new Error(`no request succeeded in ${seconds} s`)
  return answers
}

/** Waits for what follows the load; fails after two minutes. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`never true: ${condition.toString()}`)
    await pause(100)
  }
}

/**
 * Warms up until each recipient has several messages, whatever the speed of the machine: the first ones write a
 * conversation, and move it to a page with room for the next.
 */
async function warmUp(run: (seconds: number) => Promise<number>): Promise<void> {
  for (let sent = 0; sent < WARM_UP_ROUNDS * RECIPIENTS;) sent += await run(1)
}

async function sends(seconds: number): Promise<Path> {
  await using bench = await startServer(['--hold-network'], {}, SETTINGS)
  const next = requests(`/v1/instances/${await connectHeld(bench)}/messages`, bench.key)
  const run = (time: number) => answersIn(bench, next, time)
  await warmUp(run)
  await using storage = await connect(bench)
  return await measure(bench, storage.database, 'send accepted', () => run(seconds))
}

async function finals(seconds: number): Promise<Path> {
  await using bench = await startServer([], {}, SETTINGS)
  const { id } = await pairInstance(bench, 'profile')
  const next = requests(`/v1/instances/${id}/messages`, bench.key)
  const run = async (time: number) => {
    const answers = await answersIn(bench, next, time)
    await until(async () => {
      const instance = await bench.call('GET', `/v1/instances/${id}`)
      return (instance['queue'] as { pending: number }).pending === 0
    })
    return answers
  }
  await warmUp(run)
  await using storage = await connect(bench)
  return await measure(bench, storage.database, 'send to its final state', () => run(seconds))
}

async function receives(seconds: number, webhookPort: number | null): Promise<Path> {
  await using bench = await startServer([], {}, SETTINGS)
  const { phone: to } = await pairInstance(bench, 'profile')
  if (webhookPort) {
    const url = `http://127.0.0.1:${webhookPort}/`
    await bench.call('POST', '/v1/webhooks', { name: 'profile', url })
  }
  const sender = await bench.call('POST', '/v1/simulator/phones', { name: 'Ana' })
  const path = `/v1/simulator/phones/${String(sender['id'])}/messages`
  const body = JSON.stringify({ to, text: 'Bom dia! Meu pedido já saiu para entrega?' })
  const request = Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${bench.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  await using storage = await connect(bench)
  const { database: db } = storage
  const received = async () => {
    const [row] = await db.system<{ count: number }[]>`
      select count(*)::int as count from message where direction = 'inbound'`
    return row?.count ?? 0
  }
  const waiting = async () => {
    const [row] = await db.system<{ count: number }[]>`select count(*)::int as count from delivery`
    return row?.count ?? 0
  }
  let sent = 0
  const run = async (time: number) => {
    const answers = await answersIn(bench, () => request, time)
    sent += answers
    await until(async () => (await received()) >= sent)
    await until(async () => (await waiting()) === 0)
    return answers
  }
  await run(WARM_UP_S)
  const name = webhookPort ? 'message received and delivered' : 'message received'
  return await measure(bench, db, name, () => run(seconds))
}

/** Compares what messages write with the stored profile; returns what became worse. */
function compare(paths: Path[], stored: Path[]): string[] {
  return paths.flatMap(({ name, writes }) => {
    const before = stored.find((path) => path.name === name)?.writes
    if (!before) return [`${name}: not in the stored profile`]
    return (['walBytes', 'rows', 'indexEntries'] as const).flatMap((figure) =>
      writes[figure] > before[figure] * (1 + MOST_ABOVE)
        ? [`${name}: ${figure} is ${writes[figure]}, was ${before[figure]}`]
        : [],
    )
  })
}

/** Measures the four paths of a message. */
async function measurePaths(seconds: number): Promise<Path[]> {
  const paths = [await sends(seconds), await finals(seconds), await receives(seconds, null)]
  const receiver = await start<{ port: number }>('receiver.ts', [], {})
  try {
    return [...paths, await receives(seconds, receiver.ready.port)]
  } finally {
    await stop(receiver.child)
  }
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** The first of several rounds with the medians of what a message wrote in all of them. */
function takeMedians([first = [], ...others]: Path[][]): Path[] {
  return first.map((path, index) => {
    const rounds = [path, ...others.flatMap((round) => round[index] ?? [])]
    const of = (figure: keyof Writes) => median(rounds.map(({ writes }) => writes[figure]))
    const writes = { ...path.writes, walBytes: of('walBytes'), rows: of('rows') }
    return { ...path, writes: { ...writes, indexEntries: of('indexEntries') } }
  })
}

/**
 * `npm run bench -- profile [seconds] [--check]`: profiles the four paths of a message and stores the result in
 * bench/profile.json; with `--check` fails instead if a message writes more than stored there. If it seems to, the medians
 * of three rounds decide.
 */
export async function benchProfile(seconds: number, check: boolean): Promise<void> {
  const paths = await measurePaths(seconds)
  if (!check) return writeFileSync(FILE, `${JSON.stringify(paths, null, 2)}\n`)
  const stored = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Path[]) : []
  let worse = compare(paths, stored)
  if (worse.length > 0) {
    for (const line of worse) print(`${line} (first of three rounds)`)
    const rounds = [paths, await measurePaths(seconds), await measurePaths(seconds)]
    worse = compare(takeMedians(rounds), stored)
  }
  for (const line of worse) print(line)
  if (worse.length > 0) process.exitCode = 1
}
