// Messages from before the pairing, and older ones on request.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { HistoricMessage } from '../../src/networks/network-events.port.ts'
import type { Client } from '../kit/client.ts'
import { startScripted } from '../kit/scripted-network.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

type Item = Record<string, never>
const HISTORY = { historySync: 'recent' }

/** Creates an instance and pairs it with a phone; returns its path. */
async function connect(api: Client, phoneBase: string, settings: object): Promise<string> {
  const { id } = (await api.post('/v1/instances', { name: 'Loja', settings })).body
  const base = `/v1/instances/${id}`
  await api.post(`${base}/connect`)
  await kit.settle()
  const { code } = (await api.get(`${base}/qr/poll`)).body
  await api.post(`${phoneBase}/scan`, { code })
  await kit.settle()
  return base
}

/** An instance whose phone has a chat with Ana from before the pairing. */
async function paired(settings: object, include = ['own']) {
  const project = await kit.project()
  const api = await kit.key(project)
  const receiver = await kit.receiver()
  await api.post('/v1/webhooks', { name: 'w', url: receiver.url, include })
  const shop = await kit.phone(api, { name: 'Loja' })
  const ana = await kit.phone(api, { name: 'Ana' })
  const write = async (from: string, to: string, text: string) => {
    await kit.jump(1000)
    const answer = await api.post(`${from}/messages`, { to, text })
    assert.equal(answer.status, 201, answer.text)
  }
  await write(ana.base, shop.phone, 'um')
  await write(shop.base, ana.phone, 'dois')
  await write(ana.base, shop.phone, 'três')
  const base = await connect(api, shop.base, settings)
  const texts = async () => {
    const { items } = (await api.get(`${base}/messages`)).body
    return items.map(({ text, direction }: Item) => `${direction} ${text}`).toReversed()
  }
  return { project, api, base, receiver, shop, ana, write, texts }
}

