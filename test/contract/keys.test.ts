// API keys, modes and authorization.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())
const errorOf = (answer: { status: number; body: { error: object } }) => ({
  status: answer.status,
  ...answer.body.error,
})
const unauthorized = (message: string) => ({ status: 401, code: 'UNAUTHORIZED', message })

describe('POST /v1/keys', () => {
  it('creating a key returns the raw key once, with the prefix of its mode', async () => {
    const project = await kit.project()
    for (const [mode, prefix] of [
      ['test', 'svc_test_'],
      ['production', 'svc_live_'],
    ] as const) {
      const user = await kit.login(project, mode)
      const { status, body } = await user.post('/v1/keys', { name: ' CRM ' })
      assert.equal(status, 201)
      assert.match(body.key, new RegExp(`^${prefix}[A-Za-z0-9]{40}$`))
      assert.equal(body.keyPrefix, body.key.slice(0, prefix.length + 6))
      assert.equal(body.name, 'CRM')
      assert.equal(body.status, 'active')
      const { body: list } = await user.get('/v1/keys')
      assert.deepEqual(
        list.items.map((item: object) => 'key' in item),
        [false],
      )
    }
  })

  it('only a hash of the key is stored, and the key never appears in logs', async () => {
    const api = await kit.key(await kit.project())
    const rows = await kit.db.system`select * from api_key where id = ${api.keyId}`
    assert.ok(!JSON.stringify(rows).includes(api.key.slice(15)))
    assert.ok(!kit.logs.join('').includes(api.key))
  })

  it('creating a key without a name or with an invalid lifetime returns 400', async () => {
    const user = await kit.login(await kit.project())
    for (const body of [{}, { name: '' }, { name: '  ' }, { name: null }, undefined]) {
      const answer = await user.post('/v1/keys', body)
      assert.equal(answer.status, 400)
      assert.equal(answer.body.error.message, 'nome obrigatório (identifica a key na listagem)')
      assert.equal(answer.body.error.code, 'BAD_REQUEST')
    }
    const long = await user.post('/v1/keys', { name: 'k'.repeat(201) })
    assert.equal(long.body.error.message, 'name: máximo de 200 caracteres')
    const distant = await user.post('/v1/keys', { name: 'x', expiresInDays: 5_000_000 })
    assert.deepEqual([distant.status, distant.body.expiresAt.slice(0, 4)], [201, '9999'])
    assert.equal((await user.post('/v1/keys', { name: 'x', expiresInDays: 0 })).status, 400)
    assert.equal((await user.post('/v1/keys', { name: 'x', expiresInDays: 1.5 })).status, 400)
  })

  it('creating a production key requires an active subscription, and creating a test key does not', async () => {
    const project = await kit.project({ subscribed: false })
    const refused = await (await kit.login(project, 'production')).post('/v1/keys', { name: 'x' })
    assert.deepEqual(errorOf(refused), {
      status: 402,
      code: 'PAYMENT_REQUIRED',
      message: 'É necessário um plano ativo para usar este recurso. Assine em "Meu plano".',
      reason: 'SUBSCRIPTION_REQUIRED',
    })
    const user = await kit.login(project, 'test')
    assert.equal((await user.post('/v1/keys', { name: 'x' })).status, 201)
  })

  it('key management returns 403 with an API key and 401 with an invalid one', async () => {
    const api = await kit.key(await kit.project())
    for (const answer of [await api.post('/v1/keys', { name: 'x' }), await api.get('/v1/keys')]) {
      assert.deepEqual(errorOf(answer), {
        status: 403,
        code: 'FORBIDDEN',
        message: 'gestão de chaves requer login de usuário',
      })
    }
    const unknown = kit.client('test', `svc_test_${'x'.repeat(40)}`)
    assert.deepEqual(
      errorOf(await unknown.get('/v1/keys')),
      unauthorized('token ou chave de API inválido'),
    )
  })

  it('a Project has at most 500 unrevoked keys per mode', async () => {
    const project = await kit.project()
    const user = await kit.login(project)
    const { body } = await user.post('/v1/keys', { name: 'primeira' })
    await kit.db.system`
      insert into api_key (id, project_id, mode, name, key_prefix, secret_hash, created_at)
      select 'key_' || n, ${project.projectId}, 'test', 'n', 'p', decode(md5(n::text || ${project.projectId}), 'hex'), now()
      from generate_series(1, 499) n`
    const full = await user.post('/v1/keys', { name: 'demais' })
    assert.equal(full.status, 400)
    assert.match(full.body.error.message, /^limite de .* atingido$/)
    assert.equal((await user.get('/v1/keys')).body.items.length, 500)
    await user.delete(`/v1/keys/${body.id}`)
    assert.equal((await user.post('/v1/keys', { name: 'cabe' })).status, 201)
  })
})

