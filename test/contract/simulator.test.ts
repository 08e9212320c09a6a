// Virtual phones and inboxes of the simulated network.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

describe('virtual phones', () => {
  it('a virtual phone can be created, listed, read and deleted', async () => {
    const api = await kit.key(await kit.project())
    const { status, body } = await api.post('/v1/simulator/phones', { name: 'Ana', phone: null })
    assert.equal(status, 201)
    assert.match(body.id, /^phn_/)
    assert.match(body.phone, /^55119\d{8}$/)
    assert.doesNotMatch(body.phone, /000[1-6]$/)
    assert.deepEqual(body.pairedInstanceIds, [])
    const path = `/v1/simulator/phones/${body.id}`
    assert.deepEqual((await api.get(path)).body, body)
    assert.deepEqual((await api.get('/v1/simulator/phones')).body.items, [body])
    assert.equal((await api.delete(path)).status, 204)
    assert.equal((await api.get(path)).status, 404)
  })

  it('a virtual phone number is unique within a Project and mode', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const make = (client: typeof api) =>
      client.post('/v1/simulator/phones', { name: 'Ana', phone: '+55 11 91234-5678' })
    assert.equal((await make(api)).body.phone, '5511912345678')
    assert.equal((await make(api)).status, 409)
    assert.equal((await make(await kit.key(project, 'production'))).status, 201)
    const bad = await api.post('/v1/simulator/phones', { name: 'Ana', phone: '12' })
    assert.equal(bad.status, 400)
  })

  it('a virtual phone can scan a pairing code only once and only in its own Project', async () => {
    const api = await kit.key(await kit.project())
    const { body: instance } = await api.post('/v1/instances', { name: 'x' })
    await api.get(`/v1/instances/${instance.id}/qr/poll`)
    await kit.settle()
    const { code } = (await api.get(`/v1/instances/${instance.id}/qr/poll`)).body
    const other = await kit.key(await kit.project())
    const [mine, foreign] = [await kit.phone(api), await kit.phone(other)]
    assert.equal((await other.post(`${foreign.base}/scan`, { code })).status, 400)
    const scanned = await api.post(`${mine.base}/scan`, { code })
    assert.deepEqual(scanned.body.pairedInstanceIds, [instance.id])
    assert.equal((await api.post(`${mine.base}/scan`, { code })).status, 400)
  })

  it('a virtual phone that is paired with a hundred instances is paired with no other', async () => {
    const api = await kit.key(await kit.project())
    const { base: own } = await kit.phone(api)
    const paired = await kit.pair(api)
    await kit.app.storage.database.system`
      insert into simulator_link (instance_id, phone_id, linked_at)
      select 'ins_' || n, ${own.split('/').at(-1) ?? ''}, now() from generate_series(1, 100) n`
    await api.post(`${paired.base}/logout`)
    await kit.settle()
    await api.post(`${paired.base}/connect`)
    await kit.settle()
    const { code } = (await api.get(`${paired.base}/qr/poll`)).body
    const { status, body } = await api.post(`${own}/scan`, { code })
    assert.deepEqual([status, body.error.code], [409, 'CONFLICT'])
    assert.match(body.error.message, /^este número já está pareado com 100 instâncias/)
  })

  it('a virtual phone receives messages from an instance, and marking one as read emits one event', async () => {
    const api = await kit.key(await kit.project())
    const receiver = await kit.receiver()
    const { base, phone } = await kit.pair(api)
    const ana = await kit.phone(api)
    const { body: sent } = await api.post(`${base}/messages`, { to: ana.phone, text: 'oi' })
    await kit.settle()
    const [item] = (await api.get(`${ana.base}/inbox`)).body.items
    assert.equal(item.direction, 'inbound')
    assert.equal(item.text, 'oi')
    assert.equal(item.from.phone, phone)
    assert.equal(item.waMessageId, sent.waMessageId)
    await api.post('/v1/webhooks', { name: 'w', url: receiver.url })
    const ids = { waMessageIds: [sent.waMessageId] }
    for (let count = 0; count < 2; count++) {
      const read = await api.post(`${ana.base}/read`, ids)
      assert.equal(read.status, 200)
      assert.deepEqual(read.body, ids)
      await kit.settle()
    }
    const [event, ...more] = receiver.received
    assert.deepEqual(more, [])
    assert.ok(event)
    const { eventId, at, ...data } = event.body.data
    assert.ok(eventId && at)
    assert.deepEqual(data, {
      waMessageIds: [sent.waMessageId],
      status: 'read',
      chat: { id: `${ana.phone}@s.whatsapp.net`, type: 'direct', name: null },
      party: { phone: ana.phone, lid: data.party.lid, name: 'Ana' },
      clientReferences: [],
      error: null,
    })
    assert.match(data.party.lid, /^\d+@lid$/)
  })

  it('a virtual phone cannot send to a number that does not exist', async () => {
    const api = await kit.key(await kit.project())
    const ana = await kit.phone(api)
    const answer = await api.post(`${ana.base}/messages`, { to: '5511900000000', text: 'x' })
    assert.equal(answer.status, 400)
  })

  it('the simulator routes return 404 in a mode that does not use the simulator', async () => {
    const bare = await startTestApp({ PRODUCTION_NETWORK: 'whatsapp' })
    const api = await bare.key(await bare.project(), 'production')
    for (const path of ['phones', 'inboxes']) {
      assert.equal((await api.get(`/v1/simulator/${path}`)).status, 404)
      assert.equal((await api.post(`/v1/simulator/${path}`, { name: 'x' })).status, 404)
      assert.equal((await api.post(`/v1/simulator/${path}`, {})).status, 404)
    }
    await bare.close()
  })
})

