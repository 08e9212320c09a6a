// Options of a webhook: more events, filters, headers of its own, and a new secret.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'
import type { Client } from '../kit/client.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const HOUR_MS = 3600_000
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const sign = (secret: string, text: string) =>
  `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`

async function ready() {
  const project = await kit.project()
  const api = await kit.key(project)
  const receiver = await kit.receiver()
  const instance = await kit.pair(api)
  const friend = await kit.phone(api, { name: 'Ana' })
  const create = async (options: object) => {
    const { status, body } = await api.post('/v1/webhooks', {
      name: 'w',
      url: receiver.url,
      ...options,
    })
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }
  const write = (text: string) =>
    api.post(`${friend.base}/messages`, { to: instance.phone, text }).then(({ body }) => body)
  const got = () =>
    receiver.received
      .map(({ text }) => JSON.parse(text))
      .map(({ event, data }) => ({ event, data }))
  return { project, api, receiver, instance, friend, create, write, got }
}

const countEvents = async (projectId: string) => {
  const [row] = await kit.db.system`
    select count(*)::int as count from event where project_id = ${projectId}`
  return Number(row?.['count'])
}

/** Sends a message in the panel, as a signed-in user. */
const sendInPanel = (user: Client, base: string, to: string) =>
  user.post(`/panel/api/test${base}/messages`, { to, text: 'do painel' }, { 'x-recado-panel': '1' })

describe('links to files in deliveries', () => {
  it('deliveries include file links only for webhooks with that option, and the links work without a key for an hour', async () => {
    const { project, api, instance, friend, create, got, receiver } = await ready()
    const { secret, media } = await create({ media: 'link' })
    assert.equal(media, 'link')
    const plain = await kit.receiver()
    const other = await api.post('/v1/webhooks', { name: 'sem', url: plain.url })
    assert.ok(!('media' in other.body))
    const picture = { type: 'image', media: { base64: PNG } }
    const written = await api.post(`${friend.base}/messages`, { to: instance.phone, ...picture })
    assert.equal(written.status, 201, written.text)
    await kit.settle()
    const [{ message }] = got().map(({ data }) => data)
    assert.equal(new URL(message.media.url).host, 'sandbox.recado.test')
    const [delivery] = receiver.received
    assert.equal(delivery?.headers['x-service-signature'], sign(secret, delivery?.text ?? ''))
    assert.ok(!plain.received.some(({ text }) => text.includes('media-links')))
    const stored = await kit.db.system`
      select 1 from event where project_id = ${project.projectId} and body::text like '%media-links%'`
    assert.equal(stored.length, 0, 'a stored event holds no credential')

    const { pathname } = new URL(message.media.url)
    const anyone = kit.client('test', null)
    const file = await anyone.download(pathname)
    assert.equal(file.status, 200)
    const known = await api.download(`${instance.base}/messages/${message.id}/media`)
    assert.deepEqual(file.bytes, known.bytes)
    assert.equal((await anyone.download(pathname, { range: 'bytes=0-3' })).status, 206)
    // Each mode has its host; a changed or outdated link leads nowhere.
    assert.equal((await kit.client('production', null).get(pathname)).status, 404)
    assert.equal((await anyone.get(`${pathname.slice(0, -2)}AA`)).status, 404)
    assert.equal((await anyone.get('/v1/media-links/x')).status, 404)
    const set = (action: string, status: 'ACTIVE' | 'SUSPENDED') =>
      kit.operator.projects.set(kit.db, project.projectId, action, { status })
    await set('project.suspend', 'SUSPENDED')
    assert.equal((await anyone.get(pathname)).status, 404)
    await set('project.activate', 'ACTIVE')
    assert.equal((await anyone.download(pathname)).status, 200)
    await kit.jump(HOUR_MS + 1000)
    const late = await anyone.get(pathname)
    assert.equal(late.status, 404)
    assert.match(late.body.error.message, /o link venceu/)
  })

  it('links to files in deliveries are new in each attempt, and absent where there is no file', async () => {
    const { api, instance, friend, create, write, got, receiver } = await ready()
    await create({ media: 'link' })
    await write('oi')
    await kit.settle()
    const [{ message: text }] = got().map(({ data }) => data)
    assert.equal(text.media, null)
    receiver.answer = (response) => void response.writeHead(500).end()
    await api.post(`${friend.base}/messages`, {
      to: instance.phone,
      type: 'image',
      media: { base64: PNG },
    })
    await kit.settle()
    await kit.jump(HOUR_MS)
    const urls = got().flatMap(({ data }) => data.message?.media?.url ?? [])
    assert.ok(urls.length >= 2, `${urls.length} attempts`)
    assert.equal(new Set(urls).size, urls.length)
  })
})