describe('history', () => {
  it('history is stored with its conversations when the number is paired, without events, counts or unread messages', async () => {
    const { api, base, receiver, shop, ana, write, texts } = await paired(HISTORY)
    assert.deepEqual(await texts(), ['inbound um', 'outbound dois', 'inbound três'])
    const [chat] = (await api.get(`${base}/conversations`)).body.items
    const { unreadCount, waitingSince, lastMessage } = chat
    assert.deepEqual([unreadCount, waitingSince, lastMessage.text], [0, null, 'três'])
    assert.equal((await api.get(`${base}/contacts/${ana.phone}`)).body.name, 'Ana')
    const usage = (await api.get('/v1/usage')).body.items
    assert.deepEqual(
      usage.map(({ received }: Item) => received),
      [],
    )
    const { items } = (await api.get(`${base}/messages?direction=outbound`)).body
    assert.deepEqual(
      items.map(({ status }: Item) => status),
      ['delivered'],
    )
    // Nothing is unread, so no read receipts are sent for history.
    const { id: conversationId } = chat
    const read = await api.post(`${base}/messages/read`, { conversationId })
    assert.deepEqual([read.status, read.body.waMessageIds], [200, []])
    // Messages from now on are new.
    await write(ana.base, shop.phone, 'quatro')
    await kit.settle()
    assert.equal((await texts()).length, 4)
    assert.deepEqual(
      receiver.events('message.received').map(({ body }) => body.data.message.text),
      ['quatro'],
    )
    assert.equal((await api.get(`${base}/conversations`)).body.items[0].unreadCount, 1)
  })

  it('history reaches webhooks that ask for it, each message once and marked as backfill, and no others', async () => {
    const { api, base, receiver, shop, ana, write } = await paired(HISTORY, ['backfill'])
    const told = () =>
      receiver
        .events('message.received')
        .map(
          ({ body: { data } }) => `${data.message.direction} ${data.message.text} ${data.backfill}`,
        )
        .toSorted()
    // Deliveries of history wait in the database, behind current ones.
    await kit.jump(2000)
    const past = ['inbound três true', 'inbound um true', 'outbound dois true']
    assert.deepEqual(told(), past)
    // The phone shares it again when it is asked for older messages.
    const [{ id }] = (await api.get(`${base}/conversations`)).body.items
    await api.post(`${base}/conversations/${id}/history`)
    await write(ana.base, shop.phone, 'quatro')
    await kit.jump(2000)
    assert.deepEqual(told(), ['inbound quatro undefined', ...past])
  })

  it('history is not stored unless the settings ask for it', async () => {
    const { api, base, texts } = await paired({})
    assert.deepEqual(await texts(), [])
    assert.equal((await api.get(base)).body.settings.historySync, 'none')
    const wrong = await api.patch(base, { settings: { historySync: 'tudo' } })
    assert.equal(wrong.status, 400)
  })

  it('history is requested from the phone for one conversation, before its oldest message', async () => {
    const { api, base, shop, ana, write, texts } = await paired({})
    const ghost = await api.post(`${base}/conversations/cnv_nada/history`, {})
    assert.equal(ghost.status, 404)
    await write(ana.base, shop.phone, 'quatro')
    await kit.settle()
    const [{ id }] = (await api.get(`${base}/conversations`)).body.items
    const path = `${base}/conversations/${id}/history`
    const asked = await api.post(path, { count: 2 })
    assert.deepEqual([asked.status, asked.body], [202, { requested: 2 }])
    await kit.settle()
    assert.deepEqual(await texts(), ['outbound dois', 'inbound três', 'inbound quatro'])
    await api.post(path, {})
    await api.post(path, {})
    await kit.settle()
    assert.equal((await texts()).length, 4)
    assert.equal((await api.post(path, { count: 51 })).status, 400)
    await api.post(`${base}/disconnect`)
    assert.equal((await api.post(path, {})).body.error.reason, 'INSTANCE_NOT_CONNECTED')
  })

  it('history includes the stars of the account', async () => {
    const { api, write, shop, ana } = await paired({ historySync: 'none' })
    await write(ana.base, shop.phone, 'importante')
    const { items: inbox } = (await api.get(`${shop.base}/inbox`)).body
    await api.put(`${shop.base}/messages/${inbox[0].waMessageId}/star`)
    const base = await connect(api, shop.base, HISTORY)
    const { items } = (await api.get(`${base}/messages?starred=true`)).body
    assert.deepEqual(
      items.map(({ text }: Item) => text),
      ['importante'],
    )
  })

  it('history and live messages are stored once, the live one emits an event regardless of order, and newer data stays unchanged', async () => {
    const scripted = await startScripted()
    try {
      const { api, base, phone, listener } = await scripted.connect()
      const receiver = await scripted.app.receiver()
      await api.post('/v1/webhooks', { name: 'w', url: receiver.url })
      const at = scripted.app.clock.now()
      const ana = { phone: '5511980000001', lid: null, name: 'Ana' }
      const eva = { phone: '5511980000002', lid: null, name: 'Eva' }
      const message = (
        waMessageId: string,
        ageMs: number,
        { fromMe = false, peer = ana }: { fromMe?: boolean; peer?: typeof ana } = {},
      ): HistoricMessage => ({
        waMessageId,
        chatId: `${peer.phone}@s.whatsapp.net`,
        chatType: 'direct',
        chatName: null,
        sender: fromMe ? { phone, lid: null, name: null } : peer,
        fromMe,
        type: 'text',
        content: { type: 'text', text: `${peer.name} ${waMessageId}` },
        media: null,
        quoted: null,
        mentions: [],
        at: at - ageMs,
        alreadyCounted: true,
        starred: false,
        status: fromMe ? 'read' : 'received',
      })
      await listener.onMessages([message('AGORA', 0)])
      const old = [
        message('ANTES', 60_000),
        message('RESPOSTA', 50_000, { fromMe: true }),
        message('AGORA', 0),
      ]
      await Promise.all([listener.onHistory(old), listener.onHistory(old)])
      // One that the phone has shared before the network delivers it, also again.
      await listener.onMessages([message('ANTES', 60_000)])
      await listener.onMessages([message('ANTES', 60_000)])
      await listener.onHistory(old)
      // Senders choose their ids: those of another chat hide nothing.
      await listener.onMessages([message('MESMO', 1000, { peer: eva })])
      await listener.onHistory([message('MESMO', 70_000)])
      await scripted.app.settle()
      const { items } = (await api.get(`${base}/messages`)).body
      assert.deepEqual(
        items.map(({ text, status }: Item) => [text, status]),
        [
          ['Ana AGORA', 'received'],
          ['Eva MESMO', 'received'],
          ['Ana RESPOSTA', 'read'],
          ['Ana ANTES', 'received'],
          ['Ana MESMO', 'received'],
        ],
      )
      assert.deepEqual(
        receiver.events('message.received').map(({ body }) => body.data.message.text),
        ['Ana AGORA', 'Ana ANTES', 'Eva MESMO'],
      )
      const [chat] = (await api.get(`${base}/conversations?q=Ana`)).body.items
      assert.equal(chat.lastMessage.text, 'Ana AGORA')
      assert.equal(chat.unreadCount, 2)
      assert.equal(chat.waitingSince, new Date(at).toISOString())
      const [usage] = (await api.get('/v1/usage')).body.items
      assert.equal(usage.received, 3)
    } finally {
      await scripted.app.close()
    }
  })
})
