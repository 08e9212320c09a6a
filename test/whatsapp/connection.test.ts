// Rejected and half-open connections, calls handled elsewhere, and files the host has deleted.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import { createPendingWork } from '../../src/kernel/pending-work.ts'
import { createAddressPolicy, parseCidr } from '../../src/kernel/address-policy.ts'
import { createResolver } from '../../src/platform/egress/resolver.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { createEgress } from '../../src/platform/egress/safe-fetch.ts'
import { createRecordingListener, createMemoryCredentials } from '../../src/networks/conformance.ts'
import { createWhatsApp } from '../../src/networks/whatsapp/whatsapp.ts'
import { createManualClock } from '../kit/manual-clock.ts'
import { root } from '../kit/whatsapp-server/certificate.ts'
import { element, seconds, stanzaId } from '../kit/whatsapp-server/stanza.ts'
import { startWhatsAppApp, type OnWhatsApp, type WhatsAppApp } from '../kit/whatsapp-app.ts'

let kit: WhatsAppApp
before(async () => {
  kit = await startWhatsAppApp()
})
after(() => kit.close())

const turn = () => new Promise((resolve) => setImmediate(resolve))
async function until(so: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 8000
  while (!so()) {
    if (performance.now() > end) throw new Error(`timed out after 8000 ms: ${what}`)
    await turn()
  }
}

describe('a WebSocket upgrade that is rejected over HTTP', () => {
  for (const status of [403, 429, 500, 503]) {
    it(`an upgrade rejected with ${status} frees its slot and is retried`, async () => {
      let asked = 0
      const sockets = new Set<Socket>()
      const edge = createServer()
      edge.on('upgrade', (_request, socket: Socket) => {
        asked++
        sockets.add(socket)
        // Keeps the socket open, as a proxy may: only the client closes it.
        socket.write(`HTTP/1.1 ${status} Refused\r\nContent-Length: 2\r\n\r\nno`)
      })
      await new Promise<void>((resolve) => edge.listen(0, '127.0.0.1', resolve))
      const clock = createManualClock()
      const loopback = parseCidr('127.0.0.0/8')
      assert.ok(loopback)
      const policy = createAddressPolicy({ allow: [loopback], deny: [] })
      const resolver = createResolver({ clock, servers: [] })
      const egress = createEgress({ clock, policy, resolver, proxy: null, maxSockets: 10 })
      const network = createWhatsApp({
        clock,
        egress,
        policy,
        activity: createPendingWork(),
        logger: pino({ level: 'silent' }),
        metrics: createMetrics(),
        settings: {
          url: new URL(`ws://127.0.0.1:${(edge.address() as AddressInfo).port}/ws/chat`),
          rootKey: Buffer.from(root.public),
          version: null,
          versionUrl: null,
        },
        onError: () => {},
      })
      assert.ok(network)
      const { reportedEvents: heard, listener } = createRecordingListener()
      const credentials = createMemoryCredentials()
      const kept = { kind: 'device', id: 'other', value: Buffer.from('{}') }
      await credentials.save([kept])
      const settings = {
        proxyUrl: null,
        rejectCalls: false,
        downloadMedia: true,
        historySync: 'none' as const,
      }
      const account = { instanceId: 'ins_x', projectId: 'prj_x', mode: 'production' as const }
      const sessions = Array.from({ length: 12 }, () =>
        network.open({ ...account, credentials, settings }, listener),
      )
      // More sessions than may connect concurrently: each rejection frees its slot immediately.
      await until(() => asked >= 12, 'an attempt of every session')
      const before = asked
      for (let step = 0; step < 10 && asked < before + 12; step++) {
        clock.jump(1000)
        for (let count = 0; count < 200; count++) await turn()
      }
      assert.ok(asked > before, 'no second attempt')
      assert.deepEqual(heard.statuses, [])
      assert.equal((await credentials.load('device')).size, 1)
      for (const session of sessions) await session.close()
      for (const socket of sockets) socket.destroy()
      await egress.close()
      edge.close()
    })
  }
})

describe('a half-open connection', () => {
  it('a half-open connection ends after 45 s without a closing handshake', async () => {
    const one = await kit.connect()
    // The server stops reading, so it does not respond to a closing handshake either.
    const lines = [...kit.server.connections].filter(
      ({ companion }) => companion?.person === one.own,
    )
    for (const { socket } of lines) socket.pause()
    const started = performance.now()
    kit.app.clock.jump(45_000)
    await kit.reach(one, 'DISCONNECTED')
    // Waiting for the closing handshake would take thirty seconds of real time.
    assert.ok(performance.now() - started < 8000)
    for (const { socket } of lines) socket.terminate()
  })
})

/** Sends a call stanza from a person to every device of the account. */
function callStanza(
  { own }: OnWhatsApp,
  from: { jid: string },
  tag: string,
  attrs: Record<string, string>,
): void {
  for (const device of own.companions.values()) {
    const outer = { id: stanzaId(), from: from.jid, t: seconds() }
    device.push(element('call', outer, [element(tag, attrs)]))
  }
}

