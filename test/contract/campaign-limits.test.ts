// Isolation of campaigns from one another, from their instances and from other messages.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { findDue, orderByTurn, postponeCampaign } from '../../src/campaigns/campaigns.sql.ts'
import { applyReceipts } from '../../src/messaging/messages/outbound.sql.ts'
import { campaignWorld, people, to } from '../kit/campaign.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())
const world = (options?: Parameters<typeof campaignWorld>[1]) => campaignWorld(kit, options)
const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
const MINUTE = 60_000

/** Starts a campaign whose second message waits an hour, and returns its id. */
async function startSlow({ draft, api }: Awaited<ReturnType<typeof world>>): Promise<string> {
  const { id, path } = await draft({ recipients: people(2), pacing: { minDelayMs: 36e5 } })
  await api.post(`${path}/start`)
  await kit.settle()
  return String(id)
}

describe('concurrent campaigns', () => {
  it('concurrent campaigns share the daily limit of an instance', async () => {
    const { draft, api, show } = await world()
    const opens = new Date(kit.clock.now() + 10 * MINUTE).toISOString()
    const drafts = []
    for (const tail of ['1111', '2222', '3333', '4444']) {
      drafts.push(
        await draft({
          scheduledAt: opens,
          recipients: people(10, tail),
          pacing: { dailyLimitPerInstance: 10 },
        }),
      )
    }
    for (const { path } of drafts) assert.equal((await api.post(`${path}/start`)).status, 200)
    await kit.jump(10 * MINUTE)
    await kit.jump(1000)
    let sent = 0
    for (const { path } of drafts) sent += (await show(path)).counts.delivered
    assert.equal(sent, 10)
  })

  it('scheduled campaigns whose step failed stay scheduled, and do not hold up the others of their Project', async () => {
    const { api, draft, begin, show } = await world()
    const at = new Date(kit.clock.now() + 7 * 24 * 3600_000)
    const ids: string[] = []
    for (let n = 0; n < 2; n++) {
      const { id, path } = await draft({ recipients: people(2), scheduledAt: at.toISOString() })
      await api.post(`${path}/start`)
      ids.push(id)
    }
    const dueAt = async () => {
      const rows = await kit.db.system<
        { dueAt: Date }[]
      >`select due_at from campaign where id = any(${ids})`
      return rows.map((row) => row.dueAt)
    }
    for (const id of ids) await postponeCampaign(kit.db, id, new Date(kit.clock.now() + MINUTE))
    assert.deepEqual(await dueAt(), [at, at])
    // What earlier versions left behind.
    await kit.db
      .system`update campaign set due_at = ${new Date(kit.clock.now())} where id = any(${ids})`
    const { path } = await begin({ pacing: { minDelayMs: 10_000 }, recipients: people(3) })
    for (let turn = 0; turn < 10; turn++) await kit.jump(10_000)
    assert.equal((await show(path)).status, 'COMPLETED')
    assert.deepEqual(await dueAt(), [at, at])
  })

  it('many waiting campaigns of one Project do not delay campaigns of another', async () => {
    const crowd = await world()
    for (let n = 0; n < 70; n++) {
      const { path } = await crowd.draft({
        recipients: people(2),
        pacing: { minDelayMs: 36e5 },
      })
      await crowd.api.post(`${path}/start`)
    }
    await crowd.api.post(`${crowd.instance.base}/messages`, { to: '5511988880006', text: 'x' })
    await kit.settle()
    const { begin, show } = await world()
    const { path } = await begin({ pacing: { minDelayMs: 1000 }, recipients: people(5) })
    for (let turn = 0; turn < 4; turn++) await kit.jump(1000)
    assert.equal((await show(path)).status, 'COMPLETED')
  })

  it('a Project with many due campaigns yields to other Projects, and reports that more of its own are due', async () => {
    const [crowd, one] = [await world(), await world()]
    const crowded = [await startSlow(crowd), await startSlow(crowd), await startSlow(crowd)]
    const alone = await startSlow(one)
    const ids = [...crowded, alone]
    for (const [index, id] of ids.entries())
      await kit.db.system`
        update campaign set due_at = ${new Date(kit.clock.now() - 10_000 + index)} where id = ${id}`
    const found = await findDue(kit.db, new Date(kit.clock.now()), { most: 64, perProject: 2 })
    assert.deepEqual(
      found.filter(({ id }) => ids.includes(id)).map(({ id, hasMore }) => [id, hasMore]),
      [
        [crowded[0], false],
        [alone, false],
        [crowded[1], true],
      ],
    )
  })

  it('campaigns that an instance or a result wakes take turns with those of other Projects', async () => {
    const [crowd, one] = [await world(), await world()]
    const crowded = [await startSlow(crowd), await startSlow(crowd), await startSlow(crowd)]
    const [alone, { id: draft }] = [await startSlow(one), await one.draft()]
    const [second = '', first = '', third = ''] = crowded
    const named = [first, second, third, String(draft), 'cmp_unknown', alone]
    assert.deepEqual(
      (await orderByTurn(kit.db, named)).map(({ id, turn }) => [id, turn]),
      [
        [first, 1],
        [alone, 1],
        [second, 2],
        [third, 3],
      ],
    )
  })

  it('an instance that changes advances every campaign that it sends, few at a time', async () => {
    const { api, instance, draft, show } = await world()
    const paths: string[] = []
    for (let n = 0; n < 7; n++) {
      const { path } = await draft({ recipients: people(1, `666${n}`) })
      paths.push(path)
    }
    await kit.db.system`update instance set restriction = '{"until":"x"}' where id = ${instance.id}`
    for (const path of paths) await api.post(`${path}/start`)
    await kit.settle()
    for (const path of paths) assert.equal((await show(path)).status, 'PAUSED')
    await kit.db.system`update instance set restriction = null where id = ${instance.id}`
    assert.equal((await api.patch(instance.base, { name: 'Outra' })).status, 200)
    await kit.settle()
    for (const path of paths) assert.equal((await show(path)).status, 'COMPLETED')
  })

  it('a campaign with very many recipients is canceled at once, and its recipients are skipped in steps', async () => {
    const { draft, api, show } = await world()
    const { id, path } = await draft({ recipients: people(1) })
    await kit.db.patient.system`
      insert into campaign_recipient
      select (jsonb_populate_record(r, jsonb_build_object('position', r.position + n, 'person', r.person || n))).*
      from campaign_recipient r, generate_series(1, 45000) n where r.campaign_id = ${id}`
    await kit.db.system`update campaign_count set pending = 45001 where campaign_id = ${id}`
    const { status, body } = await api.post(`${path}/cancel`)
    assert.deepEqual([status, body.status, body.counts.skipped], [200, 'CANCELED', 20_000])
    await kit.settle()
    const { counts } = await show(path)
    assert.deepEqual([counts.skipped, counts.pending], [45_001, 0])
  })

  it('a Project has at most a hundred active campaigns and a thousand in total', async () => {
    const { draft, api, projectId, body } = await world()
    const { path } = await draft({ recipients: people(1) })
    await kit.db.system`
      insert into campaign (id, project_id, mode, charged, name, instance_ids, message, status, created_at,
        updated_at)
      select 'cmp_x' || n, ${projectId}, 'production', true, 'x', '{}', '{}',
        case when n <= 100 then 'PAUSED' else 'DRAFT' end, now(), now() from generate_series(1, 999) n`
    const refused = await api.post(`${path}/start`)
    assert.equal(refused.body.error.message, 'limite de 100 campanhas em andamento atingido')
    assert.equal((await api.post('/v1/campaigns', body())).status, 400)
  })

  it('concurrent creation of campaigns with files succeeds', async () => {
    const { api, body } = await world()
    const message = { type: 'document', media: { base64: GIF, fileName: 'a.gif' } }
    const made = await Promise.all(
      Array.from({ length: 30 }, () => api.post('/v1/campaigns', body({ message }))),
    )
    assert.deepEqual([...new Set(made.map(({ status }) => status))], [201])
  })

  it('importing a long recipient list does not delay messages of other Projects', async () => {
    const { begin, api, show } = await world()
    const other = await world()
    const { path } = await begin({ pacing: { minDelayMs: 60_000 }, recipients: people(2) })
    const lines = Array.from({ length: 30_000 }, (_, n) => `5511${800_000_000 + n},Ana`)
    const reading = api.call('POST', `${path}/recipients`, {
      body: `to,name\n${lines.join('\n')}\n`,
      headers: { 'content-type': 'text/csv' },
    })
    let read = false
    void reading.then(() => (read = true))
    let delivered = 0
    for (; !read; delivered++) {
      const sent = await other.api.post(`${other.instance.base}/messages`, { to: to(1), text: 'x' })
      const state = async () =>
        (await other.api.get(`${other.instance.base}/messages/${sent.body.id}`)).body.status
      while ((await state()) !== 'delivered')
        assert.ok(!read, `message ${sent.body.id} was not delivered before the import ended`)
      if (delivered === 3) break
    }
    assert.equal((await reading).body.added, 30_000)
    assert.ok(delivered > 0)
    assert.equal((await show(path)).counts.total, 30_002)
  })
})

