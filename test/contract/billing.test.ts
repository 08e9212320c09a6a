// Credits, subscription and the daily cap of test mode.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())
const creditsOf = (projectId: string) => kit.operator.billing.credits(kit.db, projectId)

async function productionSender(credits: number) {
  const project = await kit.project({ credits })
  const api = await kit.key(project, 'production')
  const instance = await kit.pair(api)
  const send = (to = '5511988887777') => api.post(`${instance.base}/messages`, { to, text: 'x' })
  return { ...project, api, ...instance, send }
}

describe('credits', () => {
  it('each accepted message costs one credit, and a send without credits returns 402', async () => {
    const { projectId, send } = await productionSender(2)
    assert.equal((await send()).status, 201)
    assert.equal((await send()).status, 201)
    const refused = await send()
    assert.equal(refused.status, 402)
    assert.deepEqual(refused.body.error, {
      code: 'PAYMENT_REQUIRED',
      message: 'créditos insuficientes: recarregue em "Meu plano"',
      reason: 'INSUFFICIENT_CREDITS',
    })
    assert.equal(await creditsOf(projectId), 0)
  })

  it('64 concurrent senders never overspend the credits', async () => {
    const { projectId, send } = await productionSender(20)
    const answers = await Promise.all(Array.from({ length: 64 }, () => send()))
    assert.equal(answers.filter((answer) => answer.status === 201).length, 20)
    assert.equal(answers.filter((answer) => answer.status === 402).length, 44)
    assert.equal(await creditsOf(projectId), 0)
  })

  it('a credit is refunded when its message fails before the network accepts it', async () => {
    const { projectId, send } = await productionSender(5)
    await send('5511988880003')
    await kit.settle()
    assert.equal(await creditsOf(projectId), 5)
    await send()
    await kit.settle()
    assert.equal(await creditsOf(projectId), 4)
  })

  it('rejected requests and test mode sends cost no credits', async () => {
    const { projectId, api, base } = await productionSender(5)
    await api.post(`${base}/messages`, { to: 'x', text: 'x' })
    await api.post(`${base}/disconnect`)
    await api.post(`${base}/messages`, { to: '5511988887777', text: 'x' })
    assert.equal(await creditsOf(projectId), 5)
    const project = await kit.project({ credits: 3 })
    const test = await kit.key(project)
    const { base: testBase } = await kit.pair(test)
    await test.post(`${testBase}/messages`, { to: '5511988887777', text: 'x' })
    assert.equal(await creditsOf(project.projectId), 3)
  })
})

describe('precedence of send errors', () => {
  it('a send is checked for instance, subscription, credits and connection, in this order', async () => {
    const { projectId, api, base, send } = await productionSender(0)
    const set = (settings: object) =>
      kit.operator.projects.set(kit.db, projectId, 'subscription.set', settings)
    await api.post(`${base}/disconnect`)
    assert.equal((await send()).body.error.reason, 'INSUFFICIENT_CREDITS')
    for (const subscription of ['pending', 'paused', 'past_due', 'canceled', 'none']) {
      await set({ subscription })
      const refused = await send()
      assert.equal(refused.status, 402)
      assert.equal(refused.body.error.reason, 'SUBSCRIPTION_REQUIRED')
    }
    const body = { to: '5511988887777', text: 'x' }
    assert.equal((await api.post('/v1/instances/ins_nope/messages', body)).status, 404)
    await set({ exempt: true })
    assert.equal((await send()).body.error.reason, 'INSUFFICIENT_CREDITS')
    await kit.operator.billing.grant(kit.db, projectId, 1)
    assert.equal((await send()).body.error.reason, 'INSTANCE_NOT_CONNECTED')
  })
})

