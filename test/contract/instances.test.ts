// Instances and pairing.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import jsqr from 'jsqr'
import { PNG } from 'pngjs'
import { openStream } from '../kit/sse.ts'
import { HOSTS, startTestApp, type TestApp } from '../kit/test-app.ts'
import type { Client } from '../kit/client.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const stream = (path: string, headers = {}) => openStream(kit.port, HOSTS.test, path, headers)
const create = async (api: Client, name = 'Suporte') =>
  (await api.post('/v1/instances', { name })).body as { id: string }

describe('instances', () => {
  it('creating an instance returns the complete record', async () => {
    const api = await kit.key(await kit.project())
    const body = { name: 'Suporte', externalId: 'crm-7' }
    const answer = await api.post('/v1/instances', body)
    assert.equal(answer.status, 201)
    const { id, createdAt, updatedAt, ...rest } = answer.body
    assert.match(id, /^ins_[0-9a-z]{26}$/)
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(updatedAt, createdAt)
    assert.deepEqual(rest, {
      name: 'Suporte',
      externalId: 'crm-7',
      status: 'CREATED',
      phone: null,
      profileName: null,
      disconnect: null,
      restriction: null,
      settings: {
        rejectCalls: false,
        proxyUrl: null,
        readMessages: false,
        ignoreGroups: false,
        downloadMedia: true,
        publishing: false,
        sendDelayMinMs: 0,
        sendDelayMaxMs: 0,
        historySync: 'none',
        pace: 'off',
      },
      queue: { pending: 0 },
      pairedAt: null,
      connectedAt: null,
      disconnectedAt: null,
    })
  })

  it('creating an instance requires a subscription in production mode only', async () => {
    const project = await kit.project({ subscribed: true })
    const live = await kit.key(project, 'production')
    const test = await kit.key(project, 'test')
    const settings = { subscription: 'past_due' as const }
    await kit.operator.projects.set(kit.db, project.projectId, 'subscription.set', settings)
    const refused = await live.post('/v1/instances', { name: 'x' })
    assert.equal(refused.status, 402)
    assert.equal(refused.body.error.reason, 'SUBSCRIPTION_REQUIRED')
    assert.equal((await live.get('/v1/instances')).status, 200)
    assert.equal((await test.post('/v1/instances', { name: 'x' })).status, 201)
    const exempt = { exempt: true }
    await kit.operator.projects.set(kit.db, project.projectId, 'project.exempt', exempt)
    assert.equal((await live.post('/v1/instances', { name: 'x' })).status, 201)
  })

  it('an instance of another Project or mode returns the same 404 as one that does not exist', async () => {
    const project = await kit.project()
    const { id } = await create(await kit.key(project))
    const others = [await kit.key(await kit.project()), await kit.key(project, 'production')]
    for (const other of others) {
      for (const path of [`/v1/instances/${id}`, '/v1/instances/ins_nope']) {
        for (const answer of [
          await other.get(path),
          await other.get(`${path}/messages`),
          await other.get(`${path}/qr/poll`),
          await other.post(`${path}/connect`),
          await other.post(`${path}/qr-token`),
          await other.post(`${path}/messages`, { to: '5511999998888', text: 'x' }),
          await other.patch(path, { name: 'meu' }),
          await other.delete(path),
        ]) {
          assert.equal(answer.status, 404)
          assert.equal(answer.body.error.message, 'instância não encontrada')
        }
      }
      assert.deepEqual((await other.get('/v1/instances')).body.items, [])
    }
  })

  it('updating an instance changes its name and settings, and a proxy password is never shown or stored in plain text', async () => {
    const api = await kit.key(await kit.project())
    const { id } = await create(api)
    const settings = { rejectCalls: true, proxyUrl: 'http://ana:segredo@proxy.empresa.com:8080' }
    const { body } = await api.patch(`/v1/instances/${id}`, { name: 'Vendas', settings })
    assert.equal(body.name, 'Vendas')
    assert.equal(body.settings.rejectCalls, true)
    assert.equal(body.settings.proxyUrl, 'http://ana:****@proxy.empresa.com:8080/')
    const [row] = await kit.db.system`select settings from instance where id = ${id}`
    assert.ok(!JSON.stringify(row).includes('segredo'))
    for (const proxyUrl of [
      'http://ana:%zz@proxy.empresa.com',
      'http://%E0:x@proxy.empresa.com',
      'http://ana:a%0d%0ab@proxy.empresa.com',
      `socks5://${'a'.repeat(256)}:x@proxy.empresa.com`,
    ]) {
      const { status, body: rejected } = await api.patch(`/v1/instances/${id}`, {
        settings: { proxyUrl },
      })
      assert.equal(status, 400, proxyUrl)
      assert.equal(rejected.error.field, 'settings.proxyUrl')
    }
    const bad = [{ proxyUrl: 'ftp://x' }, { sendDelayMinMs: 5, sendDelayMaxMs: 1 }, { cor: 1 }]
    for (const wrong of bad) {
      assert.equal((await api.patch(`/v1/instances/${id}`, { settings: wrong })).status, 400)
    }
  })

  it('instances are listed newest first with pagination', async () => {
    const api = await kit.key(await kit.project())
    const ids: string[] = []
    for (let count = 0; count < 3; count++) ids.unshift((await create(api)).id)
    const { body } = await api.get('/v1/instances?limit=2')
    assert.deepEqual(
      [body.items.map((item: { id: string }) => item.id), body.limit, body.offset, body.hasMore],
      [ids.slice(0, 2), 2, 0, true],
    )
    const rest = (await api.get('/v1/instances?limit=2&offset=2')).body
    assert.deepEqual([rest.items.length, rest.hasMore], [1, false])
    for (const query of ['limit=0', 'limit=201', 'offset=-1', 'limit=x']) {
      assert.equal((await api.get(`/v1/instances?${query}`)).status, 400, query)
    }
  })
})

