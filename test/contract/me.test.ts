// What a key can ask about itself: its Project, credits, daily cap and usage.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

describe('GET /v1/me', () => {
  it('a key can read its Project, mode, credits and the daily cap of test mode', async () => {
    const project = await kit.project({ credits: 250 })
    const api = await kit.key(project)
    const { base } = await kit.pair(api)
    await api.post(`${base}/messages`, { to: '5511988887777', text: 'oi' })
    const { status, body } = await api.get('/v1/me')
    assert.equal(status, 200)
    assert.equal(body.mode, 'test')
    assert.deepEqual(
      [body.key.id, body.key.name, body.key.keyPrefix],
      [api.keyId, 'Teste', api.key.slice(0, 15)],
    )
    assert.deepEqual(body.project, {
      id: project.projectId,
      name: 'Padaria',
      status: 'ACTIVE',
      usageMode: 'BOTH',
      defaultCountry: 'BR',
    })
    assert.deepEqual([body.subscription, body.addons, body.credits], ['active', [], 250])
    assert.deepEqual([body.dailyCap.used, body.dailyCap.limit], [1, 100])
  })

  it('a production key has credits and no daily cap', async () => {
    const project = await kit.project({ credits: 3 })
    const api = await kit.key(project, 'production')
    const { base } = await kit.pair(api)
    await api.post(`${base}/messages`, { to: '5511988887777', text: 'oi' })
    const { body } = await api.get('/v1/me')
    assert.deepEqual([body.mode, body.credits, body.dailyCap], ['production', 2, null])
  })

  it('GET /v1/me rejects user tokens, and keys whose Project is suspended', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    assert.equal((await (await kit.login(project)).get('/v1/me')).status, 403)
    await kit.operator.projects.set(kit.db, project.projectId, 'project.suspend', {
      status: 'SUSPENDED',
    })
    assert.equal((await api.get('/v1/me')).status, 403)
    assert.equal((await api.get('/v1/usage')).status, 403)
  })
})

describe('GET /v1/requests', () => {
  it('a key reads the calls of its mode, and no other Project does', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    await api.post('/v1/instances/ins_x/messages', { to: '5511988887777', text: 'oi' })
    await kit.jump(2000)
    const { status, body } = await api.get('/v1/requests?result=failed')
    assert.equal(status, 200)
    const [call] = body.items
    assert.deepEqual(
      [call.method, call.path, call.status, call.code, call.keyId],
      ['POST', '/v1/instances/ins_x/messages', 404, 'NOT_FOUND', api.keyId],
    )
    for (const other of [await kit.key(project, 'production'), await kit.key(await kit.project())])
      assert.deepEqual((await other.get('/v1/requests?result=failed')).body.items, [])
    assert.equal((await api.get('/v1/requests?result=all')).status, 400)
  })
})

describe('GET /v1/usage', () => {
  it('a key can read the usage of its Project and mode by day, instance and key', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { id, base, phone } = await kit.pair(api)
    const ana = await kit.phone(api)
    await api.post(`${base}/messages`, { to: ana.phone, text: 'oi' })
    await api.post(`${ana.base}/messages`, { to: phone, text: 'olá' })
    await kit.settle()
    const { body } = await api.get('/v1/usage')
    const rows = body.items.map((row: object) => ({ ...row, day: '' }))
    assert.deepEqual(rows, [
      { day: '', instanceId: id, keyId: api.keyId, sent: 1, received: 0 },
      { day: '', instanceId: id, keyId: null, sent: 0, received: 1 },
    ])
    const other = await kit.key(project, 'production')
    assert.deepEqual((await other.get('/v1/usage')).body.items, [])
  })

  it('usage can be limited to a range of at most 366 days', async () => {
    const api = await kit.key(await kit.project())
    assert.equal((await api.get('/v1/usage?from=2026-01-01&to=2026-01-31')).status, 200)
    assert.equal((await api.get('/v1/usage?from=2026-02-30')).status, 400)
    assert.equal((await api.get('/v1/usage?from=2024-01-01&to=2026-01-01')).status, 400)
  })
})

describe('GET /v1/webhooks/{id}', () => {
  it('GET /v1/webhooks/{id} returns one webhook without its secret, and 404 to another Project or mode', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { body: created } = await api.post('/v1/webhooks', {
      name: 'w',
      url: 'https://x.invalid',
    })
    const { secret, ...webhook } = created
    assert.match(secret, /^whsec_/)
    assert.deepEqual((await api.get(`/v1/webhooks/${created.id}`)).body, webhook)
    const others = [await kit.key(await kit.project()), await kit.key(project, 'production')]
    for (const other of others) {
      assert.equal((await other.get(`/v1/webhooks/${created.id}`)).status, 404)
    }
    await api.delete(`/v1/webhooks/${created.id}`)
    assert.equal((await api.get(`/v1/webhooks/${created.id}`)).status, 404)
  })
})
