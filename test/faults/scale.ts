// Three nodes with many thousand paired instances, a few of them busy: memory, statements, a full stop and a lost node.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseKeys } from '../../src/platform/db/master-key.ts'
import { createSeal } from '../../src/kernel/seal.ts'
import { installationSecret } from '../../src/platform/db/storage.ts'
import { allConnected, countInstancesByNode, even, reportDuration, until } from './fleet.ts'
import { createInstallation, type Installation, type Node } from './installation.ts'

/** `INSTANCES=30000 npm run test:faults -- scale` is the larger form. */
const INSTANCES = Number(process.env['INSTANCES'] ?? 10_000)
const BUSY = 500
/** Sends per second, over all busy instances. */
const RATE = 100
const BUSY_MS = 30_000
const IDLE_MS = Number(process.env['IDLE'] ?? 60_000)
const SETTLED_MS = 10_000
const FINAL_MS = 60_000
const MAX_STATEMENTS_PER_SECOND = 5 + INSTANCES / 3 / 1000
const NAMES = ['one', 'two', 'three']

const say = (text: string) => process.stdout.write(`  ${text}\n`)

/** Resident memory of a process in MiB. */
function residentOf({ server }: Node): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

/** Statements that a node has sent to the database. */
async function statementsOf({ port }: Node): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  return Number(/^db_statement_seconds_count (\d+)/m.exec(await response.text())?.[1])
}

/** Copies a paired instance with its virtual phone, as if each copy had been paired. */
async function copyInstance({ database, envOf }: Installation, id: string, count: number) {
  const { system } = database
  const [first] = await system<{ phoneId: string; sealed: Buffer; kind: string; name: string }[]>`
    select l.phone_id, c.sealed, c.kind, c.id as name
    from simulator_link l join instance_credential c using (instance_id) where l.instance_id = ${id}`
  assert.ok(first)
  const { phoneId, kind, name } = first
  const copies = Array.from({ length: count }, (_, index) => ({
    id: `${id}_${index + 1}`,
    phoneId: `${phoneId}_${index + 1}`,
    phone: `5521${970_000_000 + index}`,
    lid: `${7_000_000_000 + index}@lid`,
  }))
  const ids = copies.map((copy) => copy.id)
  const phoneIds = copies.map((copy) => copy.phoneId)
  const phones = copies.map((copy) => copy.phone)
  const lids = copies.map((copy) => copy.lid)
  await system`
    insert into simulator_phone select (jsonb_populate_record(p, to_jsonb(c))).*
    from simulator_phone p, unnest(${phoneIds}::text[], ${phones}::text[], ${lids}::text[]) c(id, phone, lid)
    where p.id = ${phoneId}`
  await system`
    insert into instance select (jsonb_populate_record(i, to_jsonb(c))).*
    from instance i, unnest(${ids}::text[], ${phones}::text[], ${lids}::text[]) c(id, phone, lid)
    where i.id = ${id}`
  await system`
    insert into simulator_link (instance_id, phone_id, linked_at)
    select instance_id, phone_id, now() from unnest(${ids}::text[], ${phoneIds}::text[]) c(instance_id, phone_id)`
  // Sealed values open only for the instance that they belong to.
  const seal = createSeal(parseKeys(envOf('', 0)['MASTER_KEY'] ?? ''))
  const self = JSON.parse(seal.open(first.sealed, `${id}/${kind}/${name}`).toString()) as object
  const sealed = copies.map(({ id: copyId, phone, lid }) =>
    seal
      .close(Buffer.from(JSON.stringify({ ...self, phone, lid })), `${copyId}/${kind}/${name}`)
      .toString('hex'),
  )
  await system`
    insert into instance_credential (instance_id, kind, id, sealed)
    select instance_id, ${kind}, ${name}, decode(hex, 'hex')
    from unnest(${ids}::text[], ${sealed}::text[]) as c(instance_id, hex)`
  await system`vacuum analyze`
}

const startAll = (place: Installation) => Promise.all(NAMES.map((name) => place.start(name)))

async function stopAll(nodes: Node[]): Promise<void> {
  for (const { server } of nodes) server.child.kill('SIGTERM')
  for (const { server } of nodes) assert.equal((await server.ended).code, 0, server.output())
}

