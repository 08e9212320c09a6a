// The bus is only a hint: two nodes on one database whose buses are disconnected.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { ServerResponse } from 'node:http'
import { messageReceived } from '../../src/events/catalog/message-received.ts'
import type { App } from '../../src/app/app.ts'
import { cutBus, HOSTS, startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
let other: App
before(async () => {
  kit = await startTestApp({}, { bus: cutBus() })
  other = await kit.node({ busCut: true, idle: true })
})
after(() => kit.close())

async function ready() {
  const project = await kit.project()
  const api = await kit.key(project)
  const { id: instanceId, base } = await kit.pair(api)
  const receiver = await kit.receiver()
  const { body: webhook } = await api.post('/v1/webhooks', {
    name: 'w',
    url: receiver.url,
    events: ['message.received'],
  })
  /** Records an event on a node, as if its session had received it. */
  const record = (node: App) =>
    node.events.record(kit.db, [
      {
        name: 'message.received',
        projectId: project.projectId,
        mode: 'test',
        instanceId,
        data: messageReceived.example,
      },
    ])
  return { api, base, receiver, webhook, record }
}

describe('nodes without a bus', () => {
  it('a webhook paused on one node receives nothing from another node after one second, even if deliveries were queued there', async () => {
    const { api, receiver, webhook, record } = await ready()
    const held: ServerResponse[] = []
    const first = Promise.withResolvers<void>()
    receiver.answer = (response) => {
      held.push(response)
      first.resolve()
    }
    // The first delivery is in flight; the others are queued behind it on the other node.
    for (let count = 0; count < 20; count++) await record(other)
    await first.promise
    await api.patch(`/v1/webhooks/${webhook.id}`, { enabled: false })
    kit.clock.jump(1000)
    const onTheWire = receiver.received.length
    receiver.answer = (response) => void response.writeHead(200).end()
    for (const response of held) response.writeHead(200).end()
    await record(other)
    await kit.settle()
    await api.patch(`/v1/webhooks/${webhook.id}`, { enabled: true })
    await kit.jump(3600_000)
    assert.equal(receiver.received.length, onTheWire)
    assert.ok(onTheWire < 20)
    await record(other)
    await kit.settle()
    assert.equal(receiver.received.length, onTheWire + 1)
  })

  it('a secret replaced without an overlap on one node signs nothing on another after a second', async () => {
    const { api, receiver, webhook, record } = await ready()
    await record(other)
    await kit.settle()
    const { body: fresh } = await api.post(`/v1/webhooks/${webhook.id}/rotate-secret`, {
      overlapHours: 0,
    })
    await kit.jump(1001)
    await record(other)
    await kit.settle()
    const [first, second] = receiver.received
    const signed = (secret: string, text = '') =>
      `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`
    assert.equal(first?.headers['x-service-signature'], signed(webhook.secret, first?.text))
    assert.equal(second?.headers['x-service-signature'], signed(fresh.secret, second?.text))
  })

  it('a message accepted by one node is sent by the session of another node within a second', async () => {
    const { api, base } = await ready()
    const answer = await other.server.inject({
      method: 'POST',
      url: `${base}/messages`,
      headers: { host: HOSTS.test, authorization: `Bearer ${api.key}` },
      payload: { to: '5511987650009', text: 'x' },
    })
    assert.equal(answer.statusCode, 201)
    await kit.settle()
    const path = `${base}/messages/${answer.json<{ id: string }>().id}`
    assert.equal((await api.get(path)).body.status, 'queued')
    await kit.jump(1000)
    assert.equal((await api.get(path)).body.status, 'delivered')
  })

  it('a retry that one node leaves is attempted once, by the first node that polls', async () => {
    const { receiver, record } = await ready()
    receiver.answer = (response) => void response.writeHead(500).end()
    await record(other)
    await kit.settle()
    for (const seconds of [2, 20, 100, 300, 700]) {
      await kit.jump(seconds * 1000)
      await kit.jump(300)
    }
    assert.equal(receiver.received.length, 6)
  })
})
