// How much slower the statements of messages and deliveries are on a large database than on a small one.
import { createReadStream, globSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import { parseConfig } from '../src/kernel/config/config.ts'
import type { Db } from '../src/platform/db/sql.ts'
import { openStorage } from '../src/platform/db/storage.ts'
import { run } from '../test/kit/process.ts'
import { openLoop, pairInstance, start, startServer, stop, type Bench } from './kit.ts'
import { percentile, print } from './load.ts'

/** Rows of the large database. */
const MESSAGES = 5_000_000
const ATTEMPTS = 30_000_000
const WEBHOOKS = 100_000
/** Of the messages, a fifth belongs to the instance that is measured; the others to these. */
const OTHER_INSTANCES = 400
const CONVERSATIONS = 50_000
/** Attempts are kept for thirty days. */
const DAYS = 30
const EXPIRED_DAYS = 3
const DAY_MS = 24 * 3600_000
/** Requests per second: few, so that statements do not wait for a processor. */
const SENDS = 100
const RECEIVED = 50
const READS = 20
const SECONDS = 30
const ROUNDS = 3
const SMALL_SHARE = 0.001
/** A statement that runs less often is not a hot one, and has no p99. */
const MIN_CALLS = 200
const TARGET = 1.5
const PATIENCE_MS = 120_000

const SETTINGS = `
logging_collector = on
log_destination = 'jsonlog'
log_directory = 'growth'
log_rotation_size = 0
max_wal_size = '8GB'
`

type Durations = Map<string, number[]>
/** A running server with a connected instance, to be filled and measured. */
export type Fleet = {
  bench: Bench
  db: Db
  instance: { id: string; phone: string }
  friend: string
}

/** `npm run bench -- growth [share]`: a share of 1 is the full size; prints p50 and p99 of each hot statement. */
export async function benchGrowth(share = 1): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const receiver = await start<{ port: number }>('receiver.ts', [], {})
  stack.defer(() => stop(receiver.child))
  const url = `http://127.0.0.1:${receiver.ready.port}/`
  // In turns, because other work on the machine comes and goes.
  const rounds: { small: Durations; large: Durations }[] = []
  const bench = stack.use(await startServer([], {}, SETTINGS))
  {
    await using connections = new AsyncDisposableStack()
    const other = connections.use(await startServer([], {}, SETTINGS))
    const small = await openFleet(connections, other, url, SMALL_SHARE)
    const large = await openFleet(connections, bench, url, share)
    for (let round = 1; round <= ROUNDS; round++)
      rounds.push({
        small: await measure(small, `small ${round}`),
        large: await measure(large, `large ${round}`),
      })
  }
  compare(rounds)
  await timeDoctor(bench)
  await timeRetention(bench)
}

/** Fills a server's database with a share of the rows; the connection to it is closed with `stack`. */
async function openFleet(
  stack: AsyncDisposableStack,
  bench: Bench,
  url: string,
  share: number,
): Promise<Fleet> {
  const instance = await pairInstance(bench, 'growth')
  const friend = await bench.call('POST', '/v1/simulator/phones', { name: 'Cliente' })
  await bench.call('POST', '/v1/webhooks', { name: 'growth', url })
  const storage = stack.use(await openStorage(parseConfig(bench.env), 'operator'))
  const fleet = { bench, db: storage.database.patient, instance, friend: String(friend['id']) }
  await fill(fleet, share)
  return fleet
}

/** Fills the database with a share of its rows, as the server would have written them. */
export async function fill(fleet: Fleet, share: number): Promise<void> {
  const startedAt = performance.now()
  const tag = `${Math.round(share * 1000)}`
  await addMessages(fleet, tag, share)
  await addWebhooks(fleet, tag, share)
  await addAttempts(fleet, tag, share)
  for (const table of [
    'message',
    'message_history',
    'conversation',
    'contact',
    'webhook',
    'ledger',
  ])
    await fleet.db.system.unsafe(`vacuum analyze ${table}`)
  await fleet.db.system`analyze delivery_log`
  await fleet.db.system`checkpoint`
  const [row] = await fleet.db.system<{ size: string }[]>`
    select pg_size_pretty(pg_database_size(current_database())) as size`
  print(`filled with ${share} of the rows in ${seconds(startedAt)} s: ${row?.size}`)
}

const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1)

