// Webhooks and deliveries.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { Client } from '../kit/client.ts'
import type { Receiver } from '../kit/receiver.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

const EVENTS = [
  'message.received',
  'message.status',
  'instance.status',
  'call.received',
  'message.deleted',
  'group.participants',
  'group.updated',
  'contact.updated',
  'label.updated',
  'label.association',
]
let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

type Ready = {
  api: Client
  receiver: Receiver
  webhook: { id: string; secret: string }
  /** Causes one message.received event. */
  triggerEvent(): Promise<void>
  listDeliveries(query?: string): Promise<LogItem[]>
  getWebhook(): Promise<{ lastSuccessAt: string; lastFailureAt: string; lastFailureReason: string }>
}
type LogItem = {
  id: number
  attempt: number
  statusCode: number | null
  outcome: string
  errorReason: string | null
  event: string
  durationMs: number
  createdAt: string
}

async function ready(body: object = { events: ['message.received'] }): Promise<Ready> {
  const api = await kit.key(await kit.project())
  const receiver = await kit.receiver()
  const { phone } = await kit.pair(api)
  const client = await kit.phone(api)
  const { body: webhook } = await api.post('/v1/webhooks', {
    name: 'w',
    url: `${receiver.url}/gancho?a=1`,
    ...body,
  })
  return {
    api,
    receiver,
    webhook,
    async triggerEvent() {
      await api.post(`${client.base}/messages`, { to: phone, text: 'oi' })
      await kit.settle()
    },
    listDeliveries: async (query = '') =>
      (await api.get(`/v1/webhooks/${webhook.id}/deliveries${query}`)).body.items,
    getWebhook: async () => (await api.get('/v1/webhooks')).body.items[0],
  }
}
const respondWith = (receiver: Receiver, status: number, headers = {}) => {
  receiver.answer = (response) => void response.writeHead(status, headers).end('corpo secreto')
}

