// The log of API requests in the panel: who may read it, what it stores and what it never stores.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Body, Client } from '../kit/client.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const TEST = '/panel/api/test/requests'
const LIVE = '/panel/api/production/requests'

/** Lists the request log after waiting until the batched entries are written. */
async function listAfterFlush(user: Client, path = TEST): Promise<Body[]> {
  await kit.jump(1000)
  const { status, body } = await user.get(path)
  assert.equal(status, 200)
  return body.items
}

describe('request log', () => {
  it('the request log shows route, key, status and error of each request', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const user = await kit.login(project)
    await api.get('/v1/instances?limit=3')
    const refused = await api.post('/v1/webhooks', { name: 'ERP', url: 'segredo' })
    await api.get('/v1/instances/ins_nenhuma')
    const [missing, bad, good] = await listAfterFlush(user)
    assert.deepEqual([good.method, good.path, good.status], ['GET', '/v1/instances', 200])
    assert.deepEqual([good.code, good.reason, good.message], [null, null, null])
    assert.ok(good.ms >= 0)
    assert.deepEqual(
      [bad.id, bad.status, bad.code, bad.message],
      [refused.headers['x-request-id'], 400, 'BAD_REQUEST', refused.body.error.message],
    )
    assert.deepEqual([missing.status, missing.path], [404, '/v1/instances/ins_nenhuma'])
    const { body: keys } = await user.get('/panel/api/test/v1/keys')
    assert.deepEqual([good.keyName, good.keyPrefix], [keys.items[0].name, keys.items[0].keyPrefix])
  })

  it('the request log stores no query, body or header', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const user = await kit.login(project)
    await api.get('/v1/instances?q=na-pergunta')
    await api.post('/v1/webhooks', { name: 'no-corpo', url: 'https://x.invalid/no-corpo' })
    await listAfterFlush(user)
    const rows = await kit.db
      .system`select * from api_request where project_id = ${project.projectId}`
    assert.equal(rows.length, 2)
    assert.doesNotMatch(JSON.stringify(rows), /na-pergunta|no-corpo|svc_/)
  })

  it('the request log stores nothing of an unparsable body and still logs other requests', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const user = await kit.login(project)
    const headers = { 'content-type': 'application/json' }
    for (const body of ['senha=hunter2', '\0abc', '{"a":"hunter2']) {
      assert.equal((await api.call('POST', '/v1/webhooks', { body, headers })).status, 400)
    }
    await api.get('/v1/instances')
    const items = await listAfterFlush(user)
    assert.deepEqual(
      items.map(({ status }) => status),
      [200, 400, 400, 400],
    )
    assert.doesNotMatch(JSON.stringify(items), /hunter2|senha=|abc/)
  })

  it('the request log includes rejected requests with a revoked key', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const user = await kit.login(project)
    const { body: keys } = await user.get('/panel/api/test/v1/keys')
    await user.delete(`/panel/api/test/v1/keys/${keys.items[0].id}`)
    assert.equal((await api.get('/v1/instances')).status, 401)
    const [call] = await listAfterFlush(user)
    assert.deepEqual([call.status, call.code], [401, 'UNAUTHORIZED'])
    assert.equal(call.keyId, keys.items[0].id)
  })

  it('the request log shows only its own Project and mode, and only to roles with developer access', async () => {
    const project = await kit.project()
    await (await kit.key(project)).get('/v1/instances')
    const user = await kit.login(project)
    assert.equal((await listAfterFlush(user)).length, 1)
    assert.equal((await listAfterFlush(user, LIVE)).length, 0)
    const stranger = await kit.login(await kit.project())
    assert.equal((await listAfterFlush(stranger)).length, 0)
    assert.equal((await kit.client('test').get(TEST)).status, 401)
    await kit.db.system`update app_user set role = 'Atendente' where email = ${project.email}`
    assert.equal((await user.get(TEST)).status, 403)
  })

  it('the request log can be filtered by result, key and text and paginated', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const other = await kit.key(project)
    const user = await kit.login(project)
    for (let call = 0; call < 5; call++) await api.get('/v1/instances')
    await api.get('/v1/instances/ins_nenhuma')
    await other.get('/v1/webhooks')
    const statuses = async (query: string) =>
      (await listAfterFlush(user, `${TEST}?${query}`)).map(({ status }) => status)
    assert.deepEqual(await statuses('result=failed'), [404])
    assert.deepEqual(await statuses('result=4xx'), [404])
    assert.deepEqual(await statuses('result=5xx'), [])
    assert.equal((await statuses('result=success')).length, 6)
    assert.deepEqual(await statuses('q=INS_nenhuma'), [404])
    assert.deepEqual(await statuses('q=%25'), [])
    const [{ keyId }] = await listAfterFlush(user, `${TEST}?q=/v1/webhooks`)
    assert.equal((await listAfterFlush(user, `${TEST}?keyId=${keyId}`)).length, 1)

    const ids: string[] = []
    for (let before: string | null = ''; before !== null;) {
      const { body }: { body: Body } = await user.get(
        `${TEST}?limit=3${before ? `&before=${before}` : ''}`,
      )
      ids.push(...body.items.map(({ id }: { id: string }) => id))
      before = body.before
    }
    assert.equal(ids.length, 7)
    assert.deepEqual(ids, ids.toSorted().toReversed())
    assert.equal(new Set(ids).size, 7)
  })

  it('the request log stores at most fifty similar requests a second, counts the rest and expires after a week', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const user = await kit.login(project)
    for (let call = 0; call < 60; call++) await api.get('/v1/instances')
    await api.get('/v1/instances/ins_nenhuma')
    const { length } = await listAfterFlush(user, `${TEST}?limit=200`)
    assert.equal(length, 51)
    const text = await kit.metrics()
    assert.match(text, /^api_requests_unlisted_total 10$/m)
    await kit.jump(8 * 24 * 3600_000 + 3600_000)
    const rows = await kit.db.system`
      select 1 from api_request where project_id = ${project.projectId}`
    assert.equal(rows.length, 0)
  })
})