describe('events beyond the usual ones', () => {
  it('opt-in events reach only webhooks that subscribe to them, and otherwise create no rows', async () => {
    const { project, api, instance, friend, create, write, got } = await ready()
    const usual = await create({})
    const user = await kit.login(project)
    const before = await countEvents(project.projectId)
    const sent = await sendInPanel(user, instance.base, friend.phone)
    assert.equal(sent.status, 201, sent.text)
    await kit.settle()
    const delivered = ['delivered', 'read']
    const statuses = got().map(({ data }) => data.status)
    assert.deepEqual(
      statuses.filter((status) => !delivered.includes(status)),
      [],
    )
    const { waMessageId } = await write('oi')
    await kit.settle()
    await api.patch(`${friend.base}/messages/${waMessageId}`, { text: 'oi, tudo bem?' })
    await kit.settle()
    const received = got().filter(({ event }) => event === 'message.received')
    assert.equal(received.length, 1)
    const rows = (await countEvents(project.projectId)) - before
    assert.equal(rows, got().length, 'an event that nobody asked for is not stored')
    for (const option of ['include', 'filter', 'headerNames', 'previousSecretUntil'])
      assert.ok(!(option in usual))
  })

  it('optional events report messages written in the panel, edits, and acceptance by the network', async () => {
    const { project, api, instance, friend, create, write, got } = await ready()
    const { include } = await create({ include: ['own', 'edits', 'sent'] })
    assert.deepEqual(include, ['own', 'edits', 'sent'])
    const user = await kit.login(project)
    await sendInPanel(user, instance.base, friend.phone)
    await kit.settle()
    const [own] = got().filter(({ event }) => event === 'message.received')
    assert.deepEqual(
      [own?.data.message.direction, own?.data.message.origin, own?.data.message.text],
      ['outbound', 'panel', 'do painel'],
    )
    const statuses = got()
      .filter(({ event }) => event === 'message.status')
      .map(({ data }) => data.status)
    assert.ok(statuses.includes('sent'), statuses.join())
    const { waMessageId } = await write('oi')
    await kit.settle()
    await api.patch(`${friend.base}/messages/${waMessageId}`, { text: 'oi, tudo bem?' })
    await kit.settle()
    const [first, edited] = got()
      .filter(({ data }) => data.waMessageId === waMessageId)
      .map(({ data }) => data.message)
    assert.deepEqual([first.text, first.editedAt], ['oi', null])
    assert.equal(edited.text, 'oi, tudo bem?')
    assert.notEqual(edited.editedAt, null)
    const inPanel = `/panel/api/test${instance.base}/messages/${own?.data.message.id}`
    assert.equal((await user.patch(inPanel, { text: 'corrigido' })).status, 200)
    await kit.settle()
    const [corrected] = got().filter(({ data }) => data.message?.text === 'corrigido')
    assert.deepEqual(
      [corrected?.data.message.id, corrected?.data.message.editedAt !== null],
      [own?.data.message.id, true],
    )
    // Sends and edits over the API report no message: the caller knows them.
    const sent = await api.post(`${instance.base}/messages`, { to: friend.phone, text: 'da API' })
    await kit.settle()
    await api.patch(`${instance.base}/messages/${sent.body.id}`, { text: 'da API, corrigido' })
    await kit.settle()
    assert.ok(!got().some(({ data }) => data.message?.text.startsWith('da API')))
  })
})