describe('a call', () => {
  const statusOf = async ({ api, base }: OnWhatsApp, id: string) => {
    const { body } = await api.get(`${base}/calls`)
    return body.items.find((call: { id: string }) => call.id === id)?.status
  }
  for (const [reason, status] of [
    ['accepted_elsewhere', 'accepted'],
    ['rejected_elsewhere', 'rejected'],
    ['timeout', 'missed'],
    ['', 'missed'],
  ] as const) {
    it(`a call that ends with reason "${reason}" is ${status}`, async () => {
      const one = await kit.connect()
      const id = kit.server.messages.call(one.ana, one.own)
      await kit.until(async () => (await statusOf(one, id)) === 'ringing', 'the call')
      const attrs = { 'call-id': id, 'call-creator': one.ana.jid, ...(reason ? { reason } : {}) }
      callStanza(one, one.ana, 'terminate', attrs)
      await kit.until(async () => (await statusOf(one, id)) === status, status)
    })
  }

  it('a call is rejected for an instance that takes none, and keeps nothing else waiting', async () => {
    const one = await kit.connect({ rejectCalls: true })
    const { api, base, ana } = one
    const started = performance.now()
    const id = kit.server.messages.call(ana, one.own)
    await kit.until(() => kit.told(one, 'call.received').length === 1, 'the call')
    const { body } = await api.post(`${base}/messages/text`, { to: ana.phone, text: 'oi' })
    await kit.until(() => ana.inbox.length === 1, 'the message')
    await kit.until(async () => (await statusOf(one, id)) === 'rejected', 'the rejection')
    assert.equal((await kit.message(one, body.id, 'delivered')).text, 'oi')
    // A rejection that waits for the call to be recorded, which waits for it, would take twenty seconds of real time.
    assert.ok(performance.now() - started < 10_000)
  })

  it('a call can be ended only by its parties, and its caller cannot be forged', async () => {
    const one = await kit.connect()
    const bia = kit.server.person('5511966660001', 'Bia')
    const id = kit.server.messages.call(one.ana, one.own)
    await kit.until(async () => (await statusOf(one, id)) === 'ringing', 'the call')
    callStanza(one, bia, 'terminate', { 'call-id': id, 'call-creator': one.ana.jid })
    callStanza(one, bia, 'offer', { 'call-id': 'FORGED', 'call-creator': one.ana.jid })
    const forged = await kit.until(async () => {
      const { body } = await one.api.get(`${one.base}/calls`)
      return body.items.find((call: { id: string }) => call.id === 'FORGED')
    }, 'the forged call')
    assert.equal(forged.from.phone, bia.phone)
    assert.equal(await statusOf(one, id), 'ringing')
  })
})

describe('a contact who rejects messages from strangers (463)', () => {
  it('a rejection with 463 fails the message but does not restrict the account', async () => {
    const one = await kit.connect()
    const { api, base, ana } = one
    kit.server.faults.refuse = () => '463'
    const { body } = await api.post(`${base}/messages/text`, { to: ana.phone, text: 'oi' })
    assert.equal((await kit.message(one, body.waMessageId, 'failed')).error.code, 'RESTRICTED')
    kit.server.faults.refuse = () => null
    await kit.app.settle()
    assert.equal((await api.get(base)).body.restriction, null)
  })
})

describe('a file that WhatsApp’s host has deleted', () => {
  it('a file missing on the host is requested from the phone, which uploads it again', async () => {
    const one = await kit.connect()
    const { api, base, ana, own } = one
    const media = { base64: Buffer.from('um documento').toString('base64'), fileName: 'a.txt' }
    const body = { to: ana.phone, type: 'document', media }
    const sent = await api.post(`${base}/messages/media`, body)
    await kit.message(one, sent.body.waMessageId, 'delivered')
    const document = ana.inbox[0]?.message.documentMessage ?? {}
    const { pathname } = new URL(document.url ?? '')
    const bytes = kit.server.media.files.get(pathname)
    assert.ok(bytes && document.mediaKey)
    kit.server.media.files.delete(pathname)
    const again = `/v/t62/${randomBytes(8).toString('hex')}`
    kit.server.media.files.set(again, bytes)
    const id = '3AGONE01'
    kit.server.messages.uploads.set(id, { mediaKey: document.mediaKey, path: again })
    await kit.server.messages.write(ana, own, { documentMessage: document }, { id })
    await kit.until(() => kit.told(one, 'message.received').length === 1, 'the message')
    await kit.until(
      async () => (await api.get(`${base}/messages/${id}`)).body.media.status === 'available',
      'the file to be available',
    )
    const file = await api.download(`${base}/messages/${id}/media`)
    assert.equal(file.bytes.toString(), 'um documento')
    const digest = createHash('sha256').update(file.bytes).digest('hex')
    assert.equal(digest, sent.body.media.sha256)
  })
})