async function addMessages({ db, bench, instance }: Fleet, tag: string, share: number) {
  const { projectId } = bench
  const { system } = db
  const count = Math.round(MESSAGES * share)
  const conversations = Math.max(50, Math.round(CONVERSATIONS * share))
  await system`
    insert into instance (id, project_id, mode, name, status, settings, created_at, updated_at)
    select 'ins_' || ${tag}::text || '_' || n, ${projectId}, 'production', 'x', 'LOGGED_OUT', '{}', now(), now()
    from generate_series(1, ${OTHER_INSTANCES}) n on conflict do nothing`
  await system`
    insert into conversation (id, project_id, mode, instance_id, chat_id, chat_type, phone, name, unread_count,
      last_message_at, created_at)
    select 'cnv_' || ${tag}::text || '_' || n, ${projectId}, 'production',
      case when n % 5 = 0 then ${instance.id} else 'ins_' || ${tag}::text || '_' || (1 + n % ${OTHER_INSTANCES}) end,
      '55' || (${Number(tag) + 10}::int * 1000000000::bigint + n) || '@s.whatsapp.net', 'direct',
      '55' || (${Number(tag) + 10}::int * 1000000000::bigint + n), 'Cliente ' || n, n % 3, now() - n * interval '1 minute', now()
    from generate_series(1, ${conversations}) n`
  await system`
    insert into contact (project_id, mode, instance_id, phone, name, created_at, updated_at)
    select project_id, mode, instance_id, phone, name, now(), now() from conversation
    where id like ${`cnv\\_${tag}\\_%`} on conflict do nothing`
  // In parts, so that no statement holds back what autovacuum may clean.
  const part = 250_000
  for (let from = 0; from < count; from += part) {
    await system`
      insert into message (id, project_id, mode, instance_id, conversation_id, wa_message_id, direction, origin, type,
        status, chat_id, chat_type, content, text, created_at, sent_at)
      select 'msg_' || ${tag}::text || '_' || n, ${projectId}, 'production', k.instance_id, k.id, 'WA' || ${tag}::text || n,
        case when n % 2 = 0 then 'inbound' else 'outbound' end, case when n % 2 = 0 then 'phone' else 'api' end, 'text',
        case when n % 2 = 0 then 'received' else 'delivered' end, k.chat_id, 'direct', '{"type":"text","text":""}',
        'Seu pedido ' || n || ' saiu para entrega' || case when n % 100 = 3 then ' com desconto' else '' end,
        now() - (${count}::int - n) * ${(180 * 86_400) / count}::float8 * interval '1 second', now()
      from generate_series(${from + 1}::int, ${Math.min(count, from + part)}::int) n
      join conversation k on k.id = 'cnv_' || ${tag}::text || '_' || (1 + n * 7919::bigint % ${conversations})`
  }
  await system`
    insert into message_history (message_id, status, at)
    select 'msg_' || ${tag}::text || '_' || n, s.status, now()
    from generate_series(1, ${count}, 2) n, (values ('queued'), ('sent'), ('delivered')) s(status)`
  await system`
    insert into ledger (project_id, at, cause, amount, reference)
    select ${projectId}, now(), 'send', -1, 'msg_' || ${tag}::text || '_' || n
    from generate_series(1, ${count}, 2) n`
  await system`
    update balance set credits = (select sum(amount) from ledger where project_id = ${projectId})
    where project_id = ${projectId}`
}

/** Webhooks of other Projects, one in a hundred of them with deliveries that wait for their next attempt. */
async function addWebhooks({ db }: Fleet, tag: string, share: number) {
  const count = Math.round(WEBHOOKS * share)
  const account = `acc_${tag}`
  await db.system`
    insert into account (id, company, tax_id, created_at) values (${account}, 'Bench', '0', now())`
  await db.system`
    insert into project (id, account_id, name, created_at)
    select 'prj_' || ${tag}::text || '_' || n, ${account}, 'Bench', now() from generate_series(0, ${Math.ceil(count / 10)}) n`
  await db.system`
    insert into webhook (id, project_id, mode, name, url, secret_sealed, created_at)
    select 'whk_' || ${tag}::text || '_' || n, 'prj_' || ${tag}::text || '_' || n / 10, 'production', 'x', 'https://example.com/', '', now()
    from generate_series(1, ${count}) n`
  await db.system`
    insert into delivery (webhook_id, webhook_generation, event_id, event_at, attempt, due_at, visible_at)
    select 'whk_' || ${tag}::text || '_' || n, 1, 'evt_x', now(), 2, now() + interval '1 day', now() + interval '1 day'
    from generate_series(1, ${count}, 100) n, generate_series(1, 20)`
}

