// Private routes of the panel: authentication, permissions by role and visibility.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Client } from '../kit/client.ts'
import { openStream } from '../kit/sse.ts'
import { HOSTS, PASSWORD, startTestApp, type Project, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())
const TEST = '/panel/api/test/v1'
const LIVE = '/panel/api/production/v1'
const ANA = '5511988887777'

/** Signs in like a browser. Returns the cookies and calls that send them with the panel header. */
async function browser(project: Project) {
  const anonymous = kit.client('production')
  const { headers } = await anonymous.post('/v1/auth/login', {
    email: project.email,
    password: PASSWORD,
  })
  const set = headers['set-cookie'] as unknown as string[]
  const cookie = set.map((line) => line.split(';')[0]).join('; ')
  const own = { cookie, 'x-recado-panel': '1' }
  const get = (path: string) => anonymous.get(path, undefined, own)
  const post = (path: string, body?: object) => anonymous.post(path, body, own)
  return { cookie, get, post, cookies: set }
}

/** Invites another user with this role into the account and signs them in. */
async function colleague(project: Project, role: string): Promise<Client> {
  const owner = await kit.login(project)
  const email = `${role.toLowerCase()}-${project.projectId.slice(-6)}@empresa.com.br`
  await owner.post('/panel/api/members/invitations', { email, role })
  await kit.settle()
  const token = /token=(\S+)/.exec(kit.mails.findLast(({ to }) => to === email)?.text ?? '')?.[1]
  await kit.client('test').post('/panel/api/accept-invitation', { token, password: PASSWORD })
  return kit.login({ ...project, email })
}

describe('browser sessions', () => {
  it('a browser session uses HttpOnly and SameSite=Strict cookies', async () => {
    const project = await kit.project()
    const { cookies, get } = await browser(project)
    for (const line of cookies) assert.match(line, /; HttpOnly/i)
    for (const line of cookies) assert.match(line, /; SameSite=Strict/i)
    const { body } = await get('/panel/api/me')
    assert.deepEqual(
      [body.email, body.role, body.company, body.projectId, body.usageMode],
      [project.email, 'Dono', 'Padaria', project.projectId, 'BOTH'],
    )
    assert.ok(!JSON.stringify(body).includes('hash'))
  })

  it('a write with session cookies but without the panel header is rejected with 403', async () => {
    const project = await kit.project()
    const { cookie, post, get } = await browser(project)
    const anonymous = kit.client('production')
    const refused = await anonymous.post(`${TEST}/instances`, { name: 'x' }, { cookie })
    assert.equal(refused.status, 403)
    assert.equal(refused.body.error.message, 'esta ação só pode ser feita pelo painel')
    assert.equal((await get(`${TEST}/instances`)).body.items.length, 0)
    assert.equal((await post(`${TEST}/instances`, { name: 'x' })).status, 201)
    assert.equal((await anonymous.post(`${TEST}/instances`, { name: 'x' })).status, 401)
    // The public API does not accept cookies.
    const own = { cookie, 'x-recado-panel': '1' }
    assert.equal((await anonymous.get('/v1/instances', undefined, own)).status, 401)
  })
})

