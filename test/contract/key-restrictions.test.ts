// Keys that may do only some things.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import WebSocket from 'ws'
import type { Client } from '../kit/client.ts'
import { HOSTS, startTestApp, type Project, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

async function restricted(project: Project, restrictions: object) {
  const user = await kit.login(project)
  const { status, body } = await user.post('/v1/keys', { name: 'CRM', restrictions })
  assert.equal(status, 201, JSON.stringify(body))
  return { ...kit.client('test', body.key), key: body.key as string, id: body.id as string }
}

type Operation = { security: object[]; operationId: string }

const refusal = ({ status, body }: { status: number; body: { error: object } }) => ({
  status,
  ...body.error,
})
const forbidden = (message: string) => ({
  status: 403,
  code: 'FORBIDDEN',
  message,
  reason: 'KEY_RESTRICTED',
})

describe('a key with permissions', () => {
  it('a key with permissions reads, sends or manages only as permitted, on every operation of the API', async () => {
    const project = await kit.project()
    const full = await kit.key(project)
    const { base, phone } = await kit.pair(full)
    const reader = await restricted(project, { permissions: ['read'] })
    const sender = await restricted(project, { permissions: ['send'] })
    const manager = await restricted(project, { permissions: ['manage'] })
    const text = { to: phone, text: 'oi' }
    assert.equal((await reader.get(`${base}/messages`)).status, 200)
    assert.deepEqual(
      refusal(await reader.post(`${base}/messages`, text)),
      forbidden('esta chave não permite enviar mensagens'),
    )
    assert.deepEqual(
      refusal(await reader.post('/v1/webhooks', { name: 'x', url: 'https://a.example' })),
      forbidden('esta chave não permite criar, mudar nem apagar configurações'),
    )
    assert.equal((await sender.post(`${base}/messages`, text)).status, 201)
    assert.deepEqual(
      refusal(await sender.get(`${base}/messages`)),
      forbidden('esta chave não permite ler dados'),
    )
    assert.equal((await manager.post('/v1/instances', { name: 'Outra' })).status, 201)
    assert.equal((await manager.post(`${base}/messages`, text)).status, 403)
    for (const key of [reader, sender, manager])
      assert.equal((await key.get('/v1/me')).status, 200, 'every key may read about itself')
    for (const key of [reader, sender])
      assert.equal((await key.get(`${base}/qr/poll`)).status, 403, 'a QR code pairs')

    // Every operation for keys, so that a route added without a permission is found.
    const nothing = await restricted(project, { permissions: ['send'] })
    const { body: document } = await full.get('/openapi.json')
    for (const [path, operations] of Object.entries<Record<string, Operation>>(document.paths)) {
      for (const [method, { security, operationId }] of Object.entries(operations)) {
        const onlyKeys = JSON.stringify(security) === '[{"apiKey":[]}]'
        if (method !== 'get' || !onlyKeys || ['getMe', 'streamEvents'].includes(operationId))
          continue
        const { status } = await nothing.get(path.replace(/\{\w+\}/g, 'x'))
        assert.equal(status, 403, operationId)
      }
    }
  })
})

describe('a key for some instances', () => {
  it('a key for some instances reaches only these instances, and no route of the whole Project', async () => {
    const project = await kit.project()
    const full = await kit.key(project)
    const own = await kit.pair(full, 'Loja 1')
    const other = await kit.pair(full, 'Loja 2', { phone: '5511977770000' })
    const key = await restricted(project, { instanceIds: [own.id] })
    const { body } = await key.get('/v1/instances')
    assert.deepEqual(
      body.items.map(({ id }: { id: string }) => id),
      [own.id],
    )
    assert.equal((await key.get(own.base)).status, 200)
    assert.equal(
      (await key.post(`${own.base}/messages`, { to: own.phone, text: 'oi' })).status,
      201,
    )
    const message = 'esta chave não permite usar esta instância'
    for (const path of ['', '/messages', '/conversations', '/groups', '/qr/poll', '/qr'])
      assert.deepEqual(refusal(await key.get(`${other.base}${path}`)), forbidden(message))
    assert.equal((await key.delete(other.base)).status, 403)
    const whole =
      'esta chave só permite usar algumas instâncias, e esta operação vale para o projeto inteiro'
    for (const path of ['/v1/webhooks', '/v1/campaigns', '/v1/usage', '/v1/simulator/phones'])
      assert.deepEqual(refusal(await key.get(path)), forbidden(whole))
    assert.equal((await key.post('/v1/instances', { name: 'Nova' })).status, 403)
    assert.equal(await closeCode(key.key, `?instanceId=${other.id}`), 4401)
    assert.equal(await closeCode(key.key, ''), 4401)
    assert.equal(await closeCode(key.key, `?instanceId=${own.id}`), 'ready')
  })

  it('a key for some instances sends no file that another instance received', async () => {
    const project = await kit.project()
    const full = await kit.key(project)
    const own = await kit.pair(full, 'Loja 1')
    const other = await kit.pair(full, 'Loja 2', { phone: '5511977770001' })
    const friend = await kit.phone(full)
    const media = { base64: Buffer.from('segredo').toString('base64'), fileName: 'a.txt' }
    await full.post(`${friend.base}/messages`, { to: other.phone, type: 'document', media })
    await kit.settle()
    const [received] = (await full.get(`${other.base}/messages`)).body.items
    const send = (api: Pick<Client, 'post'>) =>
      api.post(`${own.base}/messages`, {
        to: friend.phone,
        type: 'document',
        media: { mediaId: received.media.id },
      })
    const key = await restricted(project, { instanceIds: [own.id] })
    assert.equal((await send(key)).status, 404)
    assert.equal((await send(full)).status, 201)
    const both = await restricted(project, { instanceIds: [own.id, other.id] })
    assert.equal((await send(both)).status, 201)
  })

  it('a key can be restricted only to instances of its own Project and mode', async () => {
    const project = await kit.project()
    const stranger = await kit.pair(await kit.key(await kit.project()))
    const user = await kit.login(project)
    const restrictions = { instanceIds: [stranger.id] }
    const { status, body } = await user.post('/v1/keys', { name: 'x', restrictions })
    assert.equal(status, 400)
    assert.equal(body.error.message, `instância não encontrada neste modo: ${stranger.id}`)
  })
})

/** Connects to the event stream; returns the type of its first frame, or the close code. */
function closeCode(key: string, query: string): Promise<number | string> {
  const socket = new WebSocket(`ws://127.0.0.1:${kit.port}/v1/events${query}`, {
    headers: { host: HOSTS.test, authorization: `Bearer ${key}` },
  })
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', (code) => resolve(code))
    socket.on('message', (data) => {
      resolve(JSON.parse((data as Buffer).toString()).type)
      socket.close()
    })
  })
}