/** Fills the thirty days before today with attempts. */
async function addAttempts({ db }: Fleet, tag: string, share: number) {
  const perDay = Math.round((ATTEMPTS * share) / DAYS)
  const webhooks = Math.max(1, Math.round(WEBHOOKS * share))
  for (let day = DAYS; day > 0; day--) await addDay(db, day, { tag, perDay, webhooks })
}

/** Fills the partition of a day, counted back from today. */
async function addDay(
  db: Db,
  day: number,
  { tag, perDay, webhooks }: { tag: string; perDay: number; webhooks: number },
): Promise<void> {
  const begin = new Date(Math.floor((Date.now() - day * DAY_MS) / DAY_MS) * DAY_MS)
  const end = new Date(begin.getTime() + DAY_MS)
  const name = `delivery_log_${begin.toISOString().slice(0, 10).replaceAll('-', '')}`
  await db.system.unsafe(
    `create table if not exists ${name} partition of delivery_log
      for values from ('${begin.toISOString()}') to ('${end.toISOString()}')`,
  )
  await db.system`
    insert into delivery_log (webhook_id, event_id, event, attempt, status_code, success, duration_ms, created_at)
    select 'whk_' || ${tag}::text || '_' || (1 + n % ${webhooks}), 'evt_01jcqz3v8xf6k9m2n4p5r7s8t9', 'message.received', 1,
      200, true, 12, ${begin}::timestamptz + n * interval '1 second' * ${86_399 / perDay}::float8
    from generate_series(1, ${perDay}) n`
}

/** Puts the same steady load on the server and returns how long each statement took in PostgreSQL. */
async function measure({ bench, db, instance, friend }: Fleet, name: string): Promise<Durations> {
  const base = `/v1/instances/${instance.id}`
  const conversations = await db.system<{ id: string; phone: string }[]>`
    select id, phone from conversation where instance_id = ${instance.id} order by random() limit 5000`
  const { items } = (await bench.call('GET', '/v1/webhooks')) as { items: { id: string }[] }
  const [webhook] = items
  let failures = 0
  const call = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const answer = await request(`http://127.0.0.1:${bench.port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${bench.key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.body.text()
    if (answer.statusCode >= 300 && failures++ === 0) print(`${method} ${path}: ${text}`)
  }
  let turn = 0
  const one = () => conversations[turn++ % conversations.length] ?? { id: '', phone: '' }
  const send = () =>
    call('POST', `${base}/messages`, { to: `+${one().phone}`, text: `Seu pedido ${turn} saiu` })
  const receive = () =>
    call('POST', `/v1/simulator/phones/${friend}/messages`, { to: instance.phone, text: 'Oi' })
  const reads = [
    () => `${base}/messages`,
    () => `${base}/messages?conversationId=${one().id}`,
    () => `${base}/messages?q=com%20desconto`,
    () => `${base}/conversations`,
    () => `${base}/conversations?unread=true`,
    () => `${base}/conversations/${one().id}`,
    () => `${base}/contacts`,
    () => `/v1/webhooks/${webhook?.id}/deliveries`,
    () => '/v1/webhooks',
  ]
  const read = () => call('GET', reads[turn % reads.length]?.() ?? '')
  const load = (forSeconds: number) =>
    Promise.all([
      openLoop(SENDS, forSeconds, send),
      openLoop(RECEIVED, forSeconds, receive),
      openLoop(READS, forSeconds, read),
    ])
  await load(5)
  await setLogging(db, true)
  await load(SECONDS)
  await drain(db)
  await setLogging(db, false)
  const durations = await readLog(bench, name)
  const total = [...durations.values()].reduce((sum, values) => sum + values.length, 0)
  print(`${name}: ${SECONDS} s, ${total} statements, ${failures} failed requests`)
  return durations
}

async function setLogging(db: Db, on: boolean): Promise<void> {
  if (on) await db.system`select pg_rotate_logfile()`
  await db.system.unsafe(`alter system set log_min_duration_statement = ${on ? 0 : -1}`)
  await db.system`select pg_reload_conf()`
  await pause(1000)
}

/** Waits until nothing waits to be sent or delivered. */
async function drain({ system }: Db): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const [row] = await system<{ open: number }[]>`
      select (select count(*) from outbox) + (select count(*) from delivery where due_at < now()) as open`
    if (Number(row?.open) === 0) return
    if (performance.now() > deadline)
      throw new Error(`${row?.open} messages and deliveries are still open`)
    await pause(100)
  }
}

/** The durations of all statements of the newest log, in milliseconds, by their text. */
async function readLog(bench: Bench, name: string): Promise<Durations> {
  const directory = join(bench.env['DATA_DIR'] ?? '', 'postgres', 'cluster', 'growth')
  const [file] = globSync('*.json', { cwd: directory }).toSorted().toReversed()
  if (!file) throw new Error(`${name}: PostgreSQL has written no log in ${directory}`)
  const durations: Durations = new Map()
  for await (const line of createInterface({ input: createReadStream(join(directory, file)) })) {
    const { message = '' } = JSON.parse(line) as { message?: string }
    const found = /^duration: ([\d.]+) ms {2}execute [^:]+: (.+)$/s.exec(message)
    if (!found) continue
    const [, ms, text = ''] = found
    const query = text.replaceAll(/\s+/g, ' ')
    const known = durations.get(query)
    if (known) known.push(Number(ms))
    else durations.set(query, [Number(ms)])
  }
  return durations
}

/** Prints each hot statement with the medians of its rounds. */
function compare(rounds: { small: Durations; large: Durations }[]): void {
  const everyRound = (query: string, size: 'small' | 'large') =>
    rounds.map((round) => round[size].get(query) ?? [])
  const sum = (values: number[]) => values.reduce((total, ms) => total + ms, 0)
  const rows = [...(rounds[0]?.large.keys() ?? [])]
    .map((query) => ({
      query,
      small: everyRound(query, 'small'),
      large: everyRound(query, 'large'),
    }))
    .filter(({ small, large }) =>
      [...small, ...large].every((values) => values.length >= MIN_CALLS),
    )
    .toSorted((a, b) => sum(b.large.flat()) - sum(a.large.flat()))
  print(
    'hot statements in PostgreSQL       calls    p50 small   large  ratio    p99 small   large  ratio',
  )
  let above = 0
  for (const { query, small, large } of rows) {
    const at = (of: number[][], share: number) =>
      percentile(
        of.map((values) => percentile(values, share)),
        0.5,
      )
    const show = (share: number) => {
      const [before, after] = [at(small, share), at(large, share)]
      return `${before.toFixed(2).padStart(9)} ${after.toFixed(2).padStart(7)} ${(after / before).toFixed(2).padStart(6)}`
    }
    if (at(large, 0.99) > TARGET * at(small, 0.99)) above++
    const calls = String(large.flat().length).padStart(6)
    print(`${label(query).padEnd(34).slice(0, 34)} ${calls} ${show(0.5)} ${show(0.99)}`)
  }
  const total = (size: 'small' | 'large') => sum(rows.map((row) => sum(row[size].flat())))
  print(
    `${rows.length} hot statements, ${above} with a p99 above ${TARGET} of the small database's; ` +
      `all together ${(total('large') / total('small')).toFixed(2)} of its time`,
  )
}

