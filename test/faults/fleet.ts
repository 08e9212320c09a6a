// Three nodes: how instances are distributed, and how soon they reconnect when a node dies, stops, freezes or joins.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { createInstallation, type Installation } from './installation.ts'

const INSTANCES = 41
/** Instances of the scenario `many`. */
const MANY = Number(process.env['INSTANCES'] ?? 2000)
/** A Project may have 100 phones; each can be paired with any number of instances. */
const PHONES = 50
const CONNECTED_AT_ONCE = 8
const GIVE_UP_MS = 120_000
const CLIENTS = 6
/** Allowed deviation from an even distribution, as a share of the expected count. */
const MAX_IMBALANCE = 0.1
const AWAY_MS = 20_000

/** A node, its instances, and those of them that are connected. */
export type NodeLoad = { id: string; epoch: number; instances: number; connected: number }

/** Counts the instances of each node. */
export async function countInstancesByNode(place: Installation): Promise<NodeLoad[]> {
  const rows = await place.database.system<NodeLoad[]>`
    select n.id, n.epoch, count(i.id)::int as instances,
      count(i.id) filter (where i.status = 'CONNECTED')::int as connected
    from node n left join instance i on i.owner_node = n.id and i.owner_epoch = n.epoch
    group by n.id order by n.epoch`
  return [...rows]
}

/** Polls until `holds` is true; returns how long that took, in milliseconds. */
export async function until(
  place: Installation,
  holds: (nodes: NodeLoad[]) => boolean,
): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const nodes = await countInstancesByNode(place)
    if (holds(nodes)) return performance.now() - startedAt
    assert.ok(performance.now() - startedAt < GIVE_UP_MS, JSON.stringify(nodes))
    await pause(50)
  }
}

/** Whether each of `count` nodes has about as many connected instances. */
export const even =
  (count: number, instances = INSTANCES) =>
  (nodes: NodeLoad[]) =>
    nodes.length === count &&
    nodes.every(({ connected }) => {
      const share = instances / count
      return Math.abs(connected - share) <= Math.max(1, share * MAX_IMBALANCE)
    })
/** Whether `count` nodes are left, with all instances connected. */
export const allConnected =
  (count: number, instances = INSTANCES) =>
  (nodes: NodeLoad[]) =>
    nodes.length === count && nodes.reduce((sum, { connected }) => sum + connected, 0) === instances

/** Prints a duration; throws if it exceeds the target. Both are in milliseconds. */
export function reportDuration(what: string, ms: number, target: number): void {
  const seconds = `${(ms / 1000).toFixed(1)} s`.padStart(7)
  process.stdout.write(`  ${what.padEnd(48)} ${seconds}   (target ${target / 1000} s)\n`)
  assert.ok(ms <= target, `${what}: ${ms} ms`)
}

/** Kills one of three nodes with many instances, and prints how soon its instances are connected elsewhere. */
export async function runManyInstances(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const place = await createInstallation(stack, 'many')
  await place.createCompany()
  const nodes = [await place.start('one'), await place.start('two'), await place.start('three')]
  place.ports = nodes.map(({ port }) => port)
  await place.signIn()
  const phones = await Promise.all(
    Array.from({ length: PHONES }, (_, index) => place.phone(`Loja ${index}`)),
  )
  let named = 0
  const connectSome = async () => {
    while (named < MANY) {
      const index = named++
      await place.connect(`Loja ${index}`, phones[index % PHONES])
    }
  }
  await Promise.all(Array.from({ length: CONNECTED_AT_ONCE }, connectSome))
  process.stdout.write(`three nodes, ${MANY} instances\n`)
  reportDuration('balanced', await until(place, even(3, MANY)), 120_000)
  nodes[1]?.server.child.kill('SIGKILL')
  reportDuration('a killed node detected', await until(place, (left) => left.length === 2), 2000)
  reportDuration(
    'all connected elsewhere after it',
    await until(place, allConnected(2, MANY)),
    10_000,
  )
}