describe('a key for some addresses', () => {
  it('a key for some addresses is rejected from any other address, IPv4 or IPv6', async () => {
    const project = await kit.project()
    const here = await restricted(project, { addresses: ['127.0.0.0/8', '2001:db8::/32'] })
    const away = await restricted(project, { addresses: ['203.0.113.7', '2001:db8::/32'] })
    assert.equal((await here.get('/v1/instances')).status, 200)
    assert.deepEqual(
      refusal(await away.get('/v1/me')),
      forbidden('esta chave não permite chamadas do endereço 127.0.0.1'),
    )
    const user = await kit.login(project)
    for (const address of ['203.0.113.0/33', 'casa', '10.0.0.0/', '']) {
      const restrictions = { addresses: [address] }
      const { status } = await user.post('/v1/keys', { name: 'x', restrictions })
      assert.equal(status, 400, address)
    }
  })
})

describe('a key with a rate limit', () => {
  it('a key beyond its rate limit gets 429 with Retry-After, and every response carries the remaining rate', async () => {
    const project = await kit.project()
    const key = await restricted(project, { requestsPerMinute: 3 })
    const left = []
    for (let count = 0; count < 3; count++) {
      const { status, headers } = await key.get('/v1/instances')
      assert.equal(status, 200)
      assert.equal(headers['ratelimit-policy'], '"key";q=3;w=60')
      left.push(headers['ratelimit'])
    }
    assert.deepEqual(left, ['"key";r=2;t=20', '"key";r=1;t=40', '"key";r=0;t=60'])
    const refused = await key.get('/v1/instances')
    assert.deepEqual(refusal(refused), {
      status: 429,
      code: 'RATE_LIMITED',
      message: 'a chave atingiu 3 requisições por minuto: tente de novo em 20 s',
      reason: 'KEY_RATE_LIMIT',
    })
    assert.equal(refused.headers['retry-after'], '20')
    assert.equal(refused.headers['ratelimit-policy'], '"key";q=3;w=60')
    assert.equal(refused.headers['ratelimit'], '"key";r=0;t=60')
    await kit.jump(20_000)
    assert.equal((await key.get('/v1/instances')).status, 200)
    assert.equal((await key.get('/v1/instances')).status, 429)
    const other = await kit.key(project)
    assert.equal((await other.get('/v1/instances')).headers['ratelimit'], undefined)
  })
})

describe('a restricted key', () => {
  it('a restricted key shows its restrictions in the list, to itself and in the audit log, and gets 401 once revoked', async () => {
    const project = await kit.project()
    const given = { permissions: ['read'], requestsPerMinute: 100 }
    const key = await restricted(project, given)
    const restrictions = {
      permissions: ['read'],
      instanceIds: null,
      addresses: null,
      requestsPerMinute: 100,
    }
    const user = await kit.login(project)
    const listed = (await user.get('/v1/keys')).body.items.find(
      ({ id }: { id: string }) => id === key.id,
    )
    assert.deepEqual(listed.restrictions, restrictions)
    assert.deepEqual((await key.get('/v1/me')).body.key.restrictions, restrictions)
    const [entry] = await kit.db.system`select after from audit where object = ${key.id}`
    assert.deepEqual(entry?.after.restrictions, restrictions)
    assert.equal((await key.post('/v1/instances', { name: 'x' })).status, 403)
    await user.delete(`/v1/keys/${key.id}`)
    assert.equal((await key.post('/v1/instances', { name: 'x' })).status, 401)
  })

  it('a restricted key is created only with restrictions that are complete and known', async () => {
    const user = await kit.login(await kit.project())
    for (const restrictions of [
      { permissions: [] },
      { permissions: ['admin'] },
      { instanceIds: [] },
      { requestsPerMinute: 0 },
      { requestsPerMinute: 1.5 },
      { scopes: ['read'] },
      'read',
    ]) {
      const { status } = await user.post('/v1/keys', { name: 'x', restrictions })
      assert.equal(status, 400, JSON.stringify(restrictions))
    }
    const { body } = await user.post('/v1/keys', { name: 'x', restrictions: {} })
    assert.equal(body.restrictions, undefined, 'a key without restrictions can do everything')
  })
})
