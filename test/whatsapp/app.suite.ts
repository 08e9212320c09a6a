// The whole product on WhatsApp: its API, its events and its states, against the protocol server.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { readCredits } from '../../src/billing/billing.sql.ts'
import { image } from '../kit/files.ts'
import { startHttpProxy, startSocksProxy } from '../kit/proxies.ts'
import { startWhatsAppApp, type OnWhatsApp, type WhatsAppApp } from '../kit/whatsapp-app.ts'

let kit: WhatsAppApp
before(async () => {
  kit = await startWhatsAppApp()
})
after(() => kit.close())

const send = async ({ api, base, ana }: OnWhatsApp, text = 'oi') => {
  const { status, body } = await api.post(`${base}/messages/text`, { to: ana.phone, text })
  assert.equal(status, 201)
  return body.waMessageId as string
}
const show = async ({ api, base }: OnWhatsApp) => (await api.get(base)).body

describe('an instance on WhatsApp', () => {
  it('is paired by its QR, sends, hears how far it came, receives, and tells its webhook', async () => {
    const one = await kit.connect()
    const { ana, own } = one
    const { phone, profileName, status } = await show(one)
    assert.deepEqual([phone, status], [own.phone, 'CONNECTED'])
    assert.equal(typeof profileName, 'string')
    const id = await send(one, 'Olá *Ana*')
    await kit.message(one, id, 'delivered')
    assert.equal(ana.inbox[0]?.message.extendedTextMessage?.text, 'Olá *Ana*')
    kit.server.messages.read(ana, own, [id])
    await kit.message(one, id, 'read')
    const statuses = await kit.until(() => {
      const told = kit.told(one, 'message.status')
      return told.length === 2 ? told : null
    }, 'both states')
    assert.deepEqual(
      statuses.map((told) => [told.status, told.waMessageIds, told.party.phone]),
      [
        ['delivered', [id], ana.phone],
        ['read', [id], ana.phone],
      ],
    )
    await kit.server.messages.write(ana, own, { conversation: 'tudo bem?' })
    const [received] = await kit.until(() => {
      const told = kit.told(one, 'message.received')
      return told.length === 1 ? told : null
    }, 'the message')
    assert.equal(received?.message.text, 'tudo bem?')
    assert.deepEqual(received?.message.from, { phone: ana.phone, lid: ana.lidJid, name: 'Ana' })
    assert.deepEqual(
      kit.told(one, 'instance.status').map((told) => told.status),
      ['CONNECTED'],
    )
  })

  it('is paired by a code that is typed on the telephone', async () => {
    const one = await kit.create()
    await kit.codeOf(one)
    const { own, api, base } = one
    const { status, body } = await api.post(`${base}/pairing-code`, { phone: own.phone })
    assert.equal(status, 201)
    await kit.until(() => kit.server.pairing.asked(own), 'the question')
    assert.match(body.code, /^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    await kit.server.pairing.type(own, body.code)
    await kit.reach(one, 'CONNECTED')
    assert.equal((await show(one)).phone, own.phone)
  })

  it('that is asked for a passkey says so, with a sentence on what to do', async () => {
    const one = await kit.create()
    kit.server.pairing.demandPasskey(await kit.codeOf(one))
    await kit.reach(one, 'PASSKEY_REQUIRED')
    const { disconnect } = await show(one)
    assert.match(disconnect.message, /chave de acesso \(passkey\).*conecte outro número/)
    assert.equal(disconnect.willReconnect, false)
    const [told] = await kit.until(() => kit.told(one, 'instance.status'), 'the event')
    assert.equal(told?.status, 'PASSKEY_REQUIRED')
    // Whoever tries again gets a new code.
    await one.api.post(`${one.base}/connect`)
    assert.ok(await kit.codeOf(one))
  })

  it('sends and receives files, by their own hashes', async () => {
    const one = await kit.connect()
    const { api, base, ana, own } = one
    const bytes = await image('png', 40, 30)
    const media = { base64: bytes.toString('base64') }
    const body = { to: ana.phone, type: 'image', media, caption: 'foto' }
    const sent = await api.post(`${base}/messages/media`, body)
    await kit.message(one, sent.body.waMessageId, 'delivered')
    const message = ana.inbox[0]?.message ?? {}
    const { imageMessage } = message
    const sha256 = (part: Uint8Array | null | undefined) => Buffer.from(part ?? []).toString('hex')
    assert.equal(sha256(imageMessage?.fileSha256), sent.body.media.sha256)
    // What Ana received she sends back as it came.
    await kit.server.messages.write(ana, own, message)
    const [told] = await kit.until(() => {
      const all = kit.told(one, 'message.received')
      return all.length === 1 ? all : null
    }, 'the file')
    const received = await kit.until(async () => {
      const answer = await api.get(`${base}/messages/${told?.waMessageId}`)
      return answer.body.media.status === 'available' && answer.body
    }, 'its bytes')
    const back = await api.download(`${base}/messages/${received.id}/media`)
    assert.equal(createHash('sha256').update(back.bytes).digest('hex'), sent.body.media.sha256)
    assert.equal(received.text, 'foto')
  })
})

describe('honest sends', () => {
  it('to a number that nobody has fail, and give their credit back', async () => {
    const one = await kit.connect()
    const { api, base, project } = one
    const credits = () => readCredits(kit.app.db, project.projectId)
    const before = await credits()
    const { body } = await api.post(`${base}/messages/text`, { to: '5511900009999', text: 'oi' })
    const failed = await kit.message(one, body.waMessageId, 'failed')
    assert.equal(failed.error.code, 'NUMBER_NOT_ON_NETWORK')
    assert.equal(await credits(), before)
  })

  it('that WhatsApp refuses fail as RESTRICTED, and the instance shows what and until when', async () => {
    const one = await kit.connect()
    const { faults } = kit.server
    const until = kit.app.clock.now() + 3_600_000
    faults.refuse = () => '463'
    faults.timeLock = until / 1000
    const [first, second] = [await send(one), await send(one)]
    assert.equal((await kit.message(one, first, 'failed')).error.code, 'RESTRICTED')
    await kit.message(one, second, 'failed')
    const restriction = { type: 'new_chats', until: new Date(until).toISOString() }
    await kit.until(async () => (await show(one)).restriction, 'the restriction')
    faults.refuse = () => null
    faults.timeLock = null
    assert.deepEqual((await show(one)).restriction, restriction)
    const events = () =>
      kit.told(one, 'instance.status').filter((told) => told.status === told.previousStatus)
    await kit.until(() => events().length === 1, 'its event')
    await kit.app.jump(3_600_000)
    await kit.until(async () => (await show(one)).restriction === null, 'its end')
    await kit.until(() => events().length === 2, 'the event of its end')
  })

  it('refused as malformed restrict the instance until the next one is taken', async () => {
    const one = await kit.connect()
    kit.server.faults.refuse = () => '479'
    assert.equal((await kit.message(one, await send(one), 'failed')).error.code, 'RESTRICTED')
    kit.server.faults.refuse = () => null
    await kit.until(async () => (await show(one)).restriction, 'the restriction')
    assert.deepEqual((await show(one)).restriction, { type: 'sending', until: null })
    await kit.message(one, await send(one), 'delivered')
    await kit.until(async () => (await show(one)).restriction === null, 'its end')
  })
})

describe('an account that WhatsApp does not let in', () => {
  it('for a while is banned until then, and comes back by itself with what it was paired with', async () => {
    const one = await kit.connect()
    kit.server.faults.refuseLogin = { reason: '402', expire: '3600' }
    kit.server.endStream(one.own, '503')
    await kit.reach(one, 'DISCONNECTED')
    const from = kit.app.clock.now()
    await kit.app.jump(1000)
    await kit.reach(one, 'BANNED')
    kit.server.faults.refuseLogin = null
    const { restriction, disconnect } = await show(one)
    assert.equal(restriction.type, 'ban')
    const until = Date.parse(restriction.until)
    assert.ok(until >= from + 3_600_000 && until <= from + 3_601_000)
    assert.equal(disconnect.reason, 'banned')
    await kit.app.jump(3_601_000)
    await kit.reach(one, 'CONNECTED')
    assert.equal((await show(one)).restriction, null)
    await kit.message(one, await send(one), 'delivered')
  })

  it('for its age is told so, keeps what it was paired with, and is not tried again in vain', async () => {
    const one = await kit.connect()
    kit.server.faults.refuseLogin = { reason: '405' }
    kit.server.endStream(one.own, '503')
    await kit.reach(one, 'DISCONNECTED')
    await kit.app.jump(1000)
    await kit.until(async () => (await show(one)).disconnect.reason === 'client_outdated', 'why')
    const { willReconnect } = (await show(one)).disconnect
    assert.equal(willReconnect, false)
    kit.server.faults.refuseLogin = null
    const rows = await kit.app.db.sql`
      select 1 from instance_credential where instance_id = ${one.id} and kind = 'device'`
    assert.equal(rows.length, 1)
  })
})

describe('a proxy of an instance', () => {
  for (const [name, start] of [
    ['http', startHttpProxy],
    ['socks5', startSocksProxy],
  ] as const) {
    it(`carries its line and its files (${name}), and nothing goes out without it`, async () => {
      const proxy = await start()
      const one = await kit.connect({ proxyUrl: proxy.url })
      const { api, base, ana, id } = one
      const media = { base64: (await image('png', 20, 20)).toString('base64') }
      const sent = await api.post(`${base}/messages/media`, { to: ana.phone, type: 'image', media })
      await kit.message(one, sent.body.waMessageId, 'delivered')
      const { host } = new URL(kit.server.url)
      assert.ok(proxy.targets.includes(host), 'the line')
      assert.ok(proxy.targets.includes(kit.server.media.hostname), 'the file')
      const lines = () => kit.server.linesOf(one.own)
      assert.equal(lines(), 1)
      proxy.close()
      await kit.reach(one, 'DISCONNECTED')
      for (let turn = 0; turn < 5; turn++) await kit.app.jump(60_000)
      assert.equal(lines(), 0)
      assert.equal(await kit.statusOf(one), 'DISCONNECTED')
      // With another proxy it comes back.
      const next = await start()
      await api.patch(`/v1/instances/${id}`, { settings: { proxyUrl: next.url } })
      await kit.app.jump(2000)
      await kit.reach(one, 'CONNECTED')
      assert.ok(next.targets.includes(host))
      await api.delete(base)
      await kit.app.settle()
      next.close()
    })
  }
})