describe('QR stream', () => {
  it('the QR stream emits ready, a code and every status transition up to CONNECTED', async () => {
    const api = await kit.key(await kit.project())
    const { id } = await create(api)
    const phone = await kit.phone(api)
    const qr = await stream(`/v1/instances/${id}/qr?token=${api.key}`)
    assert.equal(qr.status, 200)
    assert.match(String(qr.headers['content-type']), /^text\/event-stream/)
    assert.equal(qr.headers['cache-control'], 'no-store, no-transform')
    const ready = await qr.next()
    assert.equal(ready.event, 'ready')
    assert.equal(ready.data.instanceId, id)
    const [code] = (await qr.until('qr')).slice(-1)
    assert.deepEqual(Object.keys(code?.data), ['code', 'at', 'expiresAt'])
    await api.post(`${phone.base}/scan`, { code: code?.data.code })
    const seen = []
    while (seen.at(-1) !== 'CONNECTED') {
      const { event, data } = await qr.next()
      if (event === 'status') seen.push(data.status)
    }
    // The code may exist before the stream opens; then ready reports the QR status instead of a status event.
    if (ready.data.status === 'QR') seen.unshift('QR')
    assert.deepEqual(seen, ['QR', 'PAIRED', 'CONNECTED'])
    qr.close()
    const { body } = await api.get(`/v1/instances/${id}`)
    assert.equal(body.phone, phone.phone)
    assert.equal(body.profileName, 'Ana')
    assert.ok(body.pairedAt && body.connectedAt)
  })

  it('the QR stream sends a ping with data every 25 seconds, which an EventSource does not discard', async () => {
    const api = await kit.key(await kit.project())
    const { id } = await kit.pair(api)
    const qr = await stream(`/v1/instances/${id}/qr`, { authorization: `Bearer ${api.key}` })
    await qr.until('status')
    await kit.settle()
    await kit.jump(25_000)
    assert.deepEqual((await qr.until('ping')).at(-1)?.data, {})
    qr.close()
  })

  it('pairing rotates six codes, the first for 60 s and the others for 20 s, and then returns to CREATED', async () => {
    const api = await kit.key(await kit.project())
    const { id } = await create(api)
    await api.get(`/v1/instances/${id}/qr/poll`)
    await kit.settle()
    const codes = new Set()
    for (const life of [60_000, 20_000, 20_000, 20_000, 20_000, 20_000]) {
      const { body } = await api.get(`/v1/instances/${id}/qr/poll`)
      assert.equal(body.status, 'QR')
      assert.equal(Date.parse(body.expiresAt) - Date.parse(body.at), life)
      codes.add(body.code)
      await kit.jump(life)
    }
    assert.equal(codes.size, 6)
    const { body } = await api.get(`/v1/instances/${id}`)
    assert.equal(body.status, 'CREATED')
    assert.equal(body.disconnect.reason, 'qr_expired')
  })

  it('a poll offers a code again after pairing was stopped', async () => {
    const api = await kit.key(await kit.project())
    const { id } = await create(api)
    await api.get(`/v1/instances/${id}/qr/poll`)
    await kit.settle()
    await api.post(`/v1/instances/${id}/disconnect`)
    await kit.settle()
    assert.equal((await api.get(`/v1/instances/${id}`)).body.status, 'STOPPED')
    await api.get(`/v1/instances/${id}/qr/poll`)
    await kit.settle()
    assert.equal((await api.get(`/v1/instances/${id}/qr/poll`)).body.status, 'QR')
  })

  it('only the QR stream allows cross-origin requests, and it rejects HEAD', async () => {
    const api = await kit.key(await kit.project())
    const { id } = await create(api)
    const { body } = await api.post(`/v1/instances/${id}/qr-token`)
    const path = `/v1/instances/${id}/qr`
    const origin = { origin: 'https://loja.example' }
    const qr = await stream(`${path}?token=${body.token}`, origin)
    assert.equal(qr.headers['access-control-allow-origin'], '*')
    assert.equal(qr.headers['access-control-allow-credentials'], undefined)
    qr.close()
    const refused = await stream(`${path}?token=qrt_x`, origin)
    assert.deepEqual([refused.status, refused.headers['access-control-allow-origin']], [401, '*'])
    const asked = { ...origin, 'access-control-request-method': 'GET' }
    const preflight = await api.call('OPTIONS', path, { headers: asked })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers['access-control-allow-origin'], '*')
    assert.equal(preflight.headers['access-control-allow-methods'], 'GET')
    for (const other of [`${path}/poll`, `${path}-token`, '/v1/instances']) {
      const answer = await api.call('OPTIONS', other, { headers: asked })
      assert.equal(answer.headers['access-control-allow-origin'], undefined, other)
    }
    // HEAD would start pairing, never complete and evict other streams.
    const head = await api.call('HEAD', path, {})
    assert.equal(head.status, 405)
  })

  it('a QR token is valid for two minutes and only for the QR stream of its own instance', async () => {
    const api = await kit.key(await kit.project())
    const { id } = await create(api)
    const other = await create(api)
    const issued = await api.post(`/v1/instances/${id}/qr-token`)
    assert.equal(issued.status, 201)
    const { token, expiresAt } = issued.body
    assert.match(token, /^qrt_/)
    assert.equal(Date.parse(expiresAt) - kit.clock.now(), 120_000)
    const mine = await stream(`/v1/instances/${id}/qr?token=${token}`)
    assert.equal(mine.status, 200)
    mine.close()
    assert.equal((await stream(`/v1/instances/${other.id}/qr?token=${token}`)).status, 403)
    assert.equal((await kit.client('test', token).get('/v1/instances')).status, 401)
    await kit.jump(120_000)
    assert.equal((await stream(`/v1/instances/${id}/qr?token=${token}`)).status, 401)
  })

  it('the QR stream has its own error messages', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { id } = await create(api)
    const read = async (path: string) => {
      const { body, status } = await kit.client('test').get(path)
      return [status, body.error.message]
    }
    for (const token of ['', '?token=', '?token=svc_test_x', '?token=qrt_x', '?token=svc_live_x']) {
      assert.deepEqual(await read(`/v1/instances/${id}/qr${token}`), [
        401,
        'API key ausente ou invalida',
      ])
    }
    const gone = `/v1/instances/ins_nope/qr?token=${api.key}`
    assert.deepEqual(await read(gone), [404, 'Instancia nao encontrada'])
    const settings = { status: 'SUSPENDED' as const }
    await kit.operator.projects.set(kit.db, project.projectId, 'project.suspend', settings)
    assert.deepEqual(await read(`/v1/instances/${id}/qr?token=${api.key}`), [
      403,
      'Projeto inativo ou sem permissao',
    ])
  })

  it('the QR stream ends as soon as its key is revoked, and within 5 seconds after it expires', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { id } = await create(api)
    const qr = await stream(`/v1/instances/${id}/qr?token=${api.key}`)
    await qr.until('qr')
    await kit.settle()
    await (await kit.login(project)).delete(`/v1/keys/${api.keyId}`)
    await qr.closed
    const other = await kit.key(project)
    const late = await stream(`/v1/instances/${id}/qr?token=${other.key}`)
    await late.until('qr')
    await kit.settle()
    const now = new Date(kit.clock.now())
    await kit.db.system`update api_key set expires_at = ${now} where id = ${other.keyId}`
    await kit.jump(5000)
    await late.closed
  })

  const openMany = async (key: string, ids: string[]) => {
    const opened = []
    for (const id of ids) {
      const one = await stream(`/v1/instances/${id}/qr?token=${key}`)
      await one.next()
      opened.push(one)
    }
    return opened
  }

  it('an instance has at most 16 QR streams, and opening another closes the oldest', async () => {
    const api = await kit.key(await kit.project())
    const { id } = await create(api)
    const open = await openMany(
      api.key,
      Array.from({ length: 17 }, () => id),
    )
    await open[0]?.closed
    for (const one of open) one.close()
  })

  it('a company has at most 256 QR streams, and opening another closes its oldest, and none of another company', async () => {
    const [api, other] = [await kit.key(await kit.project()), await kit.key(await kit.project())]
    const foreign = await openMany(other.key, [(await create(other)).id])
    const ids: string[] = []
    for (let count = 0; count < 17; count++) ids.push((await create(api)).id)
    const open = await openMany(
      api.key,
      Array.from({ length: 257 }, (_, index) => ids[index % ids.length] ?? ''),
    )
    await open[0]?.closed
    // Both still answer.
    await kit.jump(25_000)
    for (const one of [open[1], foreign[0]]) await one?.until('ping')
    for (const one of [...open, ...foreign]) one.close()
  })
})

