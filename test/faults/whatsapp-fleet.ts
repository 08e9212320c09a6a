// Three nodes with WhatsApp sessions: one is killed, another frozen for a minute. No message may be
// lost or duplicated, and no encryption key used twice.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from '../kit/whatsapp-server/certificate.ts'
import type { Person } from '../kit/whatsapp-server/person.ts'
import { WhatsAppServer } from '../kit/whatsapp-server/server.ts'
import { createInstallation, type Installation } from './installation.ts'

const SESSIONS = Number(process.env['SESSIONS'] ?? 300)
const PAIRED_AT_ONCE = 8
const BACK_WITHIN_MS = 10_000
const FROZEN_MS = 60_000
const GIVE_UP_MS = 120_000

type Shop = { own: Person; instance: string; base: string }

async function connectedOn(
  place: Installation,
): Promise<{ nodes: number; connected: number; qr: number }> {
  const [row] = await place.database.system<{ nodes: number; connected: number; qr: number }[]>`
    select (select count(*)::int from node) as nodes,
      count(*) filter (where i.status = 'CONNECTED' and n.id is not null)::int as connected,
      count(*) filter (where i.status in ('QR', 'LOGGED_OUT', 'CREATED'))::int as qr
    from instance i left join node n on n.id = i.owner_node and n.epoch = i.owner_epoch`
  return row ?? { nodes: 0, connected: 0, qr: 0 }
}

/** Polls until all sessions are connected on `nodes` nodes; returns the elapsed milliseconds. */
async function waitUntilConnected(place: Installation, nodes: number): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const seen = await connectedOn(place)
    if (seen.nodes === nodes && seen.connected === SESSIONS) return performance.now() - startedAt
    assert.ok(performance.now() - startedAt < GIVE_UP_MS, JSON.stringify(seen))
    await pause(50)
  }
}

async function pair(place: Installation, whatsapp: WhatsAppServer, index: number): Promise<Shop> {
  const own = whatsapp.person(`55119700${String(index).padStart(5, '0')}`, `Loja ${index}`)
  const made = await place.call('POST', '/v1/instances', { name: `Loja ${index}` })
  const instance = String(made.body['id'])
  const base = `/v1/instances/${instance}`
  for (;;) {
    const { code } = (await place.call('GET', `${base}/qr/poll`)).body
    if (typeof code === 'string') {
      whatsapp.pairing.scan(own, code)
      break
    }
    await pause(50)
  }
  while ((await place.call('GET', base)).body['status'] !== 'CONNECTED') await pause(50)
  return { own, instance, base }
}

/** Runs the scenario and prints its durations; throws if a target is missed. */
export async function runWhatsAppFleet(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const whatsapp = new WhatsAppServer()
  await whatsapp.listen()
  stack.defer(() => whatsapp.close())
  const place = await createInstallation(stack, 'whatsapp', {
    PRODUCTION_NETWORK: 'whatsapp',
    WHATSAPP_URL: whatsapp.url,
    WHATSAPP_ROOT_KEY: Buffer.from(root.public).toString('base64'),
  })
  await place.createCompany()
  const one = await place.start('one')
  const two = await place.start('two')
  const three = await place.start('three')
  place.ports = [one.port]
  await place.signIn()
  const shops: Shop[] = []
  const left = Array.from({ length: SESSIONS }, (_, index) => index)
  await Promise.all(
    Array.from({ length: PAIRED_AT_ONCE }, async () => {
      for (let index = left.shift(); index !== undefined; index = left.shift()) {
        shops.push(await pair(place, whatsapp, index))
      }
    }),
  )
  const ana = whatsapp.person('5511980000001', 'Ana')
  process.stdout.write(`WhatsApp on three nodes, ${SESSIONS} sessions\n`)

  // The shops and Ana send messages throughout the test.
  let working = true
  const promised = new Set<string>()
  const failures: string[] = []
  const written = new Set<string>()
  async function send(): Promise<void> {
    for (let count = 0; working; count++) {
      const { base } = shops[count % SESSIONS] ?? { base: '' }
      const body = { to: ana.phone, text: `${count}` }
      const sent = await place.call('POST', `${base}/messages`, body).catch(String)
      if (typeof sent !== 'string' && sent.status === 201)
        promised.add(String(sent.body['waMessageId']))
      else failures.push(JSON.stringify(sent))
      await pause(50)
    }
  }
  async function write(): Promise<void> {
    for (let count = 0; working; count++) {
      const conversation = `de ana ${count}`
      const shop = shops[count % SESSIONS]
      if (shop) await whatsapp.messages.write(ana, shop.own, { conversation })
      written.add(conversation)
      await pause(100)
    }
  }
  const traffic = [send(), write()]
  await pause(2000)

  two.server.child.kill('SIGKILL')
  const back = await waitUntilConnected(place, 2)
  process.stdout.write(
    `  all connected elsewhere after kill -9: ${(back / 1000).toFixed(1)} s (target ${BACK_WITHIN_MS / 1000} s)\n`,
  )

  three.server.child.kill('SIGSTOP')
  const taken = await waitUntilConnected(place, 1)
  await pause(FROZEN_MS - Math.min(FROZEN_MS, taken))
  three.server.child.kill('SIGCONT')
  await waitUntilConnected(place, 2)
  await pause(5000)
  working = false
  await Promise.all(traffic)

  const arrived = () => ana.inbox.map(({ waMessageId }) => waMessageId)
  const stored = async () => {
    const rows = await place.database.system<{ text: string }[]>`
      select text from message where direction = 'inbound'`
    return rows.map(({ text }) => text)
  }
  const until = performance.now() + GIVE_UP_MS
  while (performance.now() < until) {
    const [out, inbound] = [new Set(arrived()), new Set(await stored())]
    if ([...promised].every((id) => out.has(id)) && [...written].every((text) => inbound.has(text)))
      break
    await pause(500)
  }
  const [out, inbound] = [arrived(), await stored()]
  const lost = [...promised].filter((id) => !out.includes(id)).length
  const missing = [...written].filter((text) => !inbound.includes(text)).length
  const { qr } = await connectedOn(place)
  process.stdout.write(
    `  frozen for ${FROZEN_MS / 1000} s: taken over in ${(taken / 1000).toFixed(1)} s   sent ${promised.size}, lost ${lost}, ` +
      `twice ${out.length - new Set(out).size}   received ${written.size}, lost ${missing}, twice ${inbound.length - new Set(inbound).size}   ` +
      `unpaired ${qr}   undecryptable ${whatsapp.surprises.length}   rejected requests ${failures.length}\n`,
  )
  if (one.server.child.exitCode !== null) process.stdout.write(one.server.output())
  for (const failure of failures.slice(0, 5)) process.stdout.write(`  rejected: ${failure}\n`)
  assert.ok(
    back <= BACK_WITHIN_MS,
    `all connected elsewhere after ${back} ms, target ${BACK_WITHIN_MS} ms`,
  )
  assert.deepEqual([lost, missing, qr], [0, 0, 0])
  assert.equal(out.length, new Set(out).size)
  assert.equal(inbound.length, new Set(inbound).size)
  assert.deepEqual(whatsapp.surprises, [])
}
