// The operator's pages of the panel: who may open them, and what they change.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Client } from '../kit/client.ts'
import { lockDraining, setDraining } from '../../src/platform/nodes/nodes.service.ts'
import { lockIsAwaited } from '../kit/lock-is-awaited.ts'
import { PASSWORD, startTestApp, type Project, type TestApp } from '../kit/test-app.ts'
import { setOperator } from '../../src/operations/operators/operators.sql.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const OPERATION = '/panel/api/operation'

async function turnOnSecondFactor(user: Client): Promise<void> {
  const { body } = await user.post('/panel/api/second-factor', { password: PASSWORD })
  const totp = new TOTP({ secret: Secret.fromBase32(body.secret) })
  const code = totp.generate({ timestamp: kit.clock.now() })
  const confirmed = await user.post('/panel/api/second-factor/confirm', { code })
  assert.equal(confirmed.status, 200)
}

async function createOperator(): Promise<{ project: Project; user: Client }> {
  const project = await kit.project()
  const user = await kit.login(project)
  await setOperator(kit.db, project.email, true)
  await turnOnSecondFactor(user)
  return { project, user }
}

/** Every call of the operator's pages, on a company's Project. */
const callsOn = (projectId: string): ((client: Client) => ReturnType<Client['get']>)[] => [
  (client) => client.get(`${OPERATION}/projects`),
  (client) => client.get(`${OPERATION}/projects/${projectId}`),
  (client) => client.patch(`${OPERATION}/projects/${projectId}`, { status: 'SUSPENDED' }),
  (client) => client.post(`${OPERATION}/projects/${projectId}/credits`, { amount: 5 }),
  (client) => client.get(`${OPERATION}/nodes`),
  (client) => client.patch(`${OPERATION}/nodes/n`, { draining: true }),
  (client) => client.get(`${OPERATION}/queues`),
]