describe('filters of a webhook', () => {
  it('filters of a webhook pass only the given instances, kinds of chat and kinds of message', async () => {
    const { project, api, instance, friend, create, write, got, receiver } = await ready()
    const other = await kit.pair(api, 'Outra', { phone: '5511977770001' })
    const events = ['message.received']
    await create({ events, filter: { instanceIds: [other.id] } })
    await create({ events, filter: { chatTypes: ['group'] } })
    await create({ events, filter: { types: ['image', 'location'] } })
    const before = await countEvents(project.projectId)
    await write('filtrada por todos')
    await kit.settle()
    assert.deepEqual(got(), [])
    assert.equal(await countEvents(project.projectId), before, 'a filtered event creates no row')
    await api.post(`${friend.base}/messages`, {
      to: instance.phone,
      type: 'location',
      latitude: -23.5,
      longitude: -46.6,
    })
    await kit.settle()
    assert.deepEqual(
      got().map(({ data }) => data.message.type),
      ['location'],
    )
    await api.post(`${friend.base}/messages`, { to: other.phone, text: 'para a outra' })
    await kit.settle()
    assert.equal(receiver.received.length, 2)
  })

  it('filters of a webhook pass only messages of the given directions, and all events without one', async () => {
    const { api, instance, friend, create, write, got } = await ready()
    await create({ include: ['own', 'sent'], filter: { directions: ['outbound'] } })
    await write('de fora')
    await kit.settle()
    assert.deepEqual(got(), [])
    await api.post(`${friend.base}/calls`, { to: instance.phone })
    await api.post(`${instance.base}/messages`, { to: friend.phone, text: 'nossa' })
    await kit.settle()
    const names = new Set(got().map(({ event }) => event))
    assert.deepEqual(names, new Set(['call.received', 'message.status']))
    await create({
      events: ['message.received', 'message.status'],
      filter: { directions: ['inbound'] },
    })
    const before = got().length
    await api.post(`${instance.base}/messages`, { to: friend.phone, text: 'outra nossa' })
    await kit.settle()
    const onlyFirst = got()
      .slice(before)
      .map(({ data }) => data.status)
    assert.deepEqual(onlyFirst, ['sent', 'delivered'])
    await write('também de fora')
    await kit.settle()
    assert.deepEqual(got().at(-1)?.data.message.text, 'também de fora')
  })

  it('filters of a webhook accept only existing instances, kinds and chat types', async () => {
    const { api, create } = await ready()
    const stranger = await kit.pair(await kit.key(await kit.project()))
    for (const filter of [
      { instanceIds: [stranger.id] },
      { instanceIds: [] },
      { chatTypes: ['broadcast'] },
      { types: ['undefined'] },
      { direction: 'inbound' },
      { directions: ['both'] },
    ]) {
      const body = { name: 'w', url: 'https://a.example', filter }
      assert.equal((await api.post('/v1/webhooks', body)).status, 400, JSON.stringify(filter))
    }
    const { filter } = await create({ filter: { types: ['text'] } })
    const others = { instanceIds: null, chatTypes: null, directions: null }
    assert.deepEqual(filter, { ...others, types: ['text'] })
  })
})

describe('headers of a webhook', () => {
  it('headers of a webhook are sent with every delivery, and their values are never shown again', async () => {
    const { project, create, write, receiver, api } = await ready()
    const headers = { Authorization: 'Bearer segredo-do-cliente', 'X-Tenant': 'loja 7' }
    const webhook = await create({ events: ['message.received'], headers })
    assert.deepEqual(webhook.headerNames, ['authorization', 'x-tenant'])
    await write('oi')
    await kit.settle()
    const [delivery] = receiver.received
    assert.equal(delivery?.headers['authorization'], 'Bearer segredo-do-cliente')
    assert.equal(delivery?.headers['x-tenant'], 'loja 7')
    const shown = JSON.stringify([
      webhook,
      (await api.get('/v1/webhooks')).body,
      await kit.db.system`select * from webhook where project_id = ${project.projectId}`,
      kit.logs,
    ])
    assert.ok(!shown.includes('segredo-do-cliente'))
  })

  it('headers of a webhook do not follow a redirect to another origin', async () => {
    const { create, write, receiver } = await ready()
    const elsewhere = await kit.receiver()
    const url = new URL(elsewhere.url)
    receiver.answer = (response) => void response.writeHead(307, { location: url.href }).end()
    await create({ events: ['message.received'], headers: { Authorization: 'Bearer x' } })
    await write('oi')
    await kit.settle()
    assert.equal(receiver.received[0]?.headers['authorization'], 'Bearer x')
    assert.equal(elsewhere.received.length, 1)
    assert.equal(elsewhere.received[0]?.headers['authorization'], undefined)
    assert.notEqual(elsewhere.received[0]?.headers['x-service-signature'], undefined)
  })

  it('headers of a webhook cannot be those of the delivery or the connection, nor split the request', async () => {
    const { api } = await ready()
    for (const headers of [
      { Host: 'a' },
      { 'Content-Length': '1' },
      { 'Transfer-Encoding': 'chunked' },
      { 'X-Service-Signature': 'sha256=00' },
      { 'webhook-id': 'x' },
      { Connection: 'close' },
      { 'x a': 'b' },
      { '': 'b' },
      { x: '' },
      { x: 'a\r\nInjected: 1' },
      { x: 'ação' },
      { x: 'a', X: 'b' },
      { x: 'a'.repeat(2001) },
      Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`x-${index}`, 'a'])),
    ]) {
      const body = { name: 'w', url: 'https://a.example', headers }
      const answer = await api.post('/v1/webhooks', body)
      assert.equal(answer.status, 400, JSON.stringify(headers).slice(0, 80))
    }
  })
})