describe('POST /v1/webhooks', () => {
  it('a webhook with an event that is not a string is rejected with 400 and the error envelope', async () => {
    const api = await kit.key(await kit.project())
    for (const event of [{ toString: 'z' }, ['message.received'], 1, true, 'x'.repeat(5000)]) {
      const body = { name: 'w', url: 'https://loja.com.br/recado', events: [event] }
      const answer = await api.post('/v1/webhooks', body)
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'BAD_REQUEST'], answer.text)
      const shown = typeof event === 'string' ? event : JSON.stringify(event)
      assert.equal(answer.body.error.message, `evento inválido: ${shown}`)
    }
  })

  it('creating a webhook returns its secret once, and listing webhooks never does', async () => {
    const api = await kit.key(await kit.project())
    const input = { name: '  CRM  ', url: 'https://crm.empresa.com.br/x', events: [] }
    const { status, body } = await api.post('/v1/webhooks', input)
    assert.equal(status, 201)
    const { id, secret, createdAt, ...rest } = body
    assert.match(secret, /^whsec_/)
    assert.ok(createdAt)
    assert.deepEqual(rest, {
      name: 'CRM',
      url: 'https://crm.empresa.com.br/x',
      events: [],
      enabled: true,
      lastSuccessAt: null,
      lastFailureAt: null,
      lastFailureReason: null,
    })
    const { body: list } = await api.get('/v1/webhooks')
    assert.deepEqual(list.items, [{ id, createdAt, ...rest }])
    const again = await api.post('/v1/webhooks', input)
    assert.notEqual(again.body.secret, secret)
    const rows = await kit.db.system`select secret_sealed from webhook where id = ${id}`
    assert.ok(!Buffer.from(rows[0]?.['secretSealed']).includes(secret.slice(6)))
  })

  it('a webhook accepts each of the ten events and rejects any other', async () => {
    const api = await kit.key(await kit.project())
    const url = 'https://crm.empresa.com.br'
    const all = await api.post('/v1/webhooks', { name: 'w', url, events: EVENTS })
    assert.deepEqual(all.body.events, EVENTS)
    for (const event of ['foo', 'message.sent', '']) {
      const answer = await api.post('/v1/webhooks', { name: 'w', url, events: [event] })
      assert.equal(answer.status, 400)
      assert.equal(answer.body.error.message, `evento inválido: ${event}`)
    }
  })

  it('creating a webhook without a name or with malformed JSON returns 400', async () => {
    const api = await kit.key(await kit.project())
    for (const name of [undefined, '', '  ', null]) {
      const answer = await api.post('/v1/webhooks', { name, url: 'https://x.com' })
      assert.equal(answer.body.error.message, 'nome obrigatório')
    }
    const headers = { 'content-type': 'application/json' }
    const broken = await api.call('POST', '/v1/webhooks', { body: '{"name":', headers })
    assert.equal(broken.status, 400)
    assert.match(broken.body.error.message, /^JSON inválido: .+/)
  })

  for (const url of [
    'ftp://x.com',
    'x.com',
    'http://',
    'http:///x',
    'https://?a',
    'http://127.0.0.2',
    'http://10.1.2.3/x',
    'http://192.168.0.1',
    'http://172.16.9.9',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]:80/',
    'http://[fe80::1]/',
    'http://[fc00::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://2130706434/',
    'http://0x7f.2/',
    'http://0177.0.0.2/',
    'http://127.2/',
    'http://１０.0.0.1/',
    'http://127.0.0.2./',
    'http://0.0.0.0/',
    'http://user:pass@x.com/',
    `https://x.com/${'a'.repeat(2048)}`,
  ]) {
    it(`creating a webhook with the URL ${url.slice(0, 45)} returns 400`, async () => {
      const api = await (shared ??= kit.project().then((project) => kit.key(project)))
      const answer = await api.post('/v1/webhooks', { name: 'w', url })
      assert.equal(answer.status, 400)
      assert.match(answer.body.error.message, /^URL: .+/)
    })
  }
  let shared: Promise<Client> | undefined

  it('a webhook whose URL has an invalid host name is rejected with 400', async () => {
    const api = await kit.key(await kit.project())
    for (const host of ['x..com', '.com', `${'a'.repeat(64)}.com`, `${'a.'.repeat(130)}com`]) {
      const { status, body } = await api.post('/v1/webhooks', {
        name: 'w',
        url: `https://${host}/`,
      })
      assert.equal(status, 400, host)
      assert.match(body.error.message, /^URL: /)
    }
    const rooted = await api.post('/v1/webhooks', { name: 'w', url: 'https://exemplo.com.br./' })
    assert.equal(rooted.status, 201)
  })

  it('a webhook URL may use any host name, including localhost', async () => {
    const api = await kit.key(await kit.project())
    const answer = await api.post('/v1/webhooks', { name: 'w', url: 'http://localhost:9/x' })
    assert.equal(answer.status, 201)
  })

  it('a Project has at most 100 webhooks, also under concurrent creation', async () => {
    const api = await kit.key(await kit.project())
    const make = () => api.post('/v1/webhooks', { name: 'w', url: 'https://x.com' })
    const answers = await Promise.all(Array.from({ length: 105 }, make))
    const statuses = answers.map((answer) => answer.status)
    assert.equal(statuses.filter((status) => status === 201).length, 100)
    assert.equal(statuses.filter((status) => status === 400).length, 5)
    assert.match((await make()).body.error.message, /^limite de .* atingido$/)
    assert.equal((await api.get('/v1/webhooks')).body.items.length, 100)
  })
})