describe('instance status', () => {
  const statusOf = async (api: Client, base: string) => (await api.get(base)).body.status

  it('disconnecting an instance sets STOPPED and keeps its pairing, and connecting restores it', async () => {
    const api = await kit.key(await kit.project())
    const { base } = await kit.pair(api)
    assert.equal((await api.post(`${base}/disconnect`)).body.status, 'STOPPED')
    await kit.settle()
    assert.equal((await api.get(base)).body.disconnect.reason, 'stopped')
    await api.post(`${base}/connect`)
    await kit.settle()
    assert.equal(await statusOf(api, base), 'CONNECTED')
  })

  it('logging out an instance sets LOGGED_OUT and removes its pairing, and pairing can start again', async () => {
    const api = await kit.key(await kit.project())
    const { base, phoneBase } = await kit.pair(api)
    assert.equal((await api.post(`${base}/logout`)).body.status, 'LOGGED_OUT')
    await kit.settle()
    assert.deepEqual((await api.get(phoneBase)).body.pairedInstanceIds, [])
    await api.get(`${base}/qr/poll`)
    await kit.settle()
    assert.equal(await statusOf(api, base), 'QR')
  })

  it('logging out or deleting a stopped instance unpairs it and deletes its credentials', async () => {
    const api = await kit.key(await kit.project())
    for (const end of ['logout', 'remove'] as const) {
      const { id, base, phoneBase } = await kit.pair(api)
      await api.post(`${base}/disconnect`)
      await kit.settle()
      if (end === 'logout') await api.post(`${base}/logout`)
      else await api.delete(base)
      await kit.settle()
      assert.deepEqual((await api.get(phoneBase)).body.pairedInstanceIds, [])
      const rows = await kit.db.system`select 1 from instance_credential where instance_id = ${id}`
      assert.equal(rows.length, 0)
      if (end === 'remove') continue
      await api.post(`${base}/connect`)
      await kit.settle()
      assert.equal(await statusOf(api, base), 'QR')
    }
  })

  it('an instance that its node claimed but never opened is opened again', async () => {
    const api = await kit.key(await kit.project())
    const { body } = await api.post('/v1/instances', { name: 'x' })
    // The state left by a node that failed between claiming and opening the instance.
    await kit.db.system`
      update instance set status = 'CONNECTING', (owner_node, owner_epoch) = (select id, epoch from node limit 1)
      where id = ${body.id}`
    await kit.jump(2000)
    assert.equal(await statusOf(api, `/v1/instances/${body.id}`), 'QR')
  })

  it('an instance becomes LOGGED_OUT with a reason and an event when the phone removes the device', async () => {
    const api = await kit.key(await kit.project())
    const receiver = await kit.receiver()
    await api.post('/v1/webhooks', { name: 'w', url: receiver.url, events: ['instance.status'] })
    const { base, phoneBase, id, phone } = await kit.pair(api)
    await api.post(`${phoneBase}/unpair`)
    await kit.settle()
    const { body } = await api.get(base)
    assert.equal(body.status, 'LOGGED_OUT')
    assert.equal(body.disconnect.reason, 'device_removed')
    const events = receiver.events('instance.status').map((event) => event.body)
    assert.deepEqual(
      events.map(({ instanceId, data }) => [instanceId, data.previousStatus, data.status]),
      [
        [id, 'PAIRED', 'CONNECTED'],
        [id, 'CONNECTED', 'LOGGED_OUT'],
      ],
    )
    const { eventId, at, ...data } = events[1].data
    assert.match(eventId, /^evt_/)
    assert.ok(at)
    assert.deepEqual(data, {
      status: 'LOGGED_OUT',
      previousStatus: 'CONNECTED',
      reason: 'device_removed',
      willReconnect: false,
      phone,
    })
  })

  it('every status transition of an instance is stored with its reason', async () => {
    const api = await kit.key(await kit.project())
    const { id, base } = await kit.pair(api)
    await api.post(`${base}/disconnect`)
    const rows = await kit.db.system`
      select from_status, to_status, reason from instance_transition where instance_id = ${id} order by id`
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      [
        ['CREATED', 'CONNECTING', null],
        ['CONNECTING', 'QR', null],
        ['QR', 'PAIRED', null],
        ['PAIRED', 'CONNECTED', null],
        ['CONNECTED', 'STOPPED', 'stopped'],
      ],
    )
  })

  it('a deleted instance returns 404 and is unpaired on the phone', async () => {
    const api = await kit.key(await kit.project())
    const { base, phoneBase } = await kit.pair(api)
    assert.equal((await api.delete(base)).status, 204)
    await kit.settle()
    assert.equal((await api.get(base)).status, 404)
    assert.deepEqual((await api.get(phoneBase)).body.pairedInstanceIds, [])
  })

  it('an instance can be paired with a typed pairing code', async () => {
    const api = await kit.key(await kit.project())
    const { id } = await create(api)
    const phone = await kit.phone(api)
    await api.get(`/v1/instances/${id}/qr/poll`)
    await kit.settle()
    const answer = await api.post(`/v1/instances/${id}/pairing-code`, { phone: phone.phone })
    assert.equal(answer.status, 201)
    assert.match(answer.body.code, /^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    await api.post(`${phone.base}/scan`, { code: answer.body.code })
    await kit.settle()
    assert.equal(await statusOf(api, `/v1/instances/${id}`), 'CONNECTED')
  })

  it('a code to type and the QR code are valid beside each other, whichever is used', async () => {
    const api = await kit.key(await kit.project())
    for (const way of ['scanned', 'typed'] as const) {
      const { id } = await create(api)
      const phone = await kit.phone(api)
      await api.get(`/v1/instances/${id}/qr/poll`)
      await kit.settle()
      await kit.jump(50_000)
      const typed = await api.post(`/v1/instances/${id}/pairing-code`, { phone: phone.phone })
      const { body: offered } = await api.get(`/v1/instances/${id}/qr/poll`)
      // The next QR code replaces the one before, and not the other.
      if (way === 'typed') await kit.jump(15_000)
      const code = way === 'scanned' ? offered.code : typed.body.code
      assert.equal((await api.post(`${phone.base}/scan`, { code })).status, 200, way)
      await kit.settle()
      assert.equal(await statusOf(api, `/v1/instances/${id}`), 'CONNECTED')
    }
  })
})