describe('campaigns and instance state', () => {
  it('a campaign on an instance with a send delay queues at most two messages past the end of its window', async () => {
    const { api, instance, begin, show } = await world()
    const settings = { sendDelayMinMs: MINUTE, sendDelayMaxMs: MINUTE }
    await api.patch(instance.base, { settings })
    // A window of five minutes that starts at noon in São Paulo.
    const start = new Date(kit.clock.now()).toISOString().slice(11, 16)
    const end = new Date(kit.clock.now() + 5 * MINUTE).toISOString().slice(11, 16)
    const window = { from: start, to: end, timeZone: 'UTC' }
    const { path } = await begin({ pacing: { window }, recipients: people(50) })
    for (let turn = 0; turn < 5; turn++) await kit.jump(MINUTE)
    const { delivered } = (await show(path)).counts
    for (let turn = 0; turn < 20; turn++) await kit.jump(MINUTE)
    const late = (await show(path)).counts.delivered - delivered
    assert.ok(delivered >= 4 && late <= 2, `${delivered}, then ${late}`)
  })

  it('a campaign whose messages are typed queues few of them, so that none outlasts its window and others pass', async () => {
    const { api, instance, draft, show } = await world()
    const message = { type: 'text', text: 'Oi, {{name}}', typingMs: 20_000 }
    const { path } = await draft({ message, recipients: people(12) })
    await api.post(`${path}/start`)
    let most = 0
    for (;;) {
      if ((await show(path)).status === 'COMPLETED') break
      const queued = await api.get(`${instance.base}/messages?status=queued`)
      most = Math.max(most, queued.body.items.length)
      // Each message takes its time, and nothing settles meanwhile.
      kit.clock.jump(5000)
    }
    assert.ok(most > 0 && most <= 3, `${most} queued`)
  })

  it('a campaign whose last messages leave while it is paused completes when it is resumed', async () => {
    const { api, begin, show } = await world()
    const { path } = await begin({ recipients: people(3) })
    await api.post(`${path}/pause`)
    for (let turn = 0; turn < 3; turn++) await kit.jump(MINUTE)
    const { status, counts } = await show(path)
    if (status === 'PAUSED') {
      assert.equal(counts.delivered, 3)
      assert.equal((await api.post(`${path}/resume`)).body.status, 'COMPLETED')
    }
    assert.equal((await show(path)).status, 'COMPLETED')
  })

  it('a campaign on an instance with a pace follows it, and queues at most twenty messages past the limit', async () => {
    const { api, instance, begin, show, results } = await world()
    await api.patch(instance.base, { settings: { pace: 'normal' } })
    const { path } = await begin({
      pacing: { maxDelayMs: 1000, minDelayMs: 1000 },
      recipients: people(30),
    })
    for (let turn = 0; turn < 120; turn++) await kit.jump(5000)
    const { counts } = await show(path)
    // Ten minutes, with 8 to 25 s between two chats.
    const least = 600 / 25 - 2
    assert.ok(counts.delivered >= least && counts.delivered <= 30, JSON.stringify(counts))
    const [first] = await results(path)
    assert.equal(first?.status, 'delivered')
    const later = new Date(kit.clock.now() + 24 * 3600_000)
    await kit.db.system`update pace set free_at = ${later} where instance_id = ${instance.id}`
    const again = await begin({ name: 'Outra', recipients: people(30, '7777') })
    for (let turn = 0; turn < 60; turn++) await kit.jump(5000)
    const held = (await show(again.path)).counts
    assert.ok(held.delivered === 0 && held.pending >= 10, JSON.stringify(held))
  })

  it('a campaign on an instance with a pace queues at most two messages past the end of its window', async () => {
    const { api, instance, begin, show } = await world()
    await api.patch(instance.base, { settings: { pace: 'normal' } })
    const start = new Date(kit.clock.now()).toISOString().slice(11, 16)
    const end = new Date(kit.clock.now() + 5 * MINUTE).toISOString().slice(11, 16)
    const window = { from: start, to: end, timeZone: 'UTC' }
    const { path } = await begin({ pacing: { window }, recipients: people(50) })
    for (let turn = 0; turn < 60; turn++) await kit.jump(5000)
    const { delivered } = (await show(path)).counts
    for (let turn = 0; turn < 120; turn++) await kit.jump(5000)
    const late = (await show(path)).counts.delivered - delivered
    assert.ok(delivered >= 4 && late <= 2, `${delivered}, then ${late}`)
  })

  it('a paused campaign will resume automatically exactly when its instance will reconnect automatically', async () => {
    const gaveUp = { reason: 'network', at: 'x', willReconnect: false }
    const cases = [
      { status: 'DISCONNECTED', disconnect: gaveUp, restriction: null, willResume: false },
      { status: 'DISCONNECTED', disconnect: null, restriction: null, willResume: true },
      { status: 'BANNED', disconnect: null, restriction: { until: 'x' }, willResume: true },
      { status: 'BANNED', disconnect: null, restriction: null, willResume: false },
    ]
    for (const { status, disconnect, restriction, willResume } of cases) {
      const { begin, show, instance } = await world()
      const { path } = await begin({ pacing: { minDelayMs: 1000 }, recipients: people(30) })
      await kit.db.system`
        update instance set status = ${status}, disconnect = ${disconnect && kit.db.sql.json(disconnect)},
          restriction = ${restriction && kit.db.sql.json(restriction)}
        where id = ${instance.id}`
      await kit.jump(1000)
      const { pause } = await show(path)
      assert.deepEqual([pause?.reason, pause?.willResume], ['INSTANCE_NOT_CONNECTED', willResume])
    }
  })

  it('failures while the instance was disconnected do not count toward the failure rate of a campaign', async () => {
    const { begin, show, instance } = await world()
    const { path } = await begin({ pacing: { minDelayMs: 1000 }, recipients: people(60) })
    for (let turn = 0; turn < 5; turn++) await kit.jump(1000)
    await kit.db.system`
      update instance set status = 'DISCONNECTED', disconnected_at = ${new Date(kit.clock.now())}
      where id = ${instance.id}`
    await kit.jump(1000)
    const { id } = (await show(path)) as { id: string }
    // Enough failures to pause the campaign if it had been running.
    await kit.db.system`
      update campaign_recipient set status = 'failed'
      where campaign_id = ${id} and status = 'pending' and position > 30`
    await kit.db.system`update instance set status = 'CONNECTED' where id = ${instance.id}`
    await kit.jump(60_000)
    assert.equal((await show(path)).status, 'RUNNING')
  })
})