describe("the operator's pages", () => {
  it('the operator’s pages return 404 to everyone but operators, whatever their role', async () => {
    const project = await kit.project()
    const key = await kit.key(project)
    const owner = await kit.login(project)
    for (const call of callsOn(project.projectId)) {
      const denied = await call(owner)
      assert.equal(denied.status, 404)
      assert.equal(denied.body.error.message, 'rota não encontrada')
      assert.equal((await call(key)).status, 403)
      assert.equal((await call(kit.client('production'))).status, 401)
    }
    assert.equal((await key.get('/v1/me')).body.credits, 1000)
  })

  it('the operator’s pages require two-step verification, and close immediately when the right is revoked', async () => {
    const project = await kit.project()
    const user = await kit.login(project)
    assert.equal((await user.get('/panel/api/me')).body.operator, false)
    await setOperator(kit.db, project.email, true)
    assert.equal((await user.get('/panel/api/me')).body.operator, true)
    for (const call of callsOn(project.projectId)) {
      const { status, body } = await call(user)
      assert.equal(status, 403)
      assert.match(body.error.message, /verificação em duas etapas/)
    }
    await turnOnSecondFactor(user)
    assert.equal((await user.get(`${OPERATION}/projects`)).status, 200)
    await setOperator(kit.db, project.email, false)
    assert.equal((await user.get(`${OPERATION}/projects`)).status, 404)
  })

  it('the operator’s pages list the Projects of all companies with their figures, found by name, address and status', async () => {
    const { user } = await createOperator()
    const project = await kit.project({ credits: 77 })
    const api = await kit.key(project, 'production')
    const { base } = await kit.pair(api)
    await api.post(`${base}/messages/text`, { to: '+5511988880001', text: 'Oi' })
    await kit.settle()
    const { body } = await user.get(`${OPERATION}/projects?q=${encodeURIComponent(project.email)}`)
    assert.equal(body.items.length, 1)
    const [found] = body.items
    assert.deepEqual(
      { ...found, createdAt: '' },
      {
        id: project.projectId,
        company: 'Padaria',
        owner: project.email,
        status: 'ACTIVE',
        usageMode: 'BOTH',
        exempt: false,
        subscription: 'active',
        massSending: false,
        credits: 76,
        instances: 1,
        connected: 1,
        sent: 1,
        createdAt: '',
      },
    )
    const byId = await user.get(`${OPERATION}/projects?q=${project.projectId}&status=ACTIVE`)
    assert.deepEqual(byId.body.items, [found])
    const none = await user.get(`${OPERATION}/projects?q=${project.projectId}&status=SUSPENDED`)
    assert.deepEqual(none.body.items, [])
    assert.equal((await user.get(`${OPERATION}/projects/prj_nenhum`)).status, 404)
  })

  it('an operator can suspend a Project immediately, and its audit log names an operator, but not which one', async () => {
    const { user, project: own } = await createOperator()
    const project = await kit.project()
    const [api, owner] = [await kit.key(project), await kit.login(project)]
    const url = `${OPERATION}/projects/${project.projectId}`
    const suspended = await user.patch(url, { status: 'SUSPENDED' })
    assert.equal(suspended.body.status, 'SUSPENDED')
    assert.equal((await api.get('/v1/instances')).status, 403)
    assert.equal((await user.patch(url, { status: 'ACTIVE' })).body.status, 'ACTIVE')
    assert.equal((await api.get('/v1/instances')).status, 200)
    const { body } = await owner.get('/panel/api/audit?q=project.')
    assert.deepEqual(
      body.items.map(({ action, actor, actorName, address }: Record<string, unknown>) => [
        action,
        actor,
        actorName,
        address,
      ]),
      [
        ['project.activate', 'operator', null, null],
        ['project.suspend', 'operator', null, null],
      ],
    )
    assert.ok(!JSON.stringify(body).includes(own.email))
    const [entry] = await kit.operator.audit.list(kit.db, project.projectId, 1)
    assert.match(entry?.actor ?? '', /^operator\/usr_/)
    assert.equal(entry?.address, '127.0.0.1')
    const { bytes } = await owner.download('/panel/api/account/export')
    const exported = bytes.toString('utf8')
    assert.match(exported, /project\.suspend/)
    assert.ok(!exported.includes('operator/'))
    const itself = await user.patch(`${OPERATION}/projects/${own.projectId}`, {
      status: 'SUSPENDED',
    })
    assert.equal(itself.status, 409)
  })

  it('the operator’s pages change how a Project is used, and grant credits, which the ledger accounts for', async () => {
    const { user } = await createOperator()
    const { projectId } = await kit.project({ credits: 10 })
    const url = `${OPERATION}/projects/${projectId}`
    for (const change of [{ usageMode: 'API' }, { exempt: true }, { massSending: true }]) {
      const { status, body } = await user.patch(url, change)
      assert.equal(status, 200)
      assert.partialDeepStrictEqual(body, change)
    }
    assert.equal((await user.patch(url, { massSending: false })).body.massSending, false)
    assert.equal((await user.post(`${url}/credits`, { amount: 90 })).body.credits, 100)
    assert.equal((await kit.operator.billing.drift(kit.db)).length, 0)
    for (const [body, path] of [
      [{}, url],
      [{ exempt: true, usageMode: 'API' }, url],
      [{ credits: 5 }, url],
      [{ status: 'DELETED' }, url],
      [{ amount: 0 }, `${url}/credits`],
      [{ amount: -5 }, `${url}/credits`],
      [{ amount: 1.5 }, `${url}/credits`],
      [{ amount: 1e12 }, `${url}/credits`],
    ] as const) {
      const { status } = path === url ? await user.patch(path, body) : await user.post(path, body)
      assert.equal(status, 400, JSON.stringify(body))
    }
    assert.equal(
      (await user.post(`${OPERATION}/projects/prj_x/credits`, { amount: 1 })).status,
      404,
    )
  })

  it('the operator’s pages show the nodes, and drain one only while another can take its instances over', async () => {
    const { user } = await createOperator()
    const { body } = await user.get(`${OPERATION}/nodes`)
    assert.equal(body.items.length, 1)
    const [{ id }] = body.items
    const alone = await user.patch(`${OPERATION}/nodes/${id}`, { draining: true })
    assert.equal(alone.status, 409)
    assert.equal((await user.patch(`${OPERATION}/nodes/x`, { draining: true })).status, 404)
    await kit.db.system`
      insert into node (id, epoch, heartbeat_at)
      values ('second', 99, ${new Date(kit.clock.now() + 3600_000)})`
    assert.equal((await user.patch(`${OPERATION}/nodes/${id}`, { draining: true })).status, 204)
    const { items } = (await user.get(`${OPERATION}/nodes`)).body
    assert.equal(items.find((node: { id: string }) => node.id === id).draining, true)
    await user.patch(`${OPERATION}/nodes/${id}`, { draining: false })
    // While another decision is made, this one waits for it.
    const late = kit.db.transaction(async (tx) => {
      await lockDraining(tx)
      const waiting = user.patch(`${OPERATION}/nodes/${id}`, { draining: true })
      await lockIsAwaited(kit.db)
      await setDraining(tx, 'second', true)
      return { waiting }
    })
    assert.equal((await (await late).waiting).status, 409)
    await user.patch(`${OPERATION}/nodes/${id}`, { draining: false })
    await kit.db.system`delete from node where id = 'second'`
  })

  it('the operator’s pages count the queues and name the Projects with the longest ones', async () => {
    const { user } = await createOperator()
    const project = await kit.project()
    const api = await kit.key(project)
    const { id, base } = await kit.pair(api)
    const { body: sent } = await api.post(`${base}/messages/text`, {
      to: '+5511988880001',
      text: 'Oi',
    })
    await kit.settle()
    await kit.db.system`
      insert into outbox (instance_id, seq, message_id, created_at, due_at)
      select instance_id, seq, id, created_at, 'infinity' from message
      where id = ${sent.id} and instance_id = ${id}`
    const { body } = await user.get(`${OPERATION}/queues`)
    assert.equal(body.messages, 1)
    assert.ok(Date.parse(body.oldestMessageAt) > 0)
    assert.deepEqual(
      body.projects.map(({ projectId, messages }: Record<string, unknown>) => [
        projectId,
        messages,
      ]),
      [[project.projectId, 1]],
    )
  })
})