describe('test mode', () => {
  async function testMode() {
    const project = await kit.project({ subscribed: false, credits: 0 })
    const api = await kit.key(project)
    const instance = await kit.pair(api)
    const client = await kit.phone(api)
    const send = () => api.post(`${instance.base}/messages`, { to: '5511988887777', text: 'x' })
    const write = () => api.post(`${client.base}/messages`, { to: instance.phone, text: 'x' })
    return { ...project, api, send, write }
  }

  it('test mode accepts 100 messages a day, sent plus received, without subscription or credits', async () => {
    const { send, write } = await testMode()
    const sent = await Promise.all(Array.from({ length: 60 }, send))
    for (let count = 0; count < 40; count++) assert.equal((await write()).status, 201)
    assert.ok(sent.every((answer) => answer.status === 201))
    await kit.settle()
    for (const refused of [await send(), await write()]) {
      assert.equal(refused.status, 429)
      assert.deepEqual(refused.body.error, {
        code: 'RATE_LIMITED',
        message: 'limite diário do modo de teste atingido (100 mensagens)',
        reason: 'DAILY_CAP_REACHED',
      })
    }
  })

  it('the daily cap of test mode resets at midnight in São Paulo, as Retry-After states', async () => {
    const { send } = await testMode()
    await Promise.all(Array.from({ length: 100 }, send))
    const refused = await send()
    const seconds = Number(refused.headers['retry-after'])
    // São Paulo is three hours behind UTC all year.
    const local = (kit.clock.now() - 3 * 3600_000) % 86_400_000
    assert.ok(Math.abs(seconds * 1000 - (86_400_000 - local)) <= 2000)
    assert.equal(refused.headers['ratelimit-policy'], '"test-day";q=100;w=86400')
    assert.equal(refused.headers['ratelimit'], `"test-day";r=0;t=${seconds}`)
    await kit.jump((seconds - 3) * 1000)
    assert.equal((await send()).status, 429)
    await kit.jump(3000)
    assert.equal((await send()).status, 201)
  })

  it('production mode has no daily cap', async () => {
    const { send } = await productionSender(150)
    const answers = await Promise.all(Array.from({ length: 120 }, () => send()))
    assert.ok(answers.every((answer) => answer.status === 201))
  })

  it('a message of a virtual phone counts once for each instance that receives it, and not for its own', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const [one, other] = [await kit.pair(api), await kit.pair(api)]
    const [ana, bia] = [await kit.phone(api), await kit.phone(api)]
    const used = async () => (await api.get('/v1/me')).body.dailyCap.used
    const phones = (await api.get('/v1/simulator/phones')).body.items
    const idOf = (phone: string) =>
      phones.find((item: { phone: string }) => item.phone === phone).id
    const write = async (from: string, to: string) => {
      const path = `/v1/simulator/phones/${idOf(from)}/messages`
      const answer = await api.post(path, { to, text: 'x' })
      assert.equal(answer.status, 201, answer.text)
      await kit.settle()
      return used()
    }
    assert.equal(await write(ana.phone, bia.phone), 0)
    assert.equal(await write(one.phone, ana.phone), 0)
    assert.equal(await write(ana.phone, one.phone), 1)
    const group = await api.post(`/v1/simulator/phones/${idOf(ana.phone)}/groups`, {
      subject: 'Obras',
      participants: [one.phone, other.phone],
    })
    assert.equal(group.status, 201, group.text)
    const before = await used()
    assert.equal(await write(ana.phone, group.body.groupId ?? group.body.id), before + 2)
  })

  it('the daily cap of test mode counts simulated replies as received messages', async () => {
    const { api, projectId } = await testMode()
    const { base } = await kit.pair(api)
    await api.post(`${base}/messages`, { to: '5511988880005', text: 'eco' })
    await kit.settle()
    const [row] = await kit.db
      .system`select test_count from balance where project_id = ${projectId}`
    assert.equal(row?.['testCount'], 2)
  })
})

describe('credit history', () => {
  it('the credit history lists grants newest first, without spending, to users of the account only', async () => {
    const project = await kit.project({ credits: 500 })
    await kit.operator.billing.grant(kit.db, project.projectId, 70)
    const api = await kit.key(project, 'production')
    const { base } = await kit.pair(api)
    await api.post(`${base}/messages`, { to: '5511988887777', text: 'olá' })
    await kit.settle()
    const user = await kit.login(project)
    const { body } = await user.get('/panel/api/credits')
    assert.deepEqual(
      body.items.map(({ cause, amount }: { cause: string; amount: number }) => [cause, amount]),
      [
        ['grant', 70],
        ['grant', 500],
      ],
    )
    const stranger = await kit.login(await kit.project({ credits: 1 }))
    assert.equal((await stranger.get('/panel/api/credits')).body.items.length, 1)
    assert.equal((await kit.client('test').get('/panel/api/credits')).status, 401)
  })
})

describe('usage', () => {
  it('usage is counted by day, instance and key, sent and received, and visible to its own account only', async () => {
    const project = await kit.project()
    const [one, other] = [await kit.key(project), await kit.key(project)]
    const { id, base, phone } = await kit.pair(one)
    const writer = await kit.phone(one)
    const send = (api: typeof one, to = '5511988887777') =>
      api.post(`${base}/messages`, { to, text: 'x' })
    for (const api of [one, one, other]) assert.equal((await send(api)).status, 201)
    assert.equal((await send(one, 'x')).status, 400)
    await one.post(`${writer.base}/messages`, { to: phone, text: 'oi' })
    await kit.settle()
    await kit.jump(24 * 3600_000)
    await send(other)
    const user = await kit.login(project)
    const usage = async (query = '', by = user) =>
      (await by.get(`/panel/api/test/usage${query}`)).body
    const { items } = await usage()
    assert.equal(items.length, 4)
    const [first] = items
    type Item = { day: string; instanceId: string; keyId: string; sent: number; received: number }
    const ofDay = (items as Item[]).filter((item) => item.day === first.day)
    assert.deepEqual(
      new Map(ofDay.map((item) => [item.keyId, [item.instanceId, item.sent, item.received]])),
      new Map([
        [null, [id, 0, 1]],
        [one.keyId, [id, 2, 0]],
        [other.keyId, [id, 1, 0]],
      ] as never),
    )
    assert.equal(items.at(-1).sent, 1)
    assert.notEqual(items.at(-1).day, first.day)
    assert.equal((await usage(`?from=${first.day}&to=${first.day}`)).items.length, 3)
    assert.deepEqual((await user.get('/panel/api/production/usage')).body.items, [])
    const stranger = await kit.login(await kit.project())
    assert.deepEqual((await usage('', stranger)).items, [])
    for (const query of [
      '?from=2026-13-01',
      '?from=2024-01-01',
      '?from=hoje',
      '?to=2026-13-01',
      '?to=2026-02-30',
      '?from=2026-02-30',
      '?to=0000-01-05',
      '?to=2026-01-01&from=2026-01-02',
    ]) {
      assert.equal((await user.get(`/panel/api/test/usage${query}`)).status, 400)
    }
    assert.equal((await kit.client('test').get('/panel/api/test/usage')).status, 401)
  })
})
