// Health checks, metrics, logs and the audit log for operators.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

describe('operations', () => {
  it('health and readiness endpoints return ok', async () => {
    const client = kit.client('production')
    assert.deepEqual((await client.get('/healthz')).body, { status: 'ok' })
    assert.deepEqual((await client.get('/readyz')).body, { status: 'ok' })
  })

  it('metrics count requests by route and deliveries by outcome and contain no ids', async () => {
    const api = await kit.key(await kit.project())
    const receiver = await kit.receiver()
    const { id, phone } = await kit.pair(api)
    await api.post('/v1/webhooks', { name: 'w', url: receiver.url })
    const ana = await kit.phone(api)
    await api.post(`${ana.base}/messages`, { to: phone, text: 'oi' })
    await kit.settle()
    const text = await kit.metrics()
    assert.match(text, /http_request_seconds_count\{method="GET",route="\/v1\/instances\/:id"/)
    assert.match(text, /wh_attempts_total\{outcome="success",reason_class="none",attempt="1"\} \d/)
    assert.match(text, /wh_lag_seconds_count \d/)
    assert.match(text, /nodejs_eventloop_lag/)
    assert.ok(!text.includes(id))
  })

  it('every metric used in the Grafana dashboard exists', async () => {
    const text = await kit.metrics()
    const file = new URL('../../docs/grafana-dashboard.json', import.meta.url)
    const dashboard = JSON.parse(readFileSync(file, 'utf8')) as {
      panels: { targets: { expr: string }[] }[]
    }
    const asked = dashboard.panels.flatMap(({ targets }) =>
      targets.flatMap(
        ({ expr }) =>
          expr.match(
            /\b((wh|ws|http|nodejs|process|db|messages|nodes?|bus|faults|background)_[a-z0-9_]+|instances)\b/g,
          ) ?? [],
      ),
    )
    assert.ok(asked.length > 30)
    for (const name of asked) {
      const family = name.replace(/_(bucket|count|sum)$/, '')
      assert.ok(text.includes(`# TYPE ${family} `), name)
    }
  })

  it('logs contain the request id and no secret', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { body: webhook } = await api.post('/v1/webhooks', { name: 'w', url: 'https://x.com' })
    const { body: instance } = await api.post('/v1/instances', {
      name: 'x',
      settings: { proxyUrl: 'http://ana:hunter2@proxy.com' },
    })
    const { body: qr } = await api.post(`/v1/instances/${instance.id}/qr-token`)
    await kit.client('test').get(`/v1/instances/ins_nope/qr?token=${qr.token}`)
    await kit.client('test').get(`/v1/nada?token=${api.key}`)
    const answer = await api.get('/v1/instances')
    const logs = kit.logs.join('')
    assert.ok(logs.includes(String(answer.headers['x-request-id'])))
    for (const secret of [api.key, webhook.secret, qr.token, 'hunter2', 'uma senha bem longa']) {
      assert.ok(!logs.includes(secret), `the log contains the secret ${secret.slice(0, 12)}…`)
    }
    assert.ok(!logs.includes('uat_') && !logs.includes('urt_'))
  })

  it('operator actions are recorded in an append-only audit log', async () => {
    const { projectId } = await kit.project()
    const rows = await kit.db.system<{ action: string; actor: string }[]>`
      select action, actor from audit where object = ${projectId} order by id`
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { action: 'subscription.set', actor: 'operator' },
        { action: 'credits.grant', actor: 'operator' },
      ],
    )
    for (const statement of [
      'update audit set actor = $$x$$',
      'delete from audit',
      'truncate audit',
    ]) {
      await assert.rejects(kit.db.session((sql) => sql.unsafe(statement)))
    }
  })
})

describe('database outage', () => {
  let own: TestApp
  before(async () => {
    own = await startTestApp()
  })
  after(() => own.close())

  it('requests during a database outage return 503 with Retry-After and succeed once it is back', async () => {
    const api = await own.key(await own.project())
    await own.db.system`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.catch(() => {})
    // Each pooled connection may fail once.
    const statuses: number[] = []
    while (statuses.at(-1) !== 200 && statuses.length < 50) {
      const { status, headers } = await api.get('/v1/instances')
      assert.ok(status === 200 || (status === 503 && headers['retry-after']), String(status))
      statuses.push(status)
    }
    assert.equal(statuses.at(-1), 200)
  })
})