describe('API routes of the panel', () => {
  it('panel routes take the mode from the path and hide data of the other mode and of other accounts', async () => {
    const project = await kit.project()
    const user = await kit.login(project, 'production')
    const { body: made } = await user.post(`${TEST}/instances`, { name: 'Teste' })
    assert.equal((await user.get(`${TEST}/instances/${made.id}`)).status, 200)
    assert.equal((await user.get(`${LIVE}/instances/${made.id}`)).status, 404)
    const api = await kit.key(project, 'test')
    assert.equal((await api.get(`/v1/instances/${made.id}`)).status, 200)
    const again = await kit.login(project)
    const stranger = await kit.login(await kit.project())
    for (const path of [
      `${TEST}/instances/${made.id}`,
      `${TEST}/instances/${made.id}/messages`,
      `${TEST}/instances/${made.id}/conversations`,
      `${TEST}/instances/${made.id}/labels`,
    ]) {
      assert.equal((await again.get(path)).status, 200, path)
      assert.equal((await stranger.get(path)).status, 404, path)
      assert.equal((await kit.client('test').get(path)).status, 401, path)
    }
    assert.equal((await again.get('/panel/api/staging/v1/instances')).status, 404)
  })

  it('sending from the panel costs no credits and is rejected when the Project is API only', async () => {
    const project = await kit.project({ credits: 1 })
    const api = await kit.key(project, 'production')
    const { id, base } = await kit.pair(api)
    const user = await kit.login(project)
    const send = () => user.post(`${LIVE}/instances/${id}/messages`, { to: ANA, text: 'oi' })
    const sent = [await send(), await send(), await send()]
    assert.deepEqual(
      sent.map(({ status, body }) => [status, body.origin]),
      Array.from({ length: 3 }, () => [201, 'panel']),
    )
    await kit.settle()
    assert.equal(await kit.operator.billing.credits(kit.db, project.projectId), 1)
    const [row] = await kit.db.system<{ count: number }[]>`
      select count(*) as count from ledger where project_id = ${project.projectId} and cause = 'send'`
    assert.equal(row?.count, 0)
    const set = (usageMode: 'API' | 'CRM') =>
      kit.operator.projects.set(kit.db, project.projectId, 'project.usage_mode', { usageMode })
    await set('API')
    const refused = await send()
    assert.equal(refused.status, 402)
    assert.match(refused.body.error.message, /só envia pela API/)
    assert.equal((await api.post(`${base}/messages`, { to: ANA, text: 'x' })).status, 201)
    assert.equal((await user.get(`${LIVE}/instances/${id}/messages`)).status, 200)
    await set('CRM')
    assert.equal((await send()).status, 201)
    assert.equal((await api.get(`${base}/messages`)).status, 402)
  })

  it('the panel requires a subscription in production mode, but not in test mode', async () => {
    const user = await kit.login(await kit.project({ subscribed: false }))
    const refused = await user.post(`${LIVE}/instances`, { name: 'x' })
    assert.deepEqual([refused.status, refused.body.error.reason], [402, 'SUBSCRIPTION_REQUIRED'])
    assert.equal((await user.post(`${TEST}/instances`, { name: 'x' })).status, 201)
    const key = await user.post(`${TEST}/keys`, { name: 'x' })
    assert.match(key.body.key, /^svc_test_/)
  })

  it('each role may call exactly the panel routes that its permissions allow', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { id } = await kit.pair(api)
    const paths = {
      messages: `${TEST}/instances/${id}/messages`,
      instances: `${TEST}/instances`,
      webhooks: `${TEST}/webhooks`,
      keys: `${TEST}/keys`,
      plan: '/panel/api/plan/offers',
    }
    const expected = {
      Dono: ['messages', 'instances', 'new instance', 'webhooks', 'keys', 'plan'],
      Admin: ['messages', 'instances', 'new instance', 'webhooks', 'keys'],
      Desenvolvedor: ['messages', 'instances', 'new instance', 'webhooks', 'keys'],
      Atendente: ['messages', 'instances'],
      Financeiro: ['plan'],
    }
    for (const [role, may] of Object.entries(expected)) {
      const user = role === 'Dono' ? await kit.login(project) : await colleague(project, role)
      const allowed: string[] = []
      for (const [name, path] of Object.entries(paths)) {
        const { status, body } = await user.get(path)
        if (status === 200) allowed.push(name)
        else assert.equal(body.error.message, 'seu papel não permite esta ação', `${role} ${name}`)
      }
      const made = await user.post(paths.instances, { name: role })
      if (made.status === 201) allowed.splice(2, 0, 'new instance')
      assert.deepEqual(allowed, may, role)
    }
  })
})