describe('deliveries', () => {
  it('a delivery has the compact envelope, all headers and a signature made with the whole secret', async () => {
    const { receiver, webhook, triggerEvent: fire } = await ready()
    await fire()
    const [request] = receiver.received
    assert.ok(request)
    assert.equal(request.method, 'POST')
    assert.equal(request.path, '/gancho?a=1')
    assert.deepEqual(Object.keys(request.body), ['event', 'instanceId', 'timestamp', 'data'])
    assert.equal(request.text, JSON.stringify(request.body))
    assert.match(request.body.timestamp, /^\d{4}-.*Z$/)
    const { headers } = request
    const signature = createHmac('sha256', webhook.secret).update(request.text).digest('hex')
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['user-agent'], 'service-webhooks/1')
    assert.equal(headers['x-service-event'], 'message.received')
    assert.equal(headers['x-service-webhook-id'], webhook.id)
    assert.equal(headers['x-service-signature'], `sha256=${signature}`)
    assert.equal(headers['webhook-id'], request.body.data.eventId)
  })

  it('a delivery passes verification by the Standard Webhooks library', async () => {
    // The library compares timestamps with the system clock, so the delivery is signed at system time.
    const { receiver, webhook, triggerEvent: fire } = await ready()
    await kit.jump(Date.now() - kit.clock.now())
    await fire()
    const [request] = receiver.received
    const verified = new Webhook(webhook.secret).verify(
      request?.text ?? '',
      request?.headers as Record<string, string>,
    )
    assert.deepEqual(verified, request?.body)
  })

  it('a delivery with a 2xx response is logged as a success and not retried', async () => {
    const { receiver, triggerEvent: fire, listDeliveries: log, getWebhook: shown } = await ready()
    respondWith(receiver, 204)
    await fire()
    await kit.jump(3600_000)
    assert.equal(receiver.received.length, 1)
    const [item] = await log()
    const { id, durationMs, createdAt, ...rest } = item ?? ({} as LogItem)
    assert.ok(Number.isInteger(id) && Number.isInteger(durationMs) && createdAt)
    assert.deepEqual(rest, {
      event: 'message.received',
      attempt: 1,
      statusCode: 204,
      outcome: 'success',
      errorReason: null,
    })
    const webhook = await shown()
    assert.ok(webhook.lastSuccessAt)
    assert.equal(webhook.lastFailureAt, null)
  })

  it('a failing delivery is attempted six times on schedule with the same body and then dropped', async () => {
    const { receiver, triggerEvent: fire, listDeliveries: log, getWebhook: shown } = await ready()
    respondWith(receiver, 500)
    await fire()
    for (const [index, seconds] of [1, 16, 81, 256, 625].entries()) {
      // The previous attempt may have been made up to 800 ms before this check.
      if (seconds > 1) await kit.jump(Math.floor(seconds * 0.9 * 1000) - 801)
      assert.equal(receiver.received.length, index + 1, `too early after attempt ${index + 1}`)
      await kit.jump(Math.ceil(seconds * 0.2 * 1000) + (seconds > 1 ? 1100 : 1200))
      await kit.jump(300)
      assert.equal(receiver.received.length, index + 2, `too late after attempt ${index + 1}`)
    }
    await kit.jump(24 * 3600_000)
    assert.equal(receiver.received.length, 6)
    assert.equal(new Set(receiver.received.map((request) => request.text)).size, 1)
    const items = await log()
    assert.deepEqual(
      items.map((item) => [item.attempt, item.statusCode, item.outcome, item.errorReason]),
      [6, 5, 4, 3, 2, 1].map((attempt) => [attempt, 500, 'failed', 'HTTP 500']),
    )
    const [left] = await kit.db.system`select count(*)::int as count from delivery`
    assert.equal(left?.['count'], 0)
    const webhook = await shown()
    assert.equal(webhook.lastFailureReason, 'HTTP 500')
    assert.equal(webhook.lastSuccessAt, null)
    assert.ok(!JSON.stringify(items).includes('corpo secreto'))
  })

  it('a delivery that succeeds on a retry records both the failure and the success time', async () => {
    const { receiver, triggerEvent: fire, listDeliveries: log, getWebhook: shown } = await ready()
    respondWith(receiver, 404)
    await fire()
    respondWith(receiver, 200)
    await kit.jump(1100)
    assert.deepEqual(
      (await log()).map((item) => [item.attempt, item.outcome, item.errorReason]),
      [
        [2, 'success', null],
        [1, 'failed', 'HTTP 404'],
      ],
    )
    const webhook = await shown()
    assert.ok(webhook.lastSuccessAt > webhook.lastFailureAt)
  })

  it('a delivery without a response times out after 15 seconds', async () => {
    const { receiver, triggerEvent: fire, listDeliveries: log } = await ready()
    receiver.answer = () => {
      // Jump only after the request arrived, and not again for a retry during later tests.
      respondWith(receiver, 200)
      setImmediate(() => kit.clock.jump(15_000))
    }
    await fire()
    const [item] = await log()
    assert.equal(item?.statusCode, null)
    assert.equal(item?.errorReason, 'erro de rede: tempo esgotado')
    assert.equal(item?.durationMs, 15_000)
  })

  it('the outcome of a delivery depends on the response status, not on a complete body', async () => {
    const { receiver, triggerEvent: fire, listDeliveries: log } = await ready()
    receiver.answer = (response) => void response.writeHead(200).write('sem fim')
    await fire()
    assert.equal((await log())[0]?.outcome, 'success')
  })

  it('the delivery log names a refused connection and a private address', async () => {
    const closed = await kit.receiver()
    closed.close()
    const events = ['message.received']
    const refused = await ready({ url: closed.url, events })
    await refused.triggerEvent()
    assert.equal((await refused.listDeliveries())[0]?.errorReason, 'erro de rede: ECONNREFUSED')
    const hidden = await ready({ url: 'http://localhost:1/', events })
    await hidden.triggerEvent()
    const [item] = await hidden.listDeliveries()
    // localhost resolves to ::1, which the test configuration does not allow.
    assert.equal(item?.errorReason, 'erro de rede: endereço não permitido')
    assert.equal(item?.outcome, 'failed')
    await kit.jump(1100)
    assert.deepEqual(
      (await hidden.listDeliveries()).map(({ event, attempt }) => [event, attempt]),
      [2, 1].map((attempt) => ['message.received', attempt]),
    )
  })

  it('an event is delivered only to webhooks of its Project that subscribe to it', async () => {
    const { api, receiver, triggerEvent: fire } = await ready({ events: ['message.status'] })
    const project = await kit.project()
    const foreign = await kit.key(project)
    const url = receiver.url
    await foreign.post('/v1/webhooks', { name: 'w', url })
    await fire()
    assert.equal(receiver.received.length, 0)
    await api.post('/v1/webhooks', { name: 'tudo', url })
    await fire()
    assert.deepEqual(
      receiver.received.map((request) => request.body.event),
      ['message.received'],
    )
  })
})

