// Campaigns, from the draft to the last result.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { campaignWorld, people, to } from '../kit/campaign.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())
const world = (options?: Parameters<typeof campaignWorld>[1]) => campaignWorld(kit, options)
const creditsOf = (projectId: string) => kit.operator.billing.credits(kit.db, projectId)
const MINUTE = 60_000
const PACED = { pacing: { minDelayMs: 8000, maxDelayMs: 25_000 } }

describe('campaign runs', () => {
  it('a campaign is a draft until started, then sends each recipient a personalized message for one credit', async () => {
    const { api, projectId, draft, show, results, instance } = await world({ credits: 10 })
    const { path, ...made } = await draft({ recipients: people(3) })
    await kit.settle()
    assert.equal((await show(path)).status, 'DRAFT')
    assert.deepEqual(made.counts, {
      total: 3,
      pending: 3,
      sent: 0,
      delivered: 0,
      read: 0,
      replied: 0,
      failed: 0,
      skipped: 0,
    })
    assert.deepEqual([made.creditsEstimated, made.creditsUsed, made.pacing], [3, 0, null])
    assert.equal((await api.post(`${path}/start`)).body.status, 'RUNNING')
    await kit.settle()
    const done = await show(path)
    assert.equal(done.status, 'COMPLETED')
    assert.equal(done.counts.delivered, 3)
    assert.deepEqual([done.creditsEstimated, done.creditsUsed], [3, 3])
    assert.notEqual(done.finishedAt, null)
    assert.equal(await creditsOf(projectId), 7)
    const items = await results(path)
    assert.deepEqual(
      items.map(({ to: number, status, message }) => [number, status, message.text]),
      [0, 1, 2].map((n) => [to(n), 'delivered', `Oi Ana ${n}`]),
    )
    const { message } = items[0]
    assert.deepEqual(
      [message.origin, message.campaignId, message.instanceId],
      ['campaign', made.id, instance.id],
    )
    assert.equal(
      (await api.get(`${instance.base}/messages/${message.id}`)).body.campaignId,
      made.id,
    )
  })

  it('a campaign reports the delivery status of each recipient and refunds failed messages', async () => {
    const { begin, show, results, recount, projectId } = await world({ credits: 10 })
    const tails = ['0001', '0002', '0003', '8888']
    const recipients = tails.map((tail, n) => ({
      to: to(n, tail),
      variables: { name: 'Ana' },
      clientReference: `pedido-${n}`,
    }))
    const { path } = await begin({ recipients })
    const items = await results(path)
    assert.deepEqual(
      items.map(({ status, clientReference }) => [status, clientReference]),
      [
        ['read', 'pedido-0'],
        ['sent', 'pedido-1'],
        ['failed', 'pedido-2'],
        ['delivered', 'pedido-3'],
      ],
    )
    assert.equal(items[2].message.error.code, 'NUMBER_NOT_ON_NETWORK')
    assert.equal(items[3].message.clientReference, 'pedido-3')
    assert.equal(await creditsOf(projectId), 7)
    const { counts, creditsUsed } = await show(path)
    assert.equal(creditsUsed, 3)
    assert.deepEqual(await recount(path), { read: 1, sent: 1, failed: 1, delivered: 1 })
    assert.deepEqual(counts, {
      total: 4,
      pending: 0,
      sent: 1,
      delivered: 1,
      read: 1,
      replied: 0,
      failed: 1,
      skipped: 0,
    })
    assert.deepEqual((await results(path, 'status=failed')).length, 1)
  })

  it('a campaign sends a file stored once and any message type that does not refer to another message', async () => {
    const { begin, results, api } = await world()
    const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
    const message = {
      type: 'document',
      media: {
        base64: gif,
        fileName: 'a.gif',
      },
      caption: 'Para {{name}}',
    }
    const { path } = await begin({ message, recipients: people(2) })
    const [first, second] = await results(path)
    assert.deepEqual([first.message.text, second.message.text], ['Para Ana 0', 'Para Ana 1'])
    assert.equal(first.message.media.id, second.message.media.id)
    const poll = { type: 'poll', question: '{{name}}, que horas?', options: ['9h', '14h'] }
    const asked = await begin({ message: poll, recipients: people(1) })
    assert.equal((await results(asked.path))[0].message.poll.question, 'Ana 0, que horas?')
    const bad = { name: 'x', instanceIds: ['x'], message: { type: 'reaction', emoji: 'x' } }
    assert.equal((await api.post('/v1/campaigns', bad)).status, 400)
  })

  it('a campaign is created once for one Idempotency-Key, also if the request is repeated after its time', async () => {
    const { api, body } = await world()
    const scheduledAt = new Date(kit.clock.now() + MINUTE).toISOString()
    const media = { base64: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' }
    const message = { type: 'document', media: { ...media, fileName: 'a.gif' } }
    const asked = body({ scheduledAt, message, recipients: people(1) })
    const headers = { 'idempotency-key': 'novembro-1' }
    const first = await api.post('/v1/campaigns', asked, headers)
    assert.equal(first.status, 201)
    await kit.jump(2 * MINUTE)
    const repeated = await api.post('/v1/campaigns', asked, headers)
    assert.deepEqual([repeated.status, repeated.body], [201, first.body])
    const [files] = await kit.db.system<{ stored: number }[]>`
      select count(*)::int as stored from media where project_id = ${first.body.projectId ?? ''}
        or id = ${first.body.message.media.mediaId}`
    assert.equal(files?.stored, 1)
  })

  it('a campaign that has ended cannot be started or resumed, whatever else it lacks', async () => {
    const { api, begin, show } = await world()
    const { path } = await begin({ recipients: people(1) })
    assert.equal((await show(path)).status, 'COMPLETED')
    for (const action of ['start', 'resume']) {
      const { status, body } = await api.post(`${path}/${action}`)
      assert.deepEqual(
        [status, body.error.message],
        [409, 'a campanha está em COMPLETED: esta ação não se aplica'],
      )
    }
  })

  it('a campaign started with scheduledAt waits until that time', async () => {
    const { draft, api, show } = await world()
    const scheduledAt = new Date(kit.clock.now() + 60 * MINUTE).toISOString()
    const { path } = await draft({ scheduledAt, recipients: people(2) })
    const { body } = await api.post(`${path}/start`)
    assert.deepEqual(
      [body.status, body.scheduledAt, body.startedAt],
      ['SCHEDULED', scheduledAt, null],
    )
    await kit.jump(59 * MINUTE)
    assert.equal((await show(path)).counts.pending, 2)
    await kit.jump(MINUTE)
    assert.equal((await show(path)).status, 'COMPLETED')
  })

  it('a campaign waits a random delay between two messages, independently for each instance', async () => {
    const { begin, results, show, api, instance } = await world()
    const second = await kit.pair(api, 'Segunda')
    const { path } = await begin({
      ...PACED,
      instanceIds: [instance.id, second.id],
      recipients: people(20),
    })
    for (let turn = 0; (await show(path)).status === 'RUNNING' && turn < 400; turn++) {
      await kit.jump(1000)
    }
    assert.equal((await show(path)).status, 'COMPLETED')
    const items = await results(path)
    for (const id of [instance.id, second.id]) {
      const times = items
        .filter(({ message }) => message.instanceId === id)
        .map(({ message }) => Date.parse(message.createdAt))
      assert.ok(times.length >= 5, `instance ${id} sent only ${times.length} messages`)
      const rests = times.slice(1).map((time, n) => time - (times[n] ?? 0))
      assert.ok(Math.min(...rests) >= 8000, `${Math.min(...rests)}`)
      // The test advances the clock in steps of one second.
      assert.ok(Math.max(...rests) <= 27_000, `${Math.max(...rests)}`)
      assert.ok(new Set(rests).size > 1)
    }
  })

  it('a campaign distributes its recipients evenly over its instances', async () => {
    const { begin, results, api, instance } = await world()
    const second = await kit.pair(api, 'Segunda')
    const { path } = await begin({
      instanceIds: [instance.id, second.id],
      recipients: people(10),
    })
    const used = (await results(path)).map(({ message }) => message.instanceId)
    assert.equal(used.filter((id) => id === instance.id).length, 5)
  })

  it('a campaign sends only within its window, on its weekdays and in its time zone', async () => {
    const { begin, show } = await world()
    // It is noon on a Friday in São Paulo: 11:00 in Manaus.
    const friday = kit.clock.now()
    const window = { from: '13:00', to: '14:00', timeZone: 'America/Manaus', weekdays: [1, 5] }
    const pacing = { minDelayMs: 40 * MINUTE, maxDelayMs: 40 * MINUTE, window }
    const { path } = await begin({ pacing, recipients: people(3) })
    const opens = Date.parse('2026-11-20T17:00:00.000Z')
    await kit.jump(opens - kit.clock.now() - 1000)
    assert.equal((await show(path)).counts.pending, 3)
    await kit.jump(1000)
    assert.equal((await show(path)).counts.delivered, 1)
    await kit.jump(40 * MINUTE)
    assert.equal((await show(path)).counts.delivered, 2)
    await kit.jump(40 * MINUTE)
    await kit.jump(60 * 60 * MINUTE)
    assert.equal((await show(path)).counts.delivered, 2)
    const monday = Date.parse('2026-11-23T17:00:00.000Z')
    assert.ok(monday > friday)
    await kit.jump(monday - kit.clock.now())
    assert.equal((await show(path)).status, 'COMPLETED')
  })

  it('the daily limit of an instance applies across campaigns, and sending resumes the next day', async () => {
    const { begin, show } = await world()
    const pacing = { dailyLimitPerInstance: 3 }
    const { path } = await begin({ pacing, recipients: people(2) })
    const other = await begin({ pacing, recipients: people(3, '7777') })
    assert.equal((await show(path)).status, 'COMPLETED')
    assert.equal((await show(other.path)).counts.delivered, 1)
    await kit.jump(24 * 60 * MINUTE)
    assert.equal((await show(other.path)).status, 'COMPLETED')
  })
})

describe('campaign transitions and listing', () => {
  it('pausing, resuming and canceling a campaign takes effect at the exact recipient', async () => {
    const { begin, api, show, results, recount } = await world()
    const { path } = await begin({ ...PACED, recipients: people(6) })
    await kit.jump(25_000)
    const paused = await api.post(`${path}/pause`)
    assert.deepEqual([paused.body.status, paused.body.pause.reason], ['PAUSED', 'USER'])
    assert.equal(paused.body.pause.message, 'pausada a pedido do usuário')
    await kit.jump(10 * MINUTE)
    assert.equal((await show(path)).counts.delivered, 2)
    assert.equal((await api.post(`${path}/resume`)).body.status, 'RUNNING')
    await kit.settle()
    assert.equal((await show(path)).counts.delivered, 3)
    const { body } = await api.post(`${path}/cancel`)
    assert.equal(body.status, 'CANCELED')
    assert.deepEqual([body.counts.skipped, body.counts.pending, body.counts.total], [3, 0, 6])
    await kit.jump(10 * MINUTE)
    assert.deepEqual(await recount(path), { delivered: 3, skipped: 3 })
    const items = await results(path)
    assert.deepEqual(
      items.map(({ reason }) => reason),
      [null, null, null, 'CANCELED', 'CANCELED', 'CANCELED'],
    )
    for (const way of ['start', 'pause', 'resume', 'cancel']) {
      const refused = await api.post(`${path}/${way}`)
      assert.equal(refused.status, 409, way)
    }
    assert.equal((await api.post(`${path}/recipients`, { recipients: people(1) })).status, 409)
  })

  it('a draft can be edited field by field, its message only while it has no recipients', async () => {
    const { draft, api, instance, show } = await world()
    const { path } = await draft()
    const edited = await api.patch(path, {
      name: ' Dezembro ',
      message: { type: 'text', text: 'Olá {{name}}!' },
      scheduledAt: '2199-12-01T12:00:00Z',
      ...PACED,
    })
    assert.equal(edited.status, 200, edited.text)
    assert.deepEqual(
      [edited.body.name, edited.body.message.text, edited.body.scheduledAt],
      ['Dezembro', 'Olá {{name}}!', '2199-12-01T12:00:00.000Z'],
    )
    assert.equal(edited.body.pacing.minDelayMs, 8000)
    const cleared = await api.patch(path, { scheduledAt: 'none', pacing: {} })
    assert.equal(cleared.status, 200, cleared.text)
    assert.equal(cleared.body.scheduledAt, null)
    assert.deepEqual([cleared.body.pacing.maxDelayMs, cleared.body.pacing.window], [0, null])
    assert.equal(cleared.body.name, 'Dezembro')

    for (const wrong of [{}, { name: '' }, { status: 'RUNNING' }, { message: { type: 'text' } }]) {
      assert.equal((await api.patch(path, wrong)).status, 400, JSON.stringify(wrong))
    }
    assert.equal((await api.patch(path, { instanceIds: ['ins_x'] })).status, 404)

    await api.post(`${path}/recipients`, { recipients: people(1) })
    const late = await api.patch(path, { message: { type: 'text', text: 'Outra {{cidade}}' } })
    assert.equal(late.status, 409)
    assert.match(late.body.error.message, /já tem destinatários/)
    assert.equal((await api.patch(path, { name: 'Natal', instanceIds: [instance.id] })).status, 200)
    await api.post(`${path}/start`)
    await kit.settle()
    assert.equal((await show(path)).status, 'COMPLETED')
    assert.equal((await api.patch(path, { name: 'Tarde' })).status, 409)
  })

  it('starting a campaign without recipients or without a connected instance returns 409', async () => {
    const { draft, api, instance } = await world()
    const empty = await draft()
    const refused = await api.post(`${empty.path}/start`)
    assert.equal(refused.status, 409)
    assert.equal(refused.body.error.message, 'a campanha não tem destinatários a enviar')
    const { path } = await draft({ recipients: people(1) })
    await api.post(`${instance.base}/disconnect`)
    const offline = await api.post(`${path}/start`)
    assert.deepEqual([offline.status, offline.body.error.reason], [409, 'INSTANCE_NOT_CONNECTED'])
  })

  it('a campaign or instance of another Project or mode returns 404', async () => {
    const { draft, body, projectId, accountId, email } = await world()
    const { path } = await draft({ recipients: people(1) })
    const other = await world()
    const test = await kit.key({ projectId, accountId, email })
    for (const stranger of [other.api, test]) {
      assert.equal((await stranger.get(path)).status, 404)
      assert.equal((await stranger.get(`${path}/recipients`)).status, 404)
      assert.equal((await stranger.post(`${path}/cancel`)).status, 404)
      assert.equal((await stranger.post(`${path}/recipients`, { recipients: [] })).status, 404)
      const refused = await stranger.post('/v1/campaigns', body())
      assert.equal(refused.body.error.message, 'instância não encontrada')
    }
    const listed = await other.api.get('/v1/campaigns')
    assert.deepEqual(listed.body.items, [])
  })

  it('campaigns are listed newest first and can be filtered by status', async () => {
    const { draft, begin, api } = await world()
    const first = await draft({ name: 'Primeira' })
    const second = await begin({ name: 'Segunda', recipients: people(1) })
    const { body } = await api.get('/v1/campaigns')
    assert.deepEqual(
      body.items.map(({ id }: { id: string }) => id),
      [second.id, first.id],
    )
    const drafts = await api.get('/v1/campaigns?status=DRAFT')
    assert.equal(drafts.body.items.length, 1)
  })
})

describe('campaign prerequisites', () => {
  it('creating, starting or resuming a production campaign requires subscription and add-on; reading and canceling do not', async () => {
    const { api, set, body, draft, begin } = await world()
    const { path } = await draft({ recipients: people(1) })
    const running = await begin({ ...PACED, recipients: people(3) })
    await api.post(`${running.path}/pause`)
    await set('addon.revoke', { addons: [] })
    const calls = () => [
      api.post('/v1/campaigns', body()),
      api.post(`${path}/start`),
      api.post(`${running.path}/resume`),
    ]
    for (const { status, body: answer } of await Promise.all(calls())) {
      assert.equal(status, 402)
      assert.deepEqual(answer.error, {
        code: 'PAYMENT_REQUIRED',
        message: 'é necessário o adicional de disparo em massa',
        reason: 'ADDON_REQUIRED',
      })
    }
    await set('subscription.set', { subscription: 'past_due' })
    for (const { body: answer } of await Promise.all(calls())) {
      assert.equal(answer.error.reason, 'SUBSCRIPTION_REQUIRED')
    }
    assert.equal((await api.get('/v1/campaigns')).status, 200)
    assert.equal((await api.get(path)).status, 200)
    assert.equal((await api.get(`${path}/recipients`)).status, 200)
    assert.equal((await api.post(`${running.path}/cancel`)).status, 200)
    await set('project.usage_mode', { usageMode: 'CRM' })
    assert.equal((await api.get(path)).body.error.reason, 'API_NOT_ENABLED')
  })

  it('a test mode campaign requires neither subscription nor add-on nor credits', async () => {
    const project = await kit.project({ subscribed: false, credits: 0 })
    const api = await kit.key(project)
    const { id } = await kit.pair(api)
    const made = await api.post('/v1/campaigns', {
      name: 'x',
      instanceIds: [id],
      message: { text: 'oi' },
      recipients: people(2),
    })
    assert.deepEqual([made.status, made.body.creditsEstimated], [201, 0])
    assert.equal((await api.post(`/v1/campaigns/${made.body.id}/start`)).status, 200)
    await kit.settle()
    assert.equal((await api.get(`/v1/campaigns/${made.body.id}`)).body.status, 'COMPLETED')
  })

  it('a campaign needs credits for all recipients to start, debits them one by one and pauses when they run out', async () => {
    const { draft, api, show, projectId, instance } = await world({ credits: 3 })
    const poor = await draft({ recipients: people(4) })
    const refused = await api.post(`${poor.path}/start`)
    assert.deepEqual([refused.status, refused.body.error.reason], [402, 'INSUFFICIENT_CREDITS'])
    const { path } = await draft({ ...PACED, recipients: people(3) })
    await api.post(`${path}/start`)
    await kit.settle()
    assert.equal(await creditsOf(projectId), 2)
    await api.post(`${instance.base}/messages`, { to: to(50), text: 'x' })
    await kit.jump(25_000)
    await kit.jump(25_000)
    const paused = await show(path)
    assert.deepEqual([paused.status, paused.pause.reason], ['PAUSED', 'INSUFFICIENT_CREDITS'])
    assert.equal(paused.counts.pending, 1)
    assert.equal((await api.post(`${path}/resume`)).status, 402)
    await kit.operator.billing.grant(kit.db, projectId, 1)
    assert.equal((await api.post(`${path}/resume`)).status, 200)
    await kit.settle()
    assert.equal((await show(path)).status, 'COMPLETED')
    assert.deepEqual([...(await kit.operator.billing.drift(kit.db))], [])
  })
})

describe('automatic campaign pauses', () => {
  it('a campaign pauses when more than 30% of its messages fail, before many more are sent', async () => {
    const { begin, show, api } = await world()
    const { path } = await begin({ recipients: people(200, '0003') })
    const paused = await show(path)
    assert.deepEqual([paused.status, paused.pause.reason], ['PAUSED', 'FAILURE_RATE'])
    assert.equal(paused.pause.willResume, false)
    assert.ok(paused.counts.failed <= 60, `${paused.counts.failed} failed`)
    // Resuming acknowledges the failures: the rate counts from the messages sent after that.
    await api.post(`${path}/resume`)
    await kit.settle()
    const again = await show(path)
    assert.equal(again.pause.reason, 'FAILURE_RATE')
    assert.ok(again.counts.failed > paused.counts.failed)
  })

  it('a campaign pauses when its instance disconnects and resumes when it reconnects', async () => {
    const { begin, show, api, instance } = await world()
    const { path } = await begin({ pacing: { minDelayMs: 1000 }, recipients: people(30) })
    // The simulator's number that drops the connection for five seconds.
    await api.post(`${instance.base}/messages`, { to: '5511988880006', text: 'x' })
    await kit.settle()
    await kit.jump(1000)
    const paused = await show(path)
    assert.deepEqual([paused.status, paused.pause.reason], ['PAUSED', 'INSTANCE_NOT_CONNECTED'])
    assert.equal(paused.pause.willResume, true)
    await kit.jump(5000)
    await kit.jump(1000)
    assert.equal((await show(path)).status, 'RUNNING')
  })

  it('a campaign pauses when its instance is logged out and does not resume by itself', async () => {
    const { begin, show, api, instance } = await world()
    const { path } = await begin({ ...PACED, recipients: people(3) })
    await api.post(`${instance.phoneBase}/unpair`)
    await kit.settle()
    await kit.jump(25_000)
    const paused = await show(path)
    assert.deepEqual([paused.status, paused.pause.reason], ['PAUSED', 'INSTANCE_NOT_CONNECTED'])
    assert.equal(paused.pause.willResume, false)
    assert.equal((await api.post(`${path}/resume`)).status, 409)
  })

  it('a campaign pauses when its API key is revoked, until it is resumed with another key', async () => {
    const { begin, show, api, email, accountId, projectId } = await world()
    const { path } = await begin({ ...PACED, recipients: people(2) })
    const user = await kit.login({ email, accountId, projectId }, 'production')
    const other = await kit.key({ email, accountId, projectId }, 'production')
    const again = await kit.login({ email, accountId, projectId }, 'production')
    assert.equal((await user.delete(`/v1/keys/${api.keyId}`)).status, 401)
    assert.equal((await again.delete(`/v1/keys/${api.keyId}`)).status, 204)
    await kit.jump(25_000)
    const { body: paused } = await other.get(path)
    assert.deepEqual([paused.status, paused.pause.reason], ['PAUSED', 'KEY_REFUSED'])
    assert.equal((await other.post(`${path}/resume`)).status, 200)
    await kit.settle()
    assert.equal((await other.get(path)).body.status, 'COMPLETED')
    assert.equal((await show(path)).error.message, 'chave de API revogada')
  })

  it('a campaign pauses when the subscription or add-on ends or the Project is suspended', async () => {
    const { begin, show, set } = await world()
    const { path } = await begin({ ...PACED, recipients: people(9) })
    await set('subscription.set', { subscription: 'canceled' })
    await kit.jump(25_000)
    assert.equal((await show(path)).pause.reason, 'SUBSCRIPTION_REQUIRED')
    const second = await world()
    const other = await second.begin({ ...PACED, recipients: people(9) })
    await second.set('addon.revoke', { addons: [] })
    await kit.jump(25_000)
    assert.equal((await second.show(other.path)).pause.reason, 'ADDON_REQUIRED')
    const third = await world()
    const last = await third.begin({ ...PACED, recipients: people(9) })
    await third.set('project.suspend', { status: 'SUSPENDED' })
    await kit.jump(25_000)
    await third.set('project.activate', { status: 'ACTIVE' })
    assert.equal((await third.show(last.path)).pause.reason, 'PROJECT_INACTIVE')
  })

  it('a test mode campaign pauses when the daily cap is reached, until midnight in São Paulo', async () => {
    const { begin, show } = await world({ mode: 'test' })
    const { path } = await begin({ recipients: people(103) })
    const paused = await show(path)
    assert.deepEqual([paused.status, paused.pause.reason], ['PAUSED', 'DAILY_CAP_REACHED'])
    assert.deepEqual([paused.counts.delivered, paused.pause.willResume], [100, true])
    await kit.jump(24 * 60 * MINUTE)
    const done = await show(path)
    assert.deepEqual([done.status, done.counts.delivered], ['COMPLETED', 103])
  })
})

describe('campaign recipients', () => {
  it('a recipient who replies is counted once as replied, whatever receipts follow', async () => {
    const { begin, api, show, results, instance } = await world()
    const ana = await kit.phone(api)
    const { path } = await begin({ recipients: [{ to: ana.phone, variables: { name: 'Ana' } }] })
    const [{ message }] = (await results(path)) as [{ message: { waMessageId: string } }]
    await api.post(`${ana.base}/messages`, { to: instance.phone, text: 'obrigada!' })
    await kit.settle()
    assert.equal((await show(path)).counts.replied, 1)
    await api.post(`${ana.base}/read`, { waMessageIds: [message.waMessageId] })
    await api.post(`${ana.base}/messages`, { to: instance.phone, text: 'e mais' })
    await kit.settle()
    const { counts } = await show(path)
    assert.deepEqual([counts.replied, counts.read, counts.total], [1, 0, 1])
    assert.equal((await results(path))[0].message.status, 'read')
  })

  it('a recipient who opts out is skipped by campaigns until they opt in again', async () => {
    const { begin, api, show, results, instance, recount } = await world()
    const ana = await kit.phone(api)
    const recipients = [{ to: ana.phone, variables: { name: 'Ana' } }, ...people(1)]
    await begin({ recipients })
    const replyAs = async (text: string) => {
      await api.post(`${ana.base}/messages`, { to: instance.phone, text })
      await kit.settle()
    }
    await replyAs('quero sair mais tarde')
    const between = await begin({ recipients })
    assert.equal((await show(between.path)).counts.skipped, 0)
    await replyAs(' Sair! ')
    const { path } = await begin({ recipients })
    assert.deepEqual(await recount(path), { skipped: 1, delivered: 1 })
    assert.equal((await results(path))[0].reason, 'OPTED_OUT')
    const done = await show(path)
    assert.deepEqual([done.status, done.creditsUsed], ['COMPLETED', 1])
    // The opt-out applies to campaigns only: individual messages are still accepted.
    assert.equal(
      (await api.post(`${instance.base}/messages`, { to: ana.phone, text: 'x' })).status,
      201,
    )
    // Also listed under the LID, by the team.
    const [row] = await kit.db.system`select lid from contact where instance_id = ${instance.id}`
    await api.post('/v1/opt-outs', { phones: [String(row?.['lid'])] })
    await replyAs('VOLTAR')
    const again = await begin({ recipients })
    assert.equal((await show(again.path)).counts.skipped, 0)
  })

  it('a campaign counts a queued message that is canceled as failed and completes', async () => {
    const { begin, api, show, results, instance } = await world()
    await api.patch(instance.base, { settings: { sendDelayMinMs: 60_000, sendDelayMaxMs: 60_000 } })
    const { path } = await begin({ recipients: people(3) })
    const waiting = (await results(path, 'status=pending')) as { message: { id: string } }[]
    assert.equal(waiting.length, 2)
    assert.equal((await show(path)).counts.pending, 2)
    for (const { message } of waiting) {
      await api.delete(`${instance.base}/messages/${message.id}`)
    }
    await kit.settle()
    const { counts, status } = await show(path)
    assert.deepEqual([counts.delivered, counts.failed, status], [1, 2, 'COMPLETED'])
  })
})
