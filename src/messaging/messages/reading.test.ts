// Messages that are marked as read, by a request or automatically.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { inboundMessage } from '../../../test/kit/inbound-message.ts'
import { startScripted } from '../../../test/kit/scripted-network.ts'

let kit: Awaited<ReturnType<typeof startScripted>>
const receipts: string[][] = []
before(async () => {
  const markRead = async ({ messages }: { messages: { waMessageId: string }[] }) => {
    receipts.push(messages.map(({ waMessageId }) => waMessageId))
    return null
  }
  kit = await startScripted({}, { markRead })
})
after(() => kit.app.close())

const from = (phone: string) => ({
  chatId: `${phone}@s.whatsapp.net`,
  sender: { phone, lid: null, name: null },
})

describe('reading messages', () => {
  it('a conversation with thousands of unread messages is read, with read receipts for the latest', async () => {
    const { api, base, listener } = await kit.connect()
    const sent = Array.from({ length: 2500 }, () =>
      inboundMessage(kit.app.clock, from('5511988880001')),
    )
    for (let at = 0; at < sent.length; at += 500)
      await listener.onMessages(sent.slice(at, at + 500))
    const list = async () => (await api.get(`${base}/conversations`)).body.items[0]
    const { id, unreadCount } = await list()
    assert.equal(unreadCount, 2500)
    receipts.length = 0
    const { status, body } = await api.post(`${base}/messages/read`, { conversationId: id })
    assert.equal(status, 200)
    assert.equal(body.waMessageIds.length, 2500)
    assert.equal((await list()).unreadCount, 0)
    await kit.app.settle()
    const latest = sent.slice(-1000).map(({ waMessageId }) => waMessageId)
    assert.deepEqual(receipts, [latest])
  })

  it('messages that were stored before a failure are read when the network repeats them', async () => {
    const { api, base, listener } = await kit.connect()
    const message = inboundMessage(kit.app.clock, from('5511988880002'))
    // The process ends between storing the message and reading it.
    await listener.onMessages([message])
    await api.patch(base, { settings: { readMessages: true } })
    await kit.app.settle()
    receipts.length = 0
    await listener.onMessages([message])
    await kit.app.settle()
    assert.deepEqual(receipts, [[message.waMessageId]])
    const { items } = (await api.get(`${base}/conversations`)).body
    assert.equal(items[0].unreadCount, 0)
  })
})
