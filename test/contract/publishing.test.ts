// Status posts and channels: what an account publishes, on the simulated network.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { image } from '../kit/files.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const STATUS = 'status@broadcast'
const CHANNEL = '120363000000000001@newsletter'

/** An instance that may publish, and a phone that has written to it. */
async function ready(settings: object = { publishing: true }) {
  const project = await kit.project()
  const api = await kit.key(project)
  const instance = await kit.pair(api)
  await api.patch(instance.base, { settings })
  const ana = await kit.phone(api, { name: 'Ana' })
  await api.post(`${ana.base}/messages`, { to: instance.phone, text: 'oi' })
  await kit.settle()
  const send = (to: string, body: object) => api.post(`${instance.base}/messages`, { to, ...body })
  const seen = async () => (await api.get(`${ana.base}/inbox`)).body.items
  return { project, api, instance, ana, send, seen }
}

describe('publishing', () => {
  it('a status post reaches those with whom the instance has a chat, reports who viewed it, and is deleted for them', async () => {
    const { api, instance, ana, send, seen } = await ready()
    const stranger = await kit.phone(api, { name: 'Bia' })
    const sent = await send(STATUS, { type: 'text', text: 'Aberto hoje' })
    assert.equal(sent.status, 201)
    assert.deepEqual(sent.body.chat, { id: STATUS, type: 'status', name: null })
    assert.equal(sent.body.to, null)
    await kit.settle()
    const [post] = await seen()
    assert.deepEqual([post.chat.id, post.text], [STATUS, 'Aberto hoje'])
    assert.deepEqual((await api.get(`${stranger.base}/inbox`)).body.items, [])
    await api.post(`${ana.base}/read`, { waMessageIds: [post.waMessageId] })
    await kit.settle()
    const path = `${instance.base}/messages/${sent.body.id}`
    const { status, events } = (await api.get(path)).body
    assert.equal(status, 'read')
    assert.equal(events.at(-1).party.phone, ana.phone)
    assert.equal((await api.patch(path, { text: 'Fechado' })).status, 400)
    assert.equal((await api.put(`${path}/pin`, { seconds: 86_400 })).status, 409)
    assert.equal((await api.delete(path)).status, 204)
    assert.notEqual((await seen())[0].deletedAt, null)
    const { items } = (await api.get(`${instance.base}/conversations?type=status`)).body
    assert.deepEqual(
      items.map(({ chat, contact }: { chat: { id: string }; contact: null }) => [chat.id, contact]),
      [[STATUS, null]],
    )
  })

  it('posts in a channel are sent, edited and deleted, and their webhook says so', async () => {
    const { api, instance, send } = await ready()
    const receiver = await kit.receiver()
    const filter = { chatTypes: ['channel'] }
    await api.post('/v1/webhooks', { name: 'w', url: receiver.url, include: ['sent'], filter })
    const sent = await send(CHANNEL, { type: 'text', text: 'Promoção' })
    assert.deepEqual([sent.status, sent.body.chat.type], [201, 'channel'])
    await kit.settle()
    const [told] = receiver.events('message.status')
    assert.deepEqual(told?.body.data.chat, { id: CHANNEL, type: 'channel', name: null })
    const path = `${instance.base}/messages/${sent.body.id}`
    // Beyond the fifteen minutes of other chats.
    await kit.jump(3600_000)
    assert.equal((await api.patch(path, { text: 'Última hora' })).body.text, 'Última hora')
    assert.equal((await api.delete(path)).status, 204)
  })

  it('publishing is off until an instance allows it', async () => {
    const { api, instance, send } = await ready({})
    assert.equal((await api.get(instance.base)).body.settings.publishing, false)
    for (const to of [STATUS, CHANNEL]) {
      const { status, body } = await send(to, { type: 'text', text: 'x' })
      assert.deepEqual([status, body.error.reason], [409, 'PUBLISHING_DISABLED'])
      assert.match(body.error.message, /^esta instância não publica no status nem em canais/)
    }
    await api.patch(instance.base, { settings: { publishing: true } })
    assert.equal((await send(STATUS, { type: 'text', text: 'x' })).status, 201)
  })

  it('what makes sense only in a chat is not published, even by the id of its conversation', async () => {
    const { api, instance, send } = await ready()
    const media = { base64: (await image('png', 8, 8)).toString('base64') }
    const first = await send(STATUS, { type: 'text', text: 'x' })
    const { conversationId, waMessageId } = first.body
    await kit.settle()
    const poll = { type: 'poll', question: 'Qual?', options: ['a', 'b'] }
    for (const [to, body] of [
      [STATUS, { type: 'location', latitude: 1, longitude: 1 }],
      [STATUS, poll],
      [STATUS, { type: 'document', media }],
      [STATUS, { type: 'image', media, viewOnce: true }],
      [STATUS, { type: 'text', text: 'x', quotedWaMessageId: waMessageId }],
      [CHANNEL, { type: 'text', text: '@5511988887777', mentions: ['5511988887777'] }],
      [CHANNEL, { type: 'location', latitude: 1, longitude: 1 }],
    ] as const) {
      const { status, body: answer } = await send(to, body)
      assert.equal(status, 400, JSON.stringify(body))
      assert.match(answer.error.message, /^no status e em canais saem/)
      assert.equal(answer.error.reason, 'NOT_PUBLISHABLE')
      const sendAt = new Date(kit.clock.now() + 60_000).toISOString()
      const later = { sendAt, message: { ...body, to } }
      const scheduled = await api.post(`${instance.base}/scheduled-messages`, later)
      assert.deepEqual([scheduled.status, scheduled.body.error?.reason], [400, 'NOT_PUBLISHABLE'])
    }
    const again = await api.post(`${instance.base}/messages`, { conversationId, ...poll })
    assert.equal(again.status, 400)
    const later = await api.post(`${instance.base}/scheduled-messages`, {
      sendAt: new Date(kit.clock.now() + 60_000).toISOString(),
      message: { conversationId, ...poll },
    })
    assert.deepEqual([later.status, later.body.error?.reason], [400, 'NOT_PUBLISHABLE'])
    assert.equal((await send(CHANNEL, poll)).status, 201)
    assert.equal((await send(STATUS, { type: 'image', media, caption: 'Loja' })).status, 201)
  })
})
