// Sets the database's clock back an hour, then two hours forward: messages and retries stay on time, and no live node
// is declared dead.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { createInstallation, type Installation } from './installation.ts'

const HOUR_S = 3600
const INSTANCES = 10
const WATCHED_MS = 25_000
/**
 * Allowed delays after the first and second attempt, with 10 % of jitter and 10 % for a clock that is being corrected.
 */
const RETRIES_MS = [
  { from: 800, to: 2500 },
  { from: 12_000, to: 21_000 },
] as const

/** Shadows PostgreSQL's clock_timestamp() with a shifted one; returns a function that sets the shift in seconds. */
async function replaceClock(place: Installation, role: string) {
  const { sql, system } = place.database
  await system`create table clock_shift (seconds int)`
  await system`insert into clock_shift values (0)`
  await system`
    create function public.clock_timestamp() returns timestamptz language sql volatile
    return pg_catalog.clock_timestamp() + (select seconds from clock_shift) * interval '1 second'`
  await system`grant select on clock_shift to ${sql(role)}`
  await system`alter role ${sql(role)} set search_path = public, pg_catalog`
  return (seconds: number) => system`update clock_shift set seconds = ${seconds}`
}

/** Starts an endpoint that fails each event twice and records when each attempt arrived. */
async function startEndpoint(stack: AsyncDisposableStack) {
  const attempts = new Map<string, number[]>()
  const server = createServer((incoming, response) => {
    incoming.resume().once('end', () => {
      const id = String(incoming.headers['webhook-id'])
      const times = [...(attempts.get(id) ?? []), performance.now()]
      attempts.set(id, times)
      response.writeHead(times.length > RETRIES_MS.length ? 204 : 500).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`, attempts }
}

const owners = (place: Installation) =>
  place.database.system`select id, owner_node, owner_epoch from instance order by id`.then(
    (rows) => [...rows],
  )

/** Runs both clock jumps and prints their effects; throws on mistimed retries or a new owner. */
export async function runClockJumps(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const place = await createInstallation(stack, 'clock')
  await place.createCompany()
  const setClock = await replaceClock(place, 'clock')
  const [one, two] = [await place.start('one'), await place.start('two')]
  place.ports = [one.port, two.port]
  const { instance } = await place.signInAndConnect()
  const instances = [instance]
  while (instances.length < INSTANCES)
    instances.push(await place.connect(`Loja ${instances.length}`))
  await pause(5000)
  const endpoint = await startEndpoint(stack)
  await place.call('POST', '/v1/webhooks', { name: 'relógio', url: endpoint.url })

  for (const [name, seconds] of [
    ['back an hour', -HOUR_S],
    ['forward two hours', HOUR_S],
  ] as const) {
    const before = await owners(place)
    endpoint.attempts.clear()
    const sent: string[] = []
    const send = async () => {
      for (const id of instances) {
        const to = `5511${900_000_000 + sent.length * 10 + 9}`
        const { status, body } = await place.call('POST', `/v1/instances/${id}/messages`, {
          to,
          text: 'que horas são?',
        })
        assert.equal(status, 201, JSON.stringify(body))
        sent.push(String(body['id']))
      }
    }
    await send()
    await setClock(seconds)
    await pause(2000)
    await send()
    await pause(WATCHED_MS)
    const rows = await place.database.system<{ status: string; count: number }[]>`
      select status, count(*)::int as count from message where id = any(${sent}) group by status`
    const delays = [...endpoint.attempts.values()].map((times) =>
      times.slice(1).map((time, index) => time - (times[index] ?? 0)),
    )
    const late = delays.filter((between) =>
      RETRIES_MS.some(({ from, to }, index) => {
        const ms = between[index] ?? Infinity
        return ms < from || ms > to
      }),
    )
    process.stdout.write(
      `database clock set ${name}: ${sent.length} messages, ${rows.map(({ status, count }) => `${count} ${status}`).join(', ')}   ` +
        `${endpoint.attempts.size} events, retried early or late ${late.length}   ` +
        `instances with a new owner ${(await owners(place)).filter((row, index) => JSON.stringify(row) !== JSON.stringify(before[index])).length}\n`,
    )
    assert.deepEqual(
      rows.map(({ status, count }) => [status, count]),
      [['delivered', sent.length]],
    )
    assert.ok(endpoint.attempts.size >= sent.length)
    assert.deepEqual(late, [])
    assert.deepEqual(await owners(place), before)
    // The nodes' clocks are moving towards the database's clock.
    const [time] = await place.database.system<{ ahead: number }[]>`
      select extract(epoch from max(heartbeat_at) - pg_catalog.clock_timestamp())::float8 as ahead from node`
    const ahead = time?.ahead ?? 0
    assert.ok(
      seconds < 0 ? ahead < -1.5 : ahead > -1.5,
      `the nodes' clocks are ${ahead} s ahead after a jump ${name}`,
    )
  }
}