/** Names a statement by the tables that it writes, or else by those that it reads. */
function label(query: string): string {
  const written = [...query.matchAll(/\b(?:insert into|update|delete from) ([a-z_]+)/g)].map(
    ([, table = '']) => table,
  )
  if (written.length > 0) return `writes ${[...new Set(written)].join(', ')}`
  const read = [...query.matchAll(/\b(?:from|join) ([a-z_]+)/g)].map(([, table = '']) => table)
  return `reads ${[...new Set(read)].join(', ') || query}`
}

async function timeDoctor({ env }: Bench): Promise<void> {
  const startedAt = performance.now()
  const { code, output } = await run('src/cli.ts', ['doctor'], env).ended
  print(`recado-ops doctor beside the server: ${seconds(startedAt)} s, exit code ${code}`)
  if (code !== 0) print(output)
}

/** Times a start that drops full days which have expired; they are added just before, or maintenance drops them. */
async function timeRetention(bench: Bench): Promise<void> {
  const config = parseConfig(bench.env)
  const countDays = async () => {
    await using storage = await openStorage(config, 'operator')
    const [row] = await storage.database.system<{ days: number }[]>`
      select count(*)::int as days from pg_inherits where inhparent = 'delivery_log'::regclass`
    return row?.days ?? 0
  }
  {
    await using storage = await openStorage(config, 'operator')
    const rows = { tag: 'old', perDay: ATTEMPTS / DAYS, webhooks: WEBHOOKS }
    for (let day = 1; day <= EXPIRED_DAYS; day++)
      await addDay(storage.database.patient, DAYS + 1 + day, rows)
  }
  const before = await countDays()
  const startedAt = performance.now()
  await bench.restart()
  const took = seconds(startedAt)
  print(`restart: ${took} s, which drops ${before - (await countDays())} expired days of attempts`)
}
