// What programs read of received messages: interactive answers, orders, and the advertisement a chat was opened from.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const AD = {
  sourceType: 'ad',
  sourceId: '120208',
  sourceUrl: 'https://fb.me/x',
  headline: 'Bolos de aniversário',
  body: 'Encomende já',
  mediaUrl: 'https://cdn.example.com/a.jpg',
  ctwaClid: 'ARAk',
  entryPoint: 'ctwa_ad',
}
const REPLY = { reply: { kind: 'button', id: 'pix', title: 'Pagar com Pix' } }

async function world() {
  const api = await kit.key(await kit.project())
  const instance = await kit.pair(api)
  const ana = await kit.phone(api)
  const receiver = await kit.receiver()
  await api.post('/v1/webhooks', { name: 'w', url: receiver.url, events: ['message.received'] })
  async function write(body: object, from = ana) {
    const sent = await api.post(`${from.base}/messages`, { to: instance.phone, ...body })
    assert.equal(sent.status, 201, sent.text)
    await kit.settle()
    const { body: listed } = await api.get(`${instance.base}/messages?limit=1`)
    return listed.items[0]
  }
  const conversation = async (id: string) =>
    (await api.get(`${instance.base}/conversations/${id}`)).body
  return { api, instance, ana, receiver, write, conversation }
}

describe('details of received messages', () => {
  it('details of received messages arrive from a virtual phone in the record and in the event, and are absent otherwise', async () => {
    const { receiver, write } = await world()
    const message = await write({ text: 'Pagar com Pix', content: REPLY, referral: AD })
    assert.deepEqual([message.content, message.referral], [REPLY, AD])
    assert.equal(message.text, 'Pagar com Pix')
    const told = receiver.events('message.received')[0]?.body.data.message
    assert.deepEqual([told.content, told.referral], [REPLY, AD])
    const order = { id: 'o1', total: { value: 49.9, currency: 'BRL' } }
    const ordered = await write({ text: 'Pedido', content: { order } })
    assert.deepEqual(ordered.content, {
      order: { ...order, title: null, message: null, items: null },
    })
    const plain = await write({ text: 'Oi' })
    assert.ok(!('content' in plain) && !('referral' in plain))
  })

  it('details of received messages are refused with the name of the field if they are malformed', async () => {
    const { api, instance, ana } = await world()
    for (const [more, field] of [
      [{ content: { reply: { kind: 'knopf', id: 'x' } } }, /content/],
      [{ content: { order: { title: 'sem id' } } }, /content/],
      [{ content: { invented: {} } }, /content/],
      [{ referral: { ...AD, headline: 7 } }, /referral/],
      [{ referral: { ...AD, sourceUrl: 'javascript:alert(1)' } }, /sourceUrl/],
      [{ referral: { ...AD, headline: 'x'.repeat(1025) } }, /referral/],
    ] as const) {
      const body = { to: instance.phone, text: 'Oi', ...more }
      const refused = await api.post(`${ana.base}/messages`, body)
      assert.equal(refused.status, 400)
      assert.match(refused.body.error.message, field)
    }
    // A business cannot claim to have been reached through an advertisement.
    const sent = await api.post(`${instance.base}/messages`, {
      to: ana.phone,
      text: 'Oi',
      referral: AD,
    })
    assert.equal(sent.status, 400)
  })

  it('details of received messages leave the first advertisement on the conversation, through later ones and edits', async () => {
    const { api, instance, ana, write, conversation } = await world()
    const { conversationId } = await write({ text: 'Oi' })
    assert.equal((await conversation(conversationId)).referral, null)
    const told = await write({ text: 'Vi o anúncio', referral: AD })
    await write({ text: 'Outro', referral: { ...AD, sourceId: '2' } })
    assert.deepEqual((await conversation(conversationId)).referral, AD)
    const edited = await api.patch(`${ana.base}/messages/${told.waMessageId}`, { text: 'Vi!' })
    assert.equal(edited.status, 200)
    await kit.settle()
    const { body: shown } = await api.get(`${instance.base}/messages/${told.id}`)
    assert.deepEqual([shown.text, shown.referral], ['Vi!', AD])
    assert.deepEqual((await conversation(conversationId)).referral, AD)
  })

  it('details of received messages keep the advertisement of either conversation when two of the contact are merged', async () => {
    const { api, instance, ana, write, conversation } = await world()
    const [row] = await kit.db.system`select lid from simulator_phone where id = ${ana.id}`
    const send = (to: string) => api.post(`${instance.base}/messages`, { to, text: 'olá' })
    const { conversationId: byLid } = (await send(String(row?.['lid']))).body
    await kit.settle()
    // As if the contact had come from an advertisement under this id.
    await kit.db.system`
      update conversation set referral = ${JSON.stringify(AD)}::text::jsonb where id = ${byLid}`
    await send(ana.phone)
    await kit.jump(1000)
    const { conversationId } = await write({ text: 'obrigada' })
    assert.deepEqual((await conversation(conversationId)).referral, AD)
    const { body } = await api.get(`${instance.base}/conversations`)
    assert.equal(body.items.length, 1)
  })

  it('details of received messages keep the earlier advertisement when both conversations have one', async () => {
    const { api, instance, ana, write, conversation } = await world()
    const [row] = await kit.db.system`select lid from simulator_phone where id = ${ana.id}`
    const send = (to: string) => api.post(`${instance.base}/messages`, { to, text: 'olá' })
    const { conversationId: byLid } = (await send(String(row?.['lid']))).body
    await kit.jump(1000)
    const { conversationId: byPhone } = (await send(ana.phone)).body
    await kit.jump(1000)
    for (const [id, referral] of [
      [byLid, AD],
      [byPhone, { ...AD, sourceId: 'later' }],
    ] as const)
      await kit.db.system`
        update conversation set referral = ${JSON.stringify(referral)}::text::jsonb where id = ${id}`
    const { conversationId } = await write({ text: 'obrigada' })
    assert.equal(conversationId, byPhone)
    assert.deepEqual((await conversation(conversationId)).referral, AD)
  })
})