describe('campaign charges and recipients', () => {
  it('starting a campaign during an import waits for it and requires credits for all imported recipients', async () => {
    const { draft, api } = await world({ credits: 1 })
    const { path } = await draft()
    const lines = Array.from({ length: 5000 }, (_, n) => `5511${700_000_000 + n},Ana`)
    const reading = api.call('POST', `${path}/recipients`, {
      body: `to,name\n${lines.join('\n')}\n`,
      headers: { 'content-type': 'text/csv' },
    })
    // Wait until the import holds the lock.
    for (;;) {
      const [row] = await kit.db.system<{ waits: boolean }[]>`
        select exists (select 1 from pg_stat_activity where state <> 'idle'
          and query like '%insert into campaign_recipient%' and datname = current_database()
          and pid <> pg_backend_pid()) as waits`
      if (row?.waits) break
    }
    const started = await api.post(`${path}/start`)
    await reading
    assert.deepEqual([started.status, started.body.error?.reason], [402, 'INSUFFICIENT_CREDITS'])
  })

  it('recipients that an API key adds to a panel campaign are charged', async () => {
    const { draft, api, show } = await world()
    const { path, id } = await draft()
    await kit.db.system`update campaign set charged = false, key_id = null where id = ${id}`
    await api.post(`${path}/recipients`, { recipients: people(2) })
    assert.equal((await show(path)).creditsEstimated, 2)
  })

  it('a campaign recognizes duplicate and opted-out recipients by phone number and by LID', async () => {
    const { api, instance, begin, results } = await world()
    const ana = await kit.phone(api)
    const bia = await kit.phone(api)
    const known = await begin({
      recipients: [ana, bia].map(({ phone }) => ({ to: phone, variables: { name: 'x' } })),
    })
    assert.equal((await results(known.path)).length, 2)
    for (const { base } of [ana, bia]) {
      await api.post(`${base}/messages`, { to: instance.phone, text: 'oi' })
    }
    await api.post(`${ana.base}/messages`, { to: instance.phone, text: 'sair' })
    await kit.settle()
    const contacts = (await api.get(`${instance.base}/contacts`)).body.items as {
      contact?: { phone: string; lid: string }
      phone?: string
      lid?: string
    }[]
    const lidOf = (phone: string) => {
      const found = contacts.find((one) => (one.contact?.phone ?? one.phone) === phone)
      return found?.contact?.lid ?? found?.lid ?? ''
    }
    const { path } = await begin({
      recipients: [lidOf(ana.phone), bia.phone, lidOf(bia.phone)].map((number) => ({
        to: number,
        variables: { name: 'x' },
      })),
    })
    assert.deepEqual(
      (await results(path)).map(({ status, reason }) => [status, reason]),
      [
        ['skipped', 'OPTED_OUT'],
        ['delivered', null],
        ['skipped', 'DUPLICATE'],
      ],
    )
  })
})