/** Runs the scenarios and prints their durations; throws if a target is missed. */
export async function runFleet(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const place = await createInstallation(stack, 'fleet')
  await place.createCompany()
  const one = await place.start('one')
  place.ports = [one.port]
  const instances = [(await place.signInAndConnect()).instance]
  while (instances.length < INSTANCES)
    instances.push(await place.connect(`Loja ${instances.length}`))

  // Each client sends through each instance in turn and records the accepted messages.
  const accepted: string[] = []
  const failures: string[] = []
  let working = true
  async function work(client: number): Promise<void> {
    for (let count = client; working; count++) {
      const to = `5511${900_000_000 + (count % 5000) * 10 + 9}`
      const path = `/v1/instances/${instances[count % INSTANCES]}/messages`
      const sent = await place.call('POST', path, { to, text: `pedido ${count}` }).catch(String)
      if (typeof sent !== 'string' && sent.status === 201) accepted.push(String(sent.body['id']))
      else failures.push(JSON.stringify(sent))
      await pause(50)
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, client) => work(client))

  process.stdout.write(`fleet of three nodes, ${INSTANCES} instances\n`)
  let [two, three] = [await place.start('two'), await place.start('three')]
  reportDuration('balanced after two nodes join', await until(place, even(3)), 60_000)

  two.server.child.kill('SIGKILL')
  reportDuration('a killed node detected', await until(place, (nodes) => nodes.length === 2), 2000)
  reportDuration('all connected elsewhere after it', await until(place, allConnected(2)), 10_000)
  two = await place.start('two')
  reportDuration('balanced after it is back', await until(place, even(3)), 60_000)

  const last = (await countInstancesByNode(place)).at(-1)?.id ?? ''
  await place.ops(['node', 'drain', '--node', last])
  const drained = (nodes: NodeLoad[]) =>
    nodes.some(({ id, instances: left }) => id === last && !left)
  reportDuration('a node drained', await until(place, drained), 60_000)
  await place.ops(['node', 'drain', '--node', last, '--off'])
  reportDuration('balanced after draining ends', await until(place, even(3)), 60_000)

  three.server.child.kill('SIGTERM')
  await three.server.ended
  reportDuration(
    'all connected elsewhere after SIGTERM',
    await until(place, allConnected(2)),
    10_000,
  )
  three = await place.start('three')
  reportDuration('balanced after it is back', await until(place, even(3)), 60_000)

  const before = (await countInstancesByNode(place)).length
  two.server.child.kill('SIGSTOP')
  reportDuration(
    'a frozen node detected',
    await until(place, (nodes) => nodes.length < before),
    10_000,
  )
  reportDuration('all connected elsewhere after it', await until(place, allConnected(2)), 10_000)
  await pause(AWAY_MS)
  two.server.child.kill('SIGCONT')
  reportDuration('balanced after it resumes', await until(place, even(3)), 60_000)

  three.proxy.blackHole()
  reportDuration(
    'a node without its database detected',
    await until(place, allConnected(2)),
    20_000,
  )
  await pause(AWAY_MS)
  three.proxy.heal()
  reportDuration('balanced after it reconnects', await until(place, even(3)), 60_000)

  working = false
  await Promise.all(clients)
  const unfinished = async () => {
    const [row] = await place.database.system<{ count: number }[]>`
      select count(*) from message where id = any(${accepted}) and status in ('queued', 'sending')`
    return row?.count ?? 0
  }
  const endedAt = performance.now()
  while ((await unfinished()) > 0 && performance.now() - endedAt < GIVE_UP_MS) await pause(200)
  const [stored] = await place.database.system<{ count: number; failed: number }[]>`
    select count(*), count(*) filter (where status = 'failed') as failed from message where id = any(${accepted})`
  process.stdout.write(
    `  accepted ${accepted.length}, stored ${stored?.count}, failed ${stored?.failed}, not final ` +
      `${await unfinished()}, rejected requests ${failures.length}\n`,
  )
  assert.deepEqual(failures.slice(0, 5), [])
  assert.deepEqual({ ...stored }, { count: accepted.length, failed: 0 })
  assert.equal(await unfinished(), 0)
}