describe('inboxes', () => {
  it('an inbox records webhook deliveries and responds with the configured status', async () => {
    const api = await kit.key(await kit.project())
    const { phone } = await kit.pair(api)
    const ana = await kit.phone(api)
    const { body: inbox } = await api.post('/v1/simulator/inboxes', { name: 'Tour' })
    assert.equal(inbox.url, `${kit.config.sandboxUrl}/caixa/${inbox.id}`)
    const { body: webhook } = await api.post('/v1/webhooks', { name: 'w', url: inbox.url })
    const path = `/v1/simulator/inboxes/${inbox.id}`
    assert.deepEqual((await api.put(`${path}/answer`, { status: 503 })).body.answer, {
      status: 503,
    })
    await api.post(`${ana.base}/messages`, { to: phone, text: 'oi' })
    await kit.settle()
    await api.put(`${path}/answer`, { status: 200 })
    await kit.jump(1100)
    const { items } = (await api.get(`${path}/requests`)).body
    assert.equal(items.length, 2)
    assert.equal(items[0].body, items[1].body)
    assert.equal(items[0].headers['x-service-event'], 'message.received')
    const log = (await api.get(`/v1/webhooks/${webhook.id}/deliveries`)).body.items
    assert.deepEqual(
      log.map((item: { statusCode: number }) => item.statusCode),
      [200, 503],
    )
  })

  it('an inbox can fail or time out for a limited number of requests, and the panel shows which signatures are valid', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { phone } = await kit.pair(api)
    const ana = await kit.phone(api)
    const { body: inbox } = await api.post('/v1/simulator/inboxes', { name: 'Tour' })
    const { body: webhook } = await api.post('/v1/webhooks', { name: 'w', url: inbox.url })
    const path = `/v1/simulator/inboxes/${inbox.id}`
    const setAnswer = async (answer: object) =>
      (await api.put(`${path}/answer`, answer)).body.answer
    const attempts = async () =>
      (await api.get(`/v1/webhooks/${webhook.id}/deliveries`)).body.items.map(
        ({ statusCode, errorReason }: { statusCode: number | null; errorReason: string | null }) =>
          statusCode ?? errorReason,
      )
    assert.deepEqual(await setAnswer({ status: 503, times: 1 }), { status: 503, times: 1 })
    await api.post(`${ana.base}/messages`, { to: phone, text: 'oi' })
    await kit.settle()
    assert.deepEqual((await api.get(path)).body.answer, { status: 200 })
    await kit.jump(1100)
    assert.deepEqual(await attempts(), [200, 503])

    const late = { status: 200, times: 1, timeout: true }
    assert.deepEqual(await setAnswer(late), late)
    await api.post(`${ana.base}/messages`, { to: phone, text: 'e agora?' })
    const held = async () => (await api.get(`${path}/requests`)).body.items.length === 3
    while (!(await held())) await new Promise(setImmediate)
    kit.clock.jump(15_000)
    await kit.settle()
    await kit.jump(1100)
    assert.deepEqual(await attempts(), [200, 'erro de rede: tempo esgotado', 200, 503])
    assert.equal((await api.put(`${path}/answer`, { status: 200, times: 0 })).status, 400)

    // The panel distinguishes genuine signatures from forged ones.
    const user = await kit.login(project)
    const outside = kit.client('test')
    const forge = (id: string) =>
      outside.call('POST', `/caixa/${inbox.id}`, {
        body: '{}',
        headers: {
          'x-service-webhook-id': id,
          'x-service-signature': 'x',
        },
      })
    await forge(webhook.id)
    const stranger = await kit.key(await kit.project())
    const foreign = { name: 'alheio', url: 'https://example.com' }
    await forge((await stranger.post('/v1/webhooks', foreign)).body.id)
    const signed = await user.get(`/panel/api/test/inboxes/${inbox.id}/requests`)
    assert.deepEqual(
      signed.body.items.map((one: { signature: object | null }) => one.signature),
      [null, ...[false, true, true, true, true].map((genuine) => ({ webhookName: 'w', genuine }))],
    )
    const { body: plain } = await api.get(`${path}/requests`)
    assert.deepEqual(
      signed.body.items.map((one: { id: number; body: string }) => [one.id, one.body]),
      plain.items.map((one: { id: number; body: string }) => [one.id, one.body]),
    )
    const other = await kit.login(await kit.project())
    const alien = await other.get(`/panel/api/test/inboxes/${inbox.id}/requests`)
    assert.equal(alien.status, 404)
  })

  it('an inbox of another Project receives no deliveries', async () => {
    const api = await kit.key(await kit.project())
    const { body: inbox } = await api.post('/v1/simulator/inboxes', { name: 'Alheia' })
    const other = await kit.key(await kit.project())
    const { phone } = await kit.pair(other)
    const ana = await kit.phone(other)
    await other.post('/v1/webhooks', { name: 'w', url: inbox.url })
    await other.post(`${ana.base}/messages`, { to: phone, text: 'oi' })
    await kit.settle()
    const { items } = (await api.get(`/v1/simulator/inboxes/${inbox.id}/requests`)).body
    assert.deepEqual(items, [])
    assert.equal((await other.get(`/v1/simulator/inboxes/${inbox.id}`)).status, 404)
  })

  it('an inbox stores the last 50 requests, with any body, for one hour', async () => {
    const api = await kit.key(await kit.project())
    const { body: inbox } = await api.post('/v1/simulator/inboxes', { name: 'x' })
    const outside = kit.client('test')
    for (let count = 0; count < 52; count++) {
      const answer = await outside.call('POST', `/caixa/${inbox.id}`, { body: `n\0${count}` })
      assert.equal(answer.status, 200)
    }
    const path = `/v1/simulator/inboxes/${inbox.id}/requests`
    const { items } = (await api.get(path)).body
    assert.equal(items.length, 50)
    assert.equal(items[0].body, 'n\u{fffd}51')
    await kit.jump(3600_000)
    assert.deepEqual((await api.get(path)).body.items, [])
    assert.equal((await outside.post('/caixa/box_nope', {})).status, 404)
  })

  it('an inbox can be listed and deleted', async () => {
    const api = await kit.key(await kit.project())
    const { body: inbox } = await api.post('/v1/simulator/inboxes', { name: 'x' })
    assert.deepEqual((await api.get('/v1/simulator/inboxes')).body.items, [inbox])
    assert.equal((await api.delete(`/v1/simulator/inboxes/${inbox.id}`)).status, 204)
    assert.equal((await api.delete(`/v1/simulator/inboxes/${inbox.id}`)).status, 404)
    assert.equal(
      (await api.put(`/v1/simulator/inboxes/${inbox.id}/answer`, { status: 200 })).status,
      404,
    )
  })
})