describe('receipt batches', () => {
  it('receipts applied in one batch yield the same status as receipts applied one by one', async () => {
    const { api, instance } = await world()
    await api.patch(instance.base, { settings: { sendDelayMinMs: 1, sendDelayMaxMs: 1 } })
    const statuses = ['sent', 'delivered', 'read', 'failed'] as const
    const orders = statuses.flatMap((a) => statuses.flatMap((b) => statuses.map((c) => [a, b, c])))
    const place = async () => {
      const { body } = await api.post(`${instance.base}/messages`, {
        to: to(7),
        text: 'x',
        delayMs: 6e4,
      })
      return body as { id: string; waMessageId: string; chat: { id: string } }
    }
    const input = ({ waMessageId, chat }: Awaited<ReturnType<typeof place>>, status: string) => ({
      instanceId: instance.id,
      waMessageId,
      chatId: chat.id,
      at: new Date(kit.clock.now()),
      status: status as 'sent',
      partyPhone: null,
      partyLid: null,
      partyName: null,
      wasAccepted: false,
      error:
        status === 'failed'
          ? {
              code: 'UNKNOWN' as const,
              retryable: false,
            }
          : null,
    })
    for (const order of orders.slice(0, 64)) {
      const [together, apart] = [await place(), await place()]
      await applyReceipts(
        kit.db,
        order.map((status) => input(together, status)),
      )
      for (const status of order) await applyReceipts(kit.db, [input(apart, status)])
      const rows = await kit.db.system<{ status: string }[]>`
        select status from message where id = any(${[together.id, apart.id]})`
      assert.equal(new Set(rows.map(({ status }) => status)).size, 1, order.join(' '))
    }
  })
})