describe('mode without a network', () => {
  it('a server without the network of a mode starts and returns 503 on routes that need the network', async () => {
    const bare = await startTestApp({ PRODUCTION_NETWORK: 'whatsapp' }, { whatsapp: null })
    const api = await bare.key(await bare.project(), 'production')
    const { body } = await api.post('/v1/instances', { name: 'x' })
    const base = `/v1/instances/${body.id}`
    for (const answer of [await api.post(`${base}/connect`), await api.get(`${base}/qr/poll`)]) {
      assert.equal(answer.status, 503)
      assert.equal(answer.body.error.message, 'a rede deste modo não está instalada neste servidor')
      assert.ok(answer.headers['retry-after'])
    }
    const qr = await bare.client('production').get(`${base}/qr?token=${api.key}`)
    assert.equal(qr.status, 503)
    assert.equal((await api.get('/v1/simulator/phones')).status, 404)
    // An instance still marked CONNECTED from when the network was installed must become DISCONNECTED.
    await bare.db.system`update instance set status = 'CONNECTED' where id = ${body.id}`
    await bare.jump(2000)
    assert.equal((await api.get(base)).body.status, 'DISCONNECTED')
    await bare.close()
  })
})

describe('GET /v1/instances/{id}/qr/image', () => {
  const decodeQr = jsqr as unknown as typeof jsqr.default

  it('the QR image route returns the current code as an image that a camera can read, with a key or an ephemeral token', async () => {
    const api = await kit.key(await kit.project())
    const { body: instance } = await api.post('/v1/instances', { name: 'Loja' })
    const path = `/v1/instances/${instance.id}/qr`
    await api.get(`${path}/poll`)
    await kit.settle()
    const { body: qr } = await api.get(`${path}/poll`)
    const { bytes, headers, status } = await api.download(`${path}/image?format=png`)
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'image/png')
    assert.equal(headers['cache-control'], 'no-store')
    const { data, width, height } = PNG.sync.read(bytes)
    assert.equal(decodeQr(new Uint8ClampedArray(data), width, height)?.data, qr.code)
    const { body: token } = await api.post(`${path}-token`)
    const page = kit.client('test', null)
    const svg = await page.download(`${path}/image?token=${token.token}`)
    assert.equal(svg.status, 200)
    assert.equal(svg.headers['content-type'], 'image/svg+xml')
    assert.match(svg.bytes.toString(), /^<svg [^]*<\/svg>$/)
    for (const [client, query, expected] of [
      [page, '', 401],
      [page, '?token=qrt_errado', 401],
      // A key would end up in logs and histories.
      [page, `?token=${api.key}`, 401],
      [api, '?format=gif', 400],
      [await kit.key(await kit.project()), '', 404],
    ] as const)
      assert.equal((await client.get(`${path}/image${query}`)).status, expected, query)
  })

  it('the QR image route returns an error once the instance is connected', async () => {
    const api = await kit.key(await kit.project())
    const { base } = await kit.pair(api)
    const { status, body } = await api.get(`${base}/qr/image`)
    assert.equal(status, 409)
    assert.match(body.error.message, /já está conectada/)
  })
})