/** Sends through the first instances at a steady rate; returns how many were accepted once all of them are final. */
async function sendThroughBusy(place: Installation, id: string): Promise<number> {
  const accepted: string[] = []
  const failures: string[] = []
  const endsAt = performance.now() + BUSY_MS
  const pending = new Set<Promise<void>>()
  for (let count = 0; performance.now() < endsAt; count++) {
    const to = `5511${900_000_000 + (count % 5000) * 10 + 9}`
    const path = `/v1/instances/${id}_${1 + (count % BUSY)}/messages`
    const sent = place
      .call('POST', path, { to, text: `pedido ${count}` })
      .then(({ status, body }) => {
        if (status === 201) accepted.push(String(body['id']))
        else failures.push(JSON.stringify(body))
      })
      .finally(() => pending.delete(sent))
    pending.add(sent)
    await pause(1000 / RATE)
  }
  await Promise.all(pending)
  assert.deepEqual(failures.slice(0, 5), [])
  const deadline = performance.now() + FINAL_MS
  for (;;) {
    const [row] = await place.database.system<{ open: number; failed: number }[]>`
      select count(*) filter (where status in ('queued', 'sent'))::int as open,
        count(*) filter (where status = 'failed')::int as failed
      from message where id = any(${accepted})`
    assert.equal(row?.failed, 0)
    if (row.open === 0) return accepted.length
    assert.ok(performance.now() < deadline, `${row.open} messages are not final`)
    await pause(200)
  }
}

/** Runs the scenario and prints its figures; throws if a target is missed. */
export async function runScale(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const place = await createInstallation(stack, 'scale')
  await place.createCompany()
  let nodes = await startAll(place)
  place.ports = nodes.map(({ port }) => port)
  const { instance } = await place.signInAndConnect()
  await pause(SETTLED_MS)
  const alone = nodes.map(residentOf)
  await stopAll(nodes)
  await copyInstance(place, instance, INSTANCES - 1)
  process.stdout.write(`three nodes, ${INSTANCES} instances, ${BUSY} of them busy\n`)

  const startedAt = performance.now()
  nodes = await startAll(place)
  place.ports = nodes.map(({ port }) => port)
  await until(place, allConnected(3, INSTANCES))
  reportDuration('all connected after a full stop', performance.now() - startedAt, 60_000)
  reportDuration('balanced', await until(place, even(3, INSTANCES)), 60_000)

  await pause(SETTLED_MS)
  const before = await Promise.all(nodes.map(statementsOf))
  await pause(IDLE_MS)
  const after = await Promise.all(nodes.map(statementsOf))
  const perSecond = after.map((count, node) => (count - (before[node] ?? 0)) / (IDLE_MS / 1000))
  say(
    `statements per second and node, idle: ${perSecond.map((rate) => rate.toFixed(1)).join(', ')} ` +
      `(target ${MAX_STATEMENTS_PER_SECOND.toFixed(1)})`,
  )
  const resident = nodes.map(residentOf)
  const added =
    resident.reduce((sum, mib) => sum + mib, 0) - alone.reduce((sum, mib) => sum + mib, 0)
  say(
    `memory per node ${resident.map((mib) => mib.toFixed(0)).join(', ')} MiB, ` +
      `${((added * 1024) / INSTANCES).toFixed(1)} KiB per instance`,
  )

  say(`${await sendThroughBusy(place, instance)} sends through the busy ones, all final`)

  const counts = await countInstancesByNode(place)
  const fullest = counts.toSorted((a, b) => b.instances - a.instances)[0]
  const nodeIdOf = (name: string) =>
    `node-${installationSecret(join(place.dir, name), 'node-id', 12)}`
  const victim = nodes[NAMES.findIndex((name) => nodeIdOf(name) === fullest?.id)]
  assert.ok(victim && fullest)
  victim.server.child.kill('SIGKILL')
  const taken = await until(place, allConnected(2, INSTANCES))
  reportDuration(`the ${fullest.instances} of a killed node connected elsewhere`, taken, 10_000)
  assert.ok(perSecond.every((rate) => rate <= MAX_STATEMENTS_PER_SECOND))
}