describe('redirects', () => {
  const through = async (status: number, location?: string) => {
    const all = await ready()
    const { receiver } = all
    receiver.answer = (response, request) => {
      if (request.path.startsWith('/gancho')) {
        response.writeHead(status, location === '' ? {} : { location: location ?? '/fim' }).end()
      } else if (request.path === '/laco') response.writeHead(307, { location: '/laco' }).end()
      else response.writeHead(200).end()
    }
    await all.triggerEvent()
    return { ...all, items: await all.listDeliveries() }
  }

  for (const status of [301, 302, 307, 308]) {
    it(`a ${status} redirect of a delivery is followed with the same body and signature`, async () => {
      const { receiver, items } = await through(status)
      const [first, second] = receiver.received
      assert.equal(second?.method, 'POST')
      assert.equal(second?.path, '/fim')
      assert.equal(second?.text, first?.text)
      assert.equal(second?.headers['x-service-signature'], first?.headers['x-service-signature'])
      assert.equal(items[0]?.statusCode, 200)
    })
  }

  it('a 303 redirect of a delivery is followed by a GET without a body', async () => {
    const { receiver, items } = await through(303)
    assert.equal(receiver.received[1]?.method, 'GET')
    assert.equal(receiver.received[1]?.text, '')
    assert.equal(items[0]?.outcome, 'success')
  })

  it('a redirect loop of a delivery stops after 10 requests', async () => {
    const { receiver, items } = await through(307, '/laco')
    assert.equal(receiver.received.length, 10)
    assert.equal(items[0]?.statusCode, 307)
    assert.equal(items[0]?.errorReason, 'HTTP 307')
  })

  for (const [what, location] of [
    ['without a location', ''],
    ['to another scheme', 'ftp://x.com/'],
    ['without a host', 'http://'],
  ] as const) {
    it(`a redirect of a delivery ${what} fails with the redirect status`, async () => {
      const { items } = await through(302, location)
      assert.equal(items[0]?.statusCode, 302)
      assert.equal(items[0]?.errorReason, 'HTTP 302')
    })
  }

  it('a redirect of a delivery to a private address is rejected', async () => {
    for (const location of ['http://10.0.0.1/', 'http://localhost/']) {
      const { items } = await through(302, location)
      assert.equal(items[0]?.statusCode, null)
      assert.equal(items[0]?.errorReason, 'erro de rede: endereço não permitido')
    }
  })
})

