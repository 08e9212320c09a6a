// Views that only the panel has: deliveries by event, delivery health, instance pairing and history.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { Client } from '../kit/client.ts'
import type { Receiver } from '../kit/receiver.ts'
import { PASSWORD, startTestApp, type Project, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const TEST = '/panel/api/test'
const NOW = '2026-11-20T12:00:00.000Z'
const LIVE = '/panel/api/production'
type Company = { project: Project; user: Client; write: (text: string) => Promise<void> }

const respondWith = (receiver: Receiver, status: number) => {
  receiver.answer = (response) => void response.writeHead(status).end()
}

/** Creates an account with a signed-in user, a paired instance and a phone that can send to it. */
async function createAccount(): Promise<Company> {
  const project = await kit.project()
  const api = await kit.key(project)
  const user = await kit.login(project)
  const { phone } = await kit.pair(api)
  const { base } = await kit.phone(api)
  return {
    project,
    user,
    async write(text) {
      await api.post(`${base}/messages`, {
        to: phone,
        text,
      })
      await kit.settle()
    },
  }
}

describe('webhook events', () => {
  it('the events of a webhook include all attempts and the time of the next one and can be filtered', async () => {
    const { user, write } = await createAccount()
    const receiver = await kit.receiver()
    const body = { name: 'ERP', url: receiver.url, events: ['message.received'] }
    const { body: webhook } = await user.post(`${TEST}/v1/webhooks`, body)
    const events = async (query = '') =>
      (await user.get(`${TEST}/webhooks/${webhook.id}/events${query}`)).body
    respondWith(receiver, 500)
    await write('um')
    const [waiting] = (await events()).items
    assert.deepEqual([waiting.event, waiting.outcome], ['message.received', 'retrying'])
    assert.equal(waiting.attempts.length, 1)
    assert.ok(Date.parse(waiting.nextAttemptAt) > kit.clock.now())
    respondWith(receiver, 200)
    await kit.jump(2000)
    await write('dois')
    const { items, before } = await events()
    assert.equal(before, null)
    assert.deepEqual(
      items.map((one: { outcome: string; attempts: { statusCode: number }[] }) => [
        one.outcome,
        one.attempts.map(({ statusCode }) => statusCode),
      ]),
      [
        ['success', [200]],
        ['success', [500, 200]],
      ],
    )
    assert.equal(items[1].eventId, waiting.eventId)
    assert.equal(items[1].nextAttemptAt, null)

    respondWith(receiver, 404)
    await write('três')
    const count = async (query: string) => (await events(query)).items.length
    assert.equal(await count('?outcome=failed'), 1)
    assert.equal(await count('?outcome=success'), 2)
    assert.equal(await count('?status=4xx'), 1)
    assert.equal(await count('?status=none'), 0)
    assert.equal(await count('?q=http%20404'), 1)
    assert.equal(await count('?q=%25'), 0)
    assert.equal(await count('?event=message.status'), 0)
    const first = await events('?limit=2')
    assert.equal(first.items.length, 2)
    const second = await events(`?limit=2&before=${first.before}`)
    assert.equal(second.items.length, 1)
    for (const query of ['hours=0', 'before=99999999999999999999', 'status=6xx']) {
      const answer = await user.get(`${TEST}/webhooks/${webhook.id}/events?${query}`)
      assert.equal(answer.status, 400, query)
    }
  })

  it('the envelope of a delivered event is shown as it was sent, and only to its own Project and mode', async () => {
    const { user, write } = await createAccount()
    const receiver = await kit.receiver()
    const body = { name: 'ERP', url: receiver.url, events: ['message.received'] }
    const { body: webhook } = await user.post(`${TEST}/v1/webhooks`, body)
    await write('só para nós')
    const envelope = receiver.received[0]?.body
    const path = `${TEST}/webhooks/${webhook.id}/events/${envelope.data.eventId}`
    assert.deepEqual((await user.get(path)).body, envelope)

    const other = await createAccount()
    assert.equal((await other.user.get(path)).status, 404)
    const { body: foreign } = await other.user.post(`${TEST}/v1/webhooks`, body)
    const event = envelope.data.eventId
    const through = await other.user.get(`${TEST}/webhooks/${foreign.id}/events/${event}`)
    assert.equal(through.status, 404)
    assert.equal((await user.get(path.replace(TEST, LIVE))).status, 404)
    const unknown = `${TEST}/webhooks/${webhook.id}/events/evt_unknown`
    assert.equal((await user.get(unknown)).status, 404)
  })

  it('an event is shown as failed after the sixth attempt or when its webhook is paused', async () => {
    const { project, user, write } = await createAccount()
    const receiver = await kit.receiver()
    respondWith(receiver, 500)
    const made = await user.post(`${TEST}/v1/webhooks`, { name: 'ERP', url: receiver.url })
    const { id } = made.body
    const newest = async (by: Client) =>
      (await by.get(`${TEST}/webhooks/${id}/events?event=message.received`)).body.items[0]
    await write('um')
    for (let attempt = 1; attempt < 6; attempt++) await kit.jump(24 * 3600_000)
    // The first session has expired by now.
    const later = await kit.login(project)
    const over = await newest(later)
    assert.deepEqual([over.outcome, over.attempts.length, over.nextAttemptAt], ['failed', 6, null])
    await write('dois')
    assert.equal((await newest(later)).outcome, 'retrying')
    await later.call('PATCH', `${TEST}/v1/webhooks/${id}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ enabled: false }),
    })
    await kit.jump(10_000)
    assert.deepEqual(
      [(await newest(later)).outcome, (await newest(later)).attempts.length],
      ['failed', 1],
    )
  })

  it('the events of a webhook are visible only in its own account and mode', async () => {
    const { user } = await createAccount()
    const other = await createAccount()
    const body = { name: 'ERP', url: 'https://x.invalid' }
    const { id } = (await user.post(`${TEST}/v1/webhooks`, body)).body
    assert.equal((await user.get(`${TEST}/webhooks/${id}/events`)).status, 200)
    assert.equal((await user.get(`${LIVE}/webhooks/${id}/events`)).status, 404)
    assert.equal((await other.user.get(`${TEST}/webhooks/${id}/events`)).status, 404)
    const stranger = kit.client('production')
    assert.equal((await stranger.get(`${TEST}/webhooks/${id}/events`)).status, 401)
    assert.equal((await stranger.get(`${TEST}/deliveries/health`)).status, 401)
  })
})

describe('delivery health', () => {
  it('delivery health shows counts by hour and webhook and recent failures of its own account and mode only', async () => {
    const { project, user, write } = await createAccount()
    const other = await createAccount()
    const receiver = await kit.receiver()
    const body = { name: 'ERP', url: receiver.url, events: ['message.received'] }
    const { body: webhook } = await user.post(`${TEST}/v1/webhooks`, body)
    await write('um')
    respondWith(receiver, 503)
    await write('dois')
    await kit.jump(3600_000)
    const later = await kit.login(project)
    const { body: health } = await later.get(`${TEST}/deliveries/health`)
    const [counts] = health.webhooks
    assert.equal(counts.webhookId, webhook.id)
    assert.equal(counts.delivered.length, 24)
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
    assert.equal(sum(counts.delivered), 1)
    assert.ok(sum(counts.failed) >= 2)
    assert.equal(counts.delivered.at(-2), 1)
    assert.equal(typeof health.p95Ms, 'number')
    assert.equal(health.p95ByHour.length, 24)
    assert.equal(typeof health.p95ByHour.at(-2), 'number')
    assert.equal(health.p95ByHour[0], null)
    assert.deepEqual(
      [health.failures[0].webhookName, health.failures[0].errorReason],
      ['ERP', 'HTTP 503'],
    )
    for (const [who, path] of [
      [later, LIVE],
      [await kit.login(other.project), TEST],
    ] as const) {
      const { body: none } = await who.get(`${path}/deliveries/health`)
      assert.deepEqual([none.webhooks, none.failures, none.p95Ms], [[], [], null])
    }
    await kit.jump(31 * 24 * 3600_000)
    const monthAgo = new Date(kit.clock.now() - 30 * 24 * 3600_000)
    const kept = await kit.db.system`
      select 1 from delivery_hour where webhook_id = ${webhook.id} and hour < ${monthAgo}`
    assert.equal(kept.length, 0)
  })
})

describe('instance pairing', () => {
  it('the pairing view shows the current code and its sequence number, and reading it requests no code', async () => {
    const user = await kit.login(await kit.project())
    const { id } = (await user.post(`${TEST}/v1/instances`, { name: 'Loja' })).body
    const pairing = async () => (await user.get(`${TEST}/instances/${id}/pairing`)).body
    assert.deepEqual(await pairing(), {
      status: 'CREATED',
      code: null,
      at: null,
      expiresAt: null,
      sequence: 0,
      most: 6,
    })
    await user.post(`${TEST}/v1/instances/${id}/connect`)
    await kit.settle()
    const first = await pairing()
    assert.deepEqual([first.status, first.sequence], ['QR', 1])
    await kit.jump(60_000)
    const second = await pairing()
    assert.equal(second.sequence, 2)
    assert.notEqual(second.code, first.code)
    for (let code = 2; code <= 6; code++) await kit.jump(20_000)
    assert.deepEqual([(await pairing()).status, (await pairing()).code], ['CREATED', null])
    await user.post(`${TEST}/v1/instances/${id}/connect`)
    await kit.settle()
    assert.equal((await pairing()).sequence, 1)

    const { items } = (await user.get(`${TEST}/instances/${id}/history`)).body
    assert.deepEqual(
      items.map(({ to }: { to: string }) => to),
      ['QR', 'CONNECTING', 'CREATED', 'QR', 'CONNECTING'],
    )
    assert.equal(items[2].reason, 'qr_expired')
  })

  it('the pairing view is visible only to roles that may pair instances', async () => {
    const project = await kit.project()
    const owner = await kit.login(project)
    const { id } = (await owner.post(`${TEST}/v1/instances`, { name: 'Loja' })).body
    const email = `atende-${project.projectId}@empresa.com.br`
    await owner.post('/panel/api/members/invitations', { email, role: 'Atendente' })
    await kit.settle()
    const token = /token=(\S+)/.exec(kit.mails.findLast(({ to }) => to === email)?.text ?? '')?.[1]
    await owner.post('/panel/api/accept-invitation', { token, password: PASSWORD })
    const attendant = await kit.login({ ...project, email })
    assert.equal((await attendant.get(`${TEST}/instances/${id}/pairing`)).status, 403)
    assert.equal((await attendant.get(`${TEST}/instances/${id}/history`)).status, 200)
    assert.equal((await attendant.get(`${TEST}/deliveries/health`)).status, 403)
  })

  it('the pairing and history of an instance are visible only in its own account and mode', async () => {
    const user = await kit.login(await kit.project())
    const other = await kit.login(await kit.project())
    const { id } = (await user.post(`${TEST}/v1/instances`, { name: 'Loja' })).body
    for (const view of ['pairing', 'history']) {
      assert.equal((await user.get(`${TEST}/instances/${id}/${view}`)).status, 200)
      assert.equal((await user.get(`${LIVE}/instances/${id}/${view}`)).status, 404)
      assert.equal((await other.get(`${TEST}/instances/${id}/${view}`)).status, 404)
    }
  })
})

describe('history of groups, labels and calls', () => {
  it('the history of groups, labels and calls lasts 30 days, can be filtered and is visible only in its account and mode', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const user = await kit.login(project)
    const { base, phone } = await kit.pair(api, 'Loja', { business: true })
    const ana = await kit.phone(api)
    const group = async (subject: string) =>
      (await api.post(`${base}/groups`, { subject, participants: [ana.phone] })).body.id as string
    const [works, sales] = [await group('Obras'), await group('Vendas')]
    await api.patch(`${base}/groups/${works}`, { subject: 'Obras 2' })
    await api.post(`${base}/groups/${works}/participants`, {
      action: 'promote',
      participants: [ana.phone],
    })
    await api.patch(`${base}/groups/${sales}`, { subject: 'Vendas 2' })
    const { body: label } = await api.post(`${base}/labels`, { name: 'Pago' })
    await api.post(`${ana.base}/messages`, { to: phone, text: 'oi' })
    await api.post(`${ana.base}/calls`, { to: phone, video: false })
    await kit.settle()
    const { id: chat } = (await api.get(`${base}/conversations?type=direct`)).body.items[0]
    await api.put(`${base}/labels/${label.id}/conversations/${chat}`)
    await kit.settle()

    const path = `${TEST}${base.replace('/v1', '')}/events`
    const past = async (query: string) => (await user.get(`${path}?${query}`)).body
    const names = async (query: string) =>
      (await past(query)).items.map(({ event }: { event: string }) => event)
    const ofWorks = `kind=group&subject=${encodeURIComponent(works)}`
    assert.deepEqual(await names(ofWorks), ['group.participants', 'group.updated'])
    assert.equal((await names('kind=group')).length, 3)
    assert.deepEqual(await names('kind=call'), ['call.received'])
    assert.deepEqual(await names(`kind=label&subject=${label.id}`), [
      'label.association',
      'label.updated',
    ])
    const first = await past('kind=group&limit=2')
    const rest = await past(`kind=group&limit=2&before=${first.before}`)
    assert.deepEqual([first.items.length, rest.items.length, rest.before], [2, 1, null])
    assert.equal(rest.items[0].data.changes.subject.to, 'Obras 2')
    assert.equal((await user.get(`${path}?kind=message`)).status, 400)

    const counts = `${path.replace('/events', '')}/label-counts`
    assert.deepEqual((await user.get(counts)).body.items, [{ labelId: label.id, conversations: 1 }])
    const activity = async (who: Client, mode = TEST) =>
      (await who.get(`${mode}/instance-activity`)).body.items
    const [used] = await activity(user)
    assert.equal(`/v1/instances/${used.instanceId}`, base)
    assert.ok(
      used.messages >= 1 &&
        used.more === false &&
        Date.parse(used.lastMessageAt) <= kit.clock.now(),
    )
    const other = await kit.login(await kit.project())
    assert.deepEqual([await activity(other), await activity(user, LIVE)], [[], []])
    for (const one of [`${path}?kind=group`, counts]) {
      assert.equal((await other.get(one)).status, 404)
      assert.equal((await user.get(one.replace('/test/', '/production/'))).status, 404)
    }

    // The daily event partition is dropped after two days, but the history stays.
    const later = async (days: number) => {
      await kit.jump(days * 24 * 3600_000)
      const again = await kit.login(project)
      return (await again.get(`${path}?kind=group`)).body.items.length
    }
    assert.equal(await later(2), 3)
    assert.equal(await later(30), 0)
  })
})

describe('local emails', () => {
  it('without a mail server, emails are shown only to direct requests to localhost', async () => {
    const MAIL = { to: 'a@x', subject: 'Oi', text: 'http://localhost:3000/x', at: NOW }
    const local = await startTestApp(
      { PANEL_URL: 'http://localhost:3000' },
      { recentMails: () => [MAIL] },
    )
    const ask = async (headers: Record<string, string>, app = local) =>
      (await app.client('production').get('/panel/api/mails', undefined, headers)).body
    assert.deepEqual(await ask({ host: 'localhost:3000' }), { local: true, items: [MAIL] })
    const hidden = { local: false, items: [] }
    // A foreign host name that resolves to this server, and a request through a proxy.
    assert.deepEqual(await ask({ host: 'evil.example:3000' }), hidden)
    for (const proxy of ['x-forwarded-for', 'x-real-ip', 'via', 'forwarded', 'x-forwarded-proto'])
      assert.deepEqual(await ask({ host: 'localhost', [proxy]: '9.9.9.9' }), hidden, proxy)
    // nginx adds no header by default.
    const socket = connect(local.port, '127.0.0.1')
    socket.write('GET /panel/api/mails HTTP/1.0\r\nHost: localhost\r\n\r\n')
    assert.match(await readText(socket), /"local":false/)
    assert.deepEqual(await ask({ host: 'localhost' }, kit), hidden)
    await local.close()
  })
})