describe('POST /v1/webhooks/{id}/rotate-secret', () => {
  it('a rotated secret keeps signing until the overlap ends', async () => {
    const { api, create, write, receiver } = await ready()
    const { id, secret: first } = await create({ events: ['message.received'] })
    const { status, body } = await api.post(`/v1/webhooks/${id}/rotate-secret`, { overlapHours: 2 })
    assert.equal(status, 200)
    assert.match(body.secret, /^whsec_/)
    assert.notEqual(body.secret, first)
    assert.equal(body.previousSecretUntil, new Date(kit.clock.now() + 2 * HOUR_MS).toISOString())
    await write('durante')
    await kit.settle()
    const during = receiver.received[0]
    assert.ok(during)
    assert.equal(during.headers['x-service-signature'], sign(first, during.text))
    assert.equal(during.headers['x-service-signature-next'], sign(body.secret, during.text))
    assert.equal(String(during.headers['webhook-signature']).split(' ').length, 2)
    await kit.jump(2 * HOUR_MS)
    await write('depois')
    await kit.settle()
    const later = receiver.received[1]
    assert.ok(later)
    assert.equal(later.headers['x-service-signature'], sign(body.secret, later.text))
    assert.equal(later.headers['x-service-signature-next'], undefined)
    assert.equal(String(later.headers['webhook-signature']).split(' ').length, 1)
  })

  it('a second rotation waits for the overlap of the first, or ends it, and needs no body', async () => {
    const { api, create, write, receiver } = await ready()
    const { id } = await create({ events: ['message.received'] })
    const path = `/v1/webhooks/${id}/rotate-secret`
    const first = await api.call('POST', path, {})
    assert.equal(first.status, 200)
    const until = first.body.previousSecretUntil
    assert.equal(until, new Date(kit.clock.now() + 24 * HOUR_MS).toISOString())
    const { status, body } = await api.post(path, { overlapHours: 1 })
    assert.deepEqual([status, body.error.field], [409, 'overlapHours'])
    assert.ok(body.error.message.includes(until))
    await write('durante')
    await kit.settle()
    const [during] = receiver.received
    assert.equal(
      during?.headers['x-service-signature-next'],
      sign(first.body.secret, during?.text ?? ''),
    )
    const ended = await api.post(path, { overlapHours: 0 })
    assert.equal(ended.body.previousSecretUntil, undefined)
    assert.equal((await api.post(path, {})).status, 200)
  })

  it('rotating a secret without an overlap invalidates the previous one immediately, and returns 404 to another Project', async () => {
    const { api, project, create, write, receiver } = await ready()
    const { id, secret: first } = await create({ events: ['message.received'] })
    const path = `/v1/webhooks/${id}/rotate-secret`
    const { body } = await api.post(path, { overlapHours: 0 })
    assert.equal(body.previousSecretUntil, undefined)
    await write('oi')
    await kit.settle()
    const [delivery] = receiver.received
    assert.ok(delivery)
    assert.equal(delivery.headers['x-service-signature'], sign(body.secret, delivery.text))
    assert.notEqual(delivery.headers['x-service-signature'], sign(first, delivery.text))
    for (const other of [await kit.key(await kit.project()), await kit.key(project, 'production')])
      assert.equal((await other.post(path, {})).status, 404)
    for (const wrong of [{ overlapHours: -1 }, { overlapHours: 169 }, { hours: 1 }])
      assert.equal((await api.post(path, wrong)).status, 400)
    assert.equal((await api.get('/v1/webhooks')).body.items[0].secret, undefined)
  })
})

describe('filters of the delivery log', () => {
  it('the filters of the delivery log list only attempts of one event or with one outcome', async () => {
    const { api, create, write, receiver, instance, friend } = await ready()
    const { id } = await create({})
    receiver.answer = (response) => void response.writeHead(500).end()
    await write('falha')
    await kit.settle()
    receiver.answer = (response) => void response.writeHead(200).end()
    await kit.jump(2000)
    await api.post(`${instance.base}/messages`, { to: friend.phone, text: 'oi' })
    await kit.settle()
    const list = async (query: string) =>
      (await api.get(`/v1/webhooks/${id}/deliveries?${query}`)).body.items
    const all = await list('')
    const failed = await list('outcome=failed')
    assert.deepEqual(
      failed.map(({ event, attempt }: { event: string; attempt: number }) => [event, attempt]),
      [['message.received', 1]],
    )
    const received = await list('event=message.received')
    assert.equal(received.length, 2)
    assert.equal((await list('event=message.received&outcome=success')).length, 1)
    assert.equal((await list('event=message.received&limit=1&offset=1')).length, 1)
    assert.ok(all.length > received.length)
    for (const wrong of ['outcome=ok', 'event=x', 'status=500'])
      assert.equal((await api.get(`/v1/webhooks/${id}/deliveries?${wrong}`)).status, 400)
  })
})