describe('live stream of the panel', () => {
  const open = (user: { cookie: string }, mode = 'test') =>
    openStream(kit.port, HOSTS.production, `/panel/api/${mode}/live`, { cookie: user.cookie })

  it('the live stream emits events and instance changes of its mode', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { id, phone, phoneId } = await kit.pair(api)
    const user = await browser(project)
    const stream = await open(user)
    assert.deepEqual(await stream.next(), { event: 'ready', data: { mode: 'test' } })
    const ana = await kit.phone(api)
    await api.post(`${ana.base}/messages`, { to: phone, text: 'olá' })
    const receivedFrame = (await stream.until('event')).at(-1)
    assert.deepEqual(
      [receivedFrame?.data.event, receivedFrame?.data.data.message.text],
      ['message.received', 'olá'],
    )
    await api.post(`/v1/simulator/phones/${phoneId}/unpair`)
    const changedFrames = (await stream.until('instance')).at(-1)
    assert.equal(changedFrames?.data.id, id)
    stream.close()
  })

  it('the live stream reports who is writing in a conversation to the other members of the team only', async () => {
    const project = await kit.project()
    const mate = await colleague(project, 'Atendente')
    // Signed in last: to invite, the owner signs in, too, which ends an earlier session.
    const owner = await browser(project)
    const stranger = await browser(await kit.project())
    const streams = await Promise.all([owner, stranger].map((one) => open(one)))
    const live = await open(owner, 'production')
    for (const stream of [...streams, live]) await stream.next()
    const body = { conversationId: 'cnv_1' }
    for (const who of [owner, stranger, mate])
      assert.equal((await who.post('/panel/api/test/typing', body)).status, 204)
    const [mine, other] = streams
    const told = (await mine?.until('teammate'))?.at(-1)
    assert.equal(told?.data.conversationId, 'cnv_1')
    const { items } = (await owner.get('/panel/api/members')).body
    const { id } = items.find(({ role }: { role: string }) => role === 'Atendente')
    assert.deepEqual([told?.data.userId, told?.data.ms], [id, 6000])
    // Only one report per session and second is published.
    await mate.post('/panel/api/test/typing', body)
    await mate.post(`${TEST}/quick-replies`, { shortcut: 'fim', text: 'x' })
    const rest = await mine?.until('changed')
    assert.deepEqual(
      rest?.filter(({ event }) => event === 'teammate'),
      [],
    )
    await stranger.post(`${TEST}/quick-replies`, { shortcut: 'fim', text: 'x' })
    const seen = await other?.until('changed')
    assert.deepEqual(
      seen?.filter(({ event }) => event === 'teammate'),
      [],
    )
    for (const stream of [...streams, live]) stream.close()
  })

  it('the live stream emits which resources a call changed in its mode or account', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const user = await browser(project)
    const stream = await open(user)
    await stream.next()
    await api.post('/v1/webhooks', { name: 'ERP', url: 'https://x.invalid' })
    assert.deepEqual((await stream.until('changed')).at(-1)?.data, { what: ['webhooks'] })
    await user.post('/panel/api/members/invitations', {
      email: `novo-${project.projectId}@empresa.com.br`,
      role: 'Admin',
    })
    assert.deepEqual((await stream.until('changed')).at(-1)?.data, { what: ['members'] })
    const other = await kit.key(await kit.project())
    await other.post('/v1/webhooks', { name: 'ERP', url: 'https://x.invalid' })
    await user.post(`${LIVE}/webhooks`, { name: 'ERP', url: 'https://x.invalid' })
    await kit.settle()
    await user.post(`${TEST}/instances`, { name: 'Loja' })
    assert.deepEqual((await stream.until('changed')).at(-1)?.data, { what: ['instances'] })
    stream.close()
  })

  it('a change of an instance of another account causes no database statements for open live streams', async () => {
    const other = await kit.key(await kit.project())
    const { base } = await kit.pair(other)
    let statements = 0
    const own = Object.getOwnPropertyDescriptor(kit.db, 'sql')
    assert.ok(own)
    Object.defineProperty(kit.db, 'sql', {
      configurable: true,
      get() {
        statements++
        return own.get?.call(kit.db) as unknown
      },
    })
    const cost = async (name: string) => {
      const before = statements
      await other.patch(base, { name })
      await kit.settle()
      return statements - before
    }
    const without = await cost('Loja 1')
    const user = await browser(await kit.project())
    const streams = await Promise.all(Array.from({ length: 10 }, () => open(user)))
    for (const stream of streams) await stream.next()
    assert.ok(without > 0)
    assert.equal(await cost('Loja 2'), without)
    Object.defineProperty(kit.db, 'sql', own)
    for (const stream of streams) stream.close()
  })

  it('the live stream emits typing on the simulated network for its own Project only', async () => {
    const project = await kit.project()
    const [own, foreign] = [await kit.key(project), await kit.key(await kit.project())]
    const stream = await open(await browser(project))
    await stream.next()
    const type = async (api: Client) => {
      const { id, base } = await kit.pair(api)
      const { phone } = await kit.phone(api)
      const body = { to: phone, text: 'olá', typingMs: 2000 }
      const sent = await api.post(`${base}/messages/text`, body)
      const path = `${base}/messages/${sent.body.id}`
      const isSending = async () => (await api.get(path)).body.status === 'sending'
      while (!(await isSending()));
      // The typing may begin a moment after the message is claimed.
      while (await isSending()) kit.clock.jump(2000)
      await kit.settle()
      return { instanceId: id, chatId: `${phone}@s.whatsapp.net`, ms: 2000, recording: false }
    }
    await type(foreign)
    const typing = await type(own)
    assert.deepEqual((await stream.until('typing')).at(-1)?.data, typing)
    stream.close()
  })

  it('a contact is shown that someone is typing or recording, in existing conversations of connected instances only', async () => {
    const project = await kit.project()
    // Signs in, which ends an earlier session.
    const api = await kit.key(project)
    const stream = await open(await browser(project))
    await stream.next()
    const { id, base } = await kit.pair(api)
    const { phone } = await kit.phone(api)
    const { conversationId } = (await api.post(`${base}/messages`, { to: phone, text: 'olá' })).body
    await kit.settle()
    const path = `${base}/conversations/${conversationId}/presence`
    const chat = { instanceId: id, chatId: `${phone}@s.whatsapp.net` }
    for (const [state, shown] of [
      ['typing', { ms: 25_000, recording: false }],
      ['recording', { ms: 25_000, recording: true }],
      ['paused', { ms: 0, recording: false }],
    ] as const) {
      assert.equal((await api.post(path, { state })).status, 204)
      assert.deepEqual((await stream.until('typing')).at(-1)?.data, { ...chat, ...shown })
    }
    for (const body of [{}, { state: 'online' }, { state: 'typing', ms: 5 }])
      assert.equal((await api.post(path, body)).status, 400)
    const unknown = `${base}/conversations/cnv_x/presence`
    assert.equal((await api.post(unknown, { state: 'typing' })).status, 404)
    const stranger = await kit.key(await kit.project())
    assert.equal((await stranger.post(path, { state: 'typing' })).status, 404)
    await api.post(`${base}/disconnect`)
    await kit.settle()
    const refused = await api.post(path, { state: 'typing' })
    assert.deepEqual([refused.status, refused.body.error.reason], [409, 'INSTANCE_NOT_CONNECTED'])
    stream.close()
  })

  it('the live stream reports a message edited by a contact, for which there is no webhook event', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { phone } = await kit.pair(api)
    const ana = await kit.phone(api)
    const { body } = await api.post(`${ana.base}/messages`, { to: phone, text: 'olá' })
    await kit.settle()
    const user = await browser(project)
    const stream = await open(user)
    await stream.next()
    await api.patch(`${ana.base}/messages/${body.waMessageId}`, { text: 'olá!' })
    assert.deepEqual((await stream.until('changed')).at(-1)?.data, { what: ['messages'] })
    stream.close()
  })

  it('the live stream reports a changed security code, for which there is no webhook event', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { phone } = await kit.pair(api)
    const ana = await kit.phone(api)
    await api.post(`${ana.base}/messages`, { to: phone, text: 'olá' })
    await kit.settle()
    const stream = await open(await browser(project))
    await stream.next()
    await api.post(`${ana.base}/new-device`)
    // The request and the network each report their change, in any order.
    const changes = [await stream.until('changed'), await stream.until('changed')]
    assert.deepEqual(
      new Set(changes.map((seen) => JSON.stringify(seen.at(-1)?.data))),
      new Set(['{"what":["phones"]}', '{"what":["contacts"]}']),
    )
    stream.close()
  })

  it('the live stream reports a call that was missed, for which there is no webhook event', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { phone } = await kit.pair(api)
    const ana = await kit.phone(api)
    await api.post(`${ana.base}/calls`, { to: phone })
    await kit.settle()
    const stream = await open(await browser(project))
    await stream.next()
    await kit.jump(31_000)
    assert.deepEqual((await stream.until('changed')).at(-1)?.data, { what: ['calls'] })
    stream.close()
  })

  it('the live stream on every node reports changes made on another node', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const user = await browser(project)
    const node = await kit.node({ idle: true })
    const at = await node.listen()
    const stream = await openStream(at, HOSTS.production, '/panel/api/test/live', {
      cookie: user.cookie,
    })
    await stream.next()
    // The bus publishes only while other nodes have a recent heartbeat.
    await kit.jump(2000)
    await kit.jump(2000)
    await api.post('/v1/webhooks', { name: 'ERP', url: 'https://x.invalid' })
    // The change is published after the response is sent and crosses the bus with a delay.
    let heard = false
    const told = stream.until('changed').finally(() => (heard = true))
    for (let look = 0; look < 200 && !heard; look++) await kit.jump(100)
    assert.ok(heard)
    assert.deepEqual((await told).at(-1)?.data, { what: ['webhooks'] })
    stream.close()
  })

  it('the live stream emits nothing of another mode or account', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { phone } = await kit.pair(api)
    const other = await browser(await kit.project())
    const user = await browser(project)
    const streams = [await open(other), await open(user, 'production')]
    for (const stream of streams) await stream.next()
    const ana = await kit.phone(api)
    await api.post(`${ana.base}/messages`, { to: phone, text: 'segredo' })
    await kit.settle()
    for (const stream of streams) assert.ok(!stream.text.includes('segredo'))
    for (const stream of streams) stream.close()
  })

  it('the live stream reports that its session was superseded and ends', async () => {
    const project = await kit.project()
    const user = await browser(project)
    const stream = await open(user)
    await stream.next()
    await kit.login(project)
    kit.clock.jump(25_000)
    assert.deepEqual((await stream.until('ended')).at(-1)?.data, { code: 'SESSION_SUPERSEDED' })
    await stream.closed
    assert.equal((await open(user)).status, 401)
  })
})

describe('daily cap view', () => {
  it('the cap view of test mode shows the usage of today and when the day ends in São Paulo', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { base } = await kit.pair(api)
    await api.post(`${base}/messages`, { to: ANA, text: 'x' })
    const user = await kit.login(project)
    const { body } = await user.get('/panel/api/test/cap')
    assert.deepEqual([body.used, body.limit], [1, 100])
    assert.match(body.resetsAt, /T03:00:00\.000Z$/)
  })
})