describe('paused and deleted webhooks', () => {
  it('a paused webhook never receives events that occur during the pause and keeps its id and secret', async () => {
    const { api, receiver, webhook, triggerEvent: fire, listDeliveries: log } = await ready()
    respondWith(receiver, 500)
    await fire()
    const path = `/v1/webhooks/${webhook.id}`
    const paused = await api.patch(path, { enabled: false })
    assert.equal(paused.status, 200)
    assert.equal(paused.body.enabled, false)
    assert.ok(!('secret' in paused.body))
    await fire()
    await kit.jump(3600_000)
    assert.equal(receiver.received.length, 1)
    respondWith(receiver, 200)
    assert.equal((await api.patch(path, { enabled: true })).body.id, webhook.id)
    await kit.jump(3600_000)
    assert.equal(receiver.received.length, 1)
    await fire()
    assert.equal(receiver.received.length, 2)
    const signature = createHmac('sha256', webhook.secret)
      .update(receiver.received[1]?.text ?? '')
      .digest('hex')
    assert.equal(receiver.received[1]?.headers['x-service-signature'], `sha256=${signature}`)
    assert.equal((await log()).length, 2)
  })

  it('a retry pending when a webhook is paused is dropped even if the webhook is resumed before it is due', async () => {
    const { api, receiver, webhook, triggerEvent: fire } = await ready()
    respondWith(receiver, 500)
    await fire()
    for (const enabled of [false, true]) await api.patch(`/v1/webhooks/${webhook.id}`, { enabled })
    await kit.jump(3600_000)
    assert.equal(receiver.received.length, 1)
  })

  it('a deleted webhook receives nothing, returns 404 on every route and has its secret erased', async () => {
    const { api, receiver, webhook, triggerEvent: fire } = await ready()
    respondWith(receiver, 500)
    await fire()
    const path = `/v1/webhooks/${webhook.id}`
    assert.equal((await api.delete(path)).status, 204)
    await fire()
    await kit.jump(3600_000)
    assert.equal(receiver.received.length, 1)
    for (const answer of [
      await api.delete(path),
      await api.patch(path, { enabled: true }),
      await api.get(`${path}/deliveries`),
    ]) {
      assert.equal(answer.status, 404)
      assert.equal(answer.body.error.message, 'webhook não encontrado neste projeto')
    }
    const [row] = await kit.db.system`select secret_sealed from webhook where id = ${webhook.id}`
    assert.equal(row?.['secretSealed'].length, 0)
  })

  it('a webhook returns 404 to another Project or mode, and 400 for an enabled value that is not a boolean', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { body } = await api.post('/v1/webhooks', { name: 'w', url: 'https://x.com' })
    const path = `/v1/webhooks/${body.id}`
    for (const other of [
      await kit.key(project, 'production'),
      await kit.key(await kit.project()),
    ]) {
      assert.equal((await other.patch(path, { enabled: false })).status, 404)
      assert.equal((await other.delete(path)).status, 404)
      assert.equal((await other.get(`${path}/deliveries`)).status, 404)
      assert.deepEqual((await other.get('/v1/webhooks')).body.items, [])
    }
    for (const wrong of [
      {},
      { enabled: 'false' },
      { enabled: 0 },
      { enabled: null },
      { url: 'x' },
    ]) {
      assert.equal((await api.patch(path, wrong)).status, 400)
    }
  })
})

describe('delivery log', () => {
  it('the delivery log is paginated, newest first, and rejects a limit outside 1 to 200', async () => {
    const { api, webhook, triggerEvent: fire, listDeliveries: log } = await ready()
    for (let count = 0; count < 3; count++) await fire()
    const ids = (await log()).map((item) => item.id)
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => b - a),
    )
    assert.deepEqual(
      (await log('?limit=1&offset=1')).map((item) => item.id),
      [ids[1]],
    )
    for (const query of ['limit=0', 'limit=201', 'limit=abc', 'offset=-1']) {
      const path = `/v1/webhooks/${webhook.id}/deliveries?${query}`
      assert.equal((await api.get(path)).status, 400)
    }
  })

  it('the delivery log is retained for exactly 30 days, and expired daily partitions are dropped', async () => {
    const { triggerEvent: fire, listDeliveries: log } = await ready()
    await fire()
    await kit.jump(30 * 24 * 3600_000 - 1)
    assert.equal((await log()).length, 1)
    await kit.jump(1)
    assert.equal((await log()).length, 0)
    await kit.jump(2 * 24 * 3600_000)
    const rows = await kit.db.system<{ name: string }[]>`
      select relname as name from pg_class where relname ~ '^(delivery_log|event)_2' and relkind = 'r'`
    const names = rows.map((row) => row.name)
    const today = new Date(kit.clock.now()).toISOString().slice(0, 10).replaceAll('-', '')
    assert.ok(names.includes(`event_${today}`) && names.includes(`delivery_log_${today}`))
    assert.ok(!names.includes('event_20261120') && !names.includes('delivery_log_20261120'))
  })
})