describe('DELETE /v1/keys/{id}', () => {
  it('revoking a key takes effect on the very next request, even if the key is cached', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    assert.equal((await api.get('/v1/instances')).status, 200)
    const user = await kit.login(project)
    assert.equal((await user.delete(`/v1/keys/${api.keyId}`)).status, 204)
    const revoked = unauthorized('chave de API revogada')
    assert.deepEqual(errorOf(await api.get('/v1/instances')), revoked)
    assert.deepEqual(errorOf(await api.post('/v1/instances', { bogus: 1 })), revoked)
    assert.deepEqual(
      errorOf(await api.post('/v1/instances/ins_x/messages', { to: '5511999998888', text: 'x' })),
      revoked,
    )
    const { body } = await user.get('/v1/keys')
    assert.equal(body.items[0].status, 'revoked')
    assert.ok(body.items[0].revokedAt)
  })

  it('revoking an unknown key, a key prefix or a key of another Project or mode returns 404', async () => {
    const project = await kit.project()
    const mine = await kit.key(project)
    const live = await kit.key(project, 'production')
    const foreign = await kit.key(await kit.project())
    const user = await kit.login(project)
    for (const id of ['key_nope', foreign.keyId, live.keyId, mine.key.slice(0, 15)]) {
      const answer = await user.delete(`/v1/keys/${id}`)
      assert.equal(answer.status, 404)
      assert.equal(answer.body.error.message, 'chave não encontrada')
    }
  })
})

describe('GET /v1/keys', () => {
  it('keys of the current mode only are listed, newest first', async () => {
    const project = await kit.project()
    await kit.key(project, 'production')
    const first = await kit.key(project)
    const second = await kit.key(project)
    const { body } = await (await kit.login(project)).get('/v1/keys')
    assert.deepEqual(
      body.items.map((item: { id: string }) => item.id),
      [second.keyId, first.keyId],
    )
    assert.equal(body.hasMore, false)
  })

  it('the last use of a key is shown within 10 seconds', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    await api.get('/v1/instances')
    await kit.jump(10_000)
    const { body } = await (await kit.login(project)).get('/v1/keys')
    assert.ok(body.items[0].lastUsedAt)
  })
})

describe('credentials', () => {
  const missing = unauthorized('Authorization Bearer ou ?token= ausente')

  it('an Authorization header without Bearer and exactly one space counts as missing', async () => {
    const api = await kit.key(await kit.project())
    for (const authorization of ['', api.key, `Basic ${api.key}`, `Bearer  ${api.key}`, 'Bearer']) {
      const answer = await kit.client('test').get('/v1/instances', undefined, { authorization })
      assert.deepEqual(errorOf(answer), missing)
    }
    assert.deepEqual(errorOf(await kit.client('test').get('/v1/instances')), missing)
  })

  it('a key in the query string is ignored outside the QR stream', async () => {
    const api = await kit.key(await kit.project())
    const answer = await kit.client('test').get(`/v1/instances?token=${api.key}`)
    assert.deepEqual(errorOf(answer), missing)
  })

  it('a key is rejected on a host of the other mode', async () => {
    const project = await kit.project()
    const test = await kit.key(project)
    const live = await kit.key(project, 'production')
    const wrong = unauthorized('chave de API inválida para este ambiente/modo')
    const crossed = [kit.client('production', test.key), kit.client('test', live.key)]
    for (const client of crossed)
      assert.deepEqual(errorOf(await client.get('/v1/instances')), wrong)
    assert.equal((await test.get('/v1/instances')).status, 200)
    assert.equal((await live.get('/v1/instances')).status, 200)
  })

  it('a mistyped, truncated or unknown key is rejected with 401', async () => {
    const { key } = await kit.key(await kit.project())
    for (const token of [key.slice(0, -1), `${key.slice(0, -1)}!`, 'svc_outra_x', 'qualquer']) {
      const answer = await kit.client('test', token).get('/v1/instances')
      assert.deepEqual(errorOf(answer), unauthorized('token ou chave de API inválido'))
    }
  })

  it('a key with expiresInDays is rejected once it has expired', async () => {
    const project = await kit.project()
    const user = await kit.login(project)
    const { body } = await user.post('/v1/keys', { name: 'curta', expiresInDays: 1 })
    const api = kit.client('test', body.key)
    assert.equal((await api.get('/v1/instances')).status, 200)
    await kit.jump(24 * 3600_000)
    assert.deepEqual(errorOf(await api.get('/v1/instances')), unauthorized('chave de API expirada'))
    const { body: list } = await (await kit.login(project)).get('/v1/keys')
    assert.equal(list.items[0].status, 'expired')
  })

  it('a user session is rejected with 403 on API routes', async () => {
    const user = await kit.login(await kit.project())
    const answer = await user.post('/v1/instances/ins_x/messages', { to: '1', text: 'x' })
    assert.deepEqual(errorOf(answer), {
      status: 403,
      code: 'FORBIDDEN',
      message: 'esta rota é da API: autentique com uma chave svc_',
    })
  })

  it('authentication is checked before the resource is looked up', async () => {
    const answer = await kit.client('test').get('/v1/instances/ins_nope')
    assert.equal(answer.status, 401)
  })
})

describe('Project state', () => {
  it('requests to a suspended Project are rejected immediately, with key or user session', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const user = await kit.login(project)
    assert.equal((await api.get('/v1/webhooks')).status, 200)
    const settings = { status: 'SUSPENDED' as const }
    await kit.operator.projects.set(kit.db, project.projectId, 'project.suspend', settings)
    const inactive = { status: 403, code: 'FORBIDDEN', message: 'projeto não está ativo' }
    assert.deepEqual(errorOf(await api.get('/v1/webhooks')), inactive)
    assert.deepEqual(errorOf(await user.get('/v1/keys')), inactive)
    assert.deepEqual(errorOf(await api.post('/v1/webhooks', {})), inactive)
  })

  it('a Project in usage mode CRM has no API access in production, not even for reads, but keeps it in test mode', async () => {
    const project = await kit.project()
    const live = await kit.key(project, 'production')
    const test = await kit.key(project, 'test')
    const settings = { usageMode: 'CRM' as const }
    await kit.operator.projects.set(kit.db, project.projectId, 'project.usage_mode', settings)
    assert.deepEqual(errorOf(await live.get('/v1/instances')), {
      status: 402,
      code: 'PAYMENT_REQUIRED',
      message: 'a API não está habilitada para este projeto: solicite a liberação do acesso à API',
      reason: 'API_NOT_ENABLED',
    })
    assert.equal((await test.get('/v1/instances')).status, 200)
    // Key management requires a user session in every usage mode.
    const managed = await live.get('/v1/keys')
    assert.equal(managed.body.error.message, 'gestão de chaves requer login de usuário')
  })
})
