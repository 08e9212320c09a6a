// The pace of an instance: messages that start a chat wait; all others are sent immediately.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const stranger = (index: number) => `55119777${21_000 + index}`

async function ready(pace: 'safe' | 'normal' | 'off') {
  const project = await kit.project()
  const api = await kit.key(project)
  const instance = await kit.pair(api)
  const changed = await api.patch(instance.base, { settings: { pace } })
  assert.equal(changed.body.settings.pace, pace)
  await kit.settle()
  const send = (to: string, more: object = {}) =>
    api.post(`${instance.base}/messages`, { to, text: 'oi', ...more })
  const statuses = async () => {
    const { body } = await api.get(`${instance.base}/messages?direction=outbound&limit=100`)
    return (body.items as { status: string; to: { phone: string } }[]).toReversed()
  }
  /** How many messages have been sent. */
  const left = async () => (await statuses()).filter(({ status }) => status !== 'queued').length
  return { project, api, instance, send, statuses, left }
}

/** Advances the clock in steps, so that messages are sent when they become due. */
async function pass(ms: number, step = 15 * SECOND_MS) {
  for (let passed = 0; passed < ms; passed += step) {
    await kit.jump(step)
    await kit.settle()
  }
}

describe('the pace of an instance', () => {
  it('an instance with a pace starts chats one at a time with a pause after each, and sends replies immediately', async () => {
    const { api, instance, send, left, statuses } = await ready('safe')
    const ana = await kit.phone(api, { name: 'Ana' })
    await api.post(`${ana.base}/messages`, { to: instance.phone, text: 'oi' })
    await kit.settle()
    for (let index = 0; index < 4; index++) assert.equal((await send(stranger(index))).status, 201)
    await kit.settle()
    assert.equal(await left(), 1)
    // Those who have written do not wait behind the others.
    await send(ana.phone)
    await kit.settle()
    const [first, second, , , answer] = await statuses()
    assert.notEqual(first?.status, 'queued')
    assert.equal(second?.status, 'queued')
    assert.notEqual(answer?.status, 'queued')
    // A second message to a chat that has begun follows at once.
    await send(stranger(0))
    await kit.settle()
    assert.equal(await left(), 3)
    await pass(18 * SECOND_MS, SECOND_MS)
    assert.equal(await left(), 3)
    await pass(3 * MINUTE_MS)
    assert.equal(await left(), 6)
  })

  it('an instance with a pace starts chats in the order of acceptance, and keeps the order within each', async () => {
    const { send, statuses } = await ready('normal')
    for (let index = 0; index < 12; index++) await send(stranger(index))
    await send(stranger(5), { text: 'e mais uma coisa' })
    await pass(4 * MINUTE_MS, 3 * SECOND_MS)
    // Written when its chat has begun in between, or still waits.
    await send(stranger(11), { text: 'outra' })
    await pass(4 * MINUTE_MS, 3 * SECOND_MS)
    const sent = (await statuses()) as unknown as { to: { phone: string }; sentAt: string }[]
    assert.ok(sent.every(({ sentAt }) => sentAt))
    const firsts = sent
      .slice(0, 12)
      .toSorted((one, other) => one.sentAt.localeCompare(other.sentAt))
    assert.deepEqual(
      firsts.map(({ to }) => to.phone),
      Array.from({ length: 12 }, (_, index) => stranger(index)),
    )
    for (const [earlier, later] of [
      [5, 12],
      [11, 13],
    ] as const)
      assert.ok((sent[earlier]?.sentAt ?? '') <= (sent[later]?.sentAt ?? ''))
  })

  it('messages that wait to start a chat are sent once its contact has written', async () => {
    const { api, instance, send, statuses, left } = await ready('safe')
    const ana = await kit.phone(api, { name: 'Ana' })
    await send(stranger(0))
    await send(ana.phone, { text: 'primeira' })
    await kit.settle()
    assert.equal(await left(), 1)
    await api.post(`${ana.base}/messages`, { to: instance.phone, text: 'oi' })
    await kit.settle()
    await send(ana.phone, { text: 'resposta' })
    await pass(4 * SECOND_MS, SECOND_MS)
    const sent = (await statuses()) as unknown as { text: string; sentAt: string }[]
    const [, first, reply] = sent
    assert.deepEqual([first?.text, reply?.text], ['primeira', 'resposta'])
    assert.ok(first?.sentAt && reply?.sentAt && first.sentAt <= reply.sentAt)
  })

  it('a failed message counts as no started chat, and a retried one as one', async () => {
    const { api, instance, send, left, statuses } = await ready('safe')
    const failed = '5511977770003'
    await send(failed)
    await kit.settle()
    assert.equal((await statuses())[0]?.status, 'failed')
    await send(failed)
    await kit.settle()
    assert.equal((await statuses())[1]?.status, 'queued')
    // A message that fails between the claim and the decision is decided again.
    await kit.db.system`alter table pace rename to pace_away`
    for (let index = 0; index < 3; index++) await send(stranger(index))
    await kit.jump(SECOND_MS)
    await kit.settle()
    await kit.db.system`alter table pace_away rename to pace`
    await pass(10 * SECOND_MS, SECOND_MS)
    assert.equal(await left(), 1)
    const { pacing } = (await api.get(`${instance.base}/health`)).body
    assert.deepEqual([pacing.startedToday, pacing.waiting], [1, 4])
  })

  it('replies are not delayed by the pause between sends while messages to new contacts wait', async () => {
    const { api, instance, send, statuses } = await ready('safe')
    const ana = await kit.phone(api, { name: 'Ana' })
    await api.post(`${ana.base}/messages`, { to: instance.phone, text: 'oi' })
    await api.patch(instance.base, { settings: { sendDelayMinMs: 60_000, sendDelayMaxMs: 60_000 } })
    for (let index = 0; index < 8; index++) await send(stranger(index))
    await send(ana.phone)
    await pass(90 * SECOND_MS, 3 * SECOND_MS)
    assert.notEqual((await statuses()).at(-1)?.status, 'queued')
  })

  it('an instance with a pace starts chats up to its daily limit, and the others on the next day, within its hours', async () => {
    const { api, instance, send, left } = await ready('safe')
    for (let index = 0; index < 25; index++) await send(stranger(index))
    await pass(40 * MINUTE_MS)
    assert.equal(await left(), 20)
    const { pacing } = (await api.get(`${instance.base}/health`)).body
    const { pace, startedToday, mostPerDay, waiting, nextAt } = pacing
    assert.deepEqual([pace, startedToday, mostPerDay, waiting], ['safe', 20, 20, 5])
    // Eight in the morning in São Paulo.
    assert.match(nextAt, /^2026-11-2\dT11:/)
    await pass(18 * HOUR_MS, HOUR_MS)
    assert.equal(await left(), 20)
    await pass(2 * HOUR_MS, MINUTE_MS)
    assert.equal(await left(), 25)
  })

  it('with overPace set to refuse, a message that would have to wait for another day is rejected', async () => {
    const { send, left } = await ready('safe')
    for (let index = 0; index < 20; index++)
      assert.equal((await send(stranger(index), { overPace: 'refuse' })).status, 201)
    await kit.settle()
    const refused = await send(stranger(20), { overPace: 'refuse' })
    assert.equal(refused.status, 429)
    assert.equal(refused.body.error.reason, 'PACE_LIMIT')
    // Until eight in the morning of the next day.
    const opens = new Date(kit.clock.now() + Number(refused.headers['retry-after']) * SECOND_MS)
    assert.match(opens.toISOString(), /T11:00:00/)
    assert.ok(opens.getTime() - kit.clock.now() > 12 * HOUR_MS)
    // The chat has begun, so nothing is refused.
    assert.equal((await send(stranger(0), { overPace: 'refuse' })).status, 201)
    await pass(40 * MINUTE_MS)
    assert.equal(await left(), 21)
    assert.equal((await send(stranger(0), { overPace: 'agora' })).status, 400)
  })

  it('messages that wait for the pace of an instance fail soon after it was logged out', async () => {
    const { api, instance, send, statuses } = await ready('safe')
    for (let index = 0; index < 3; index++) await send(stranger(index))
    await kit.settle()
    await api.post(`${instance.base}/logout`)
    await kit.settle()
    await pass(11 * MINUTE_MS)
    const ended = (await statuses()) as unknown as { error: { code: string } | null }[]
    assert.deepEqual(
      ended.map(({ error }) => error?.code ?? null),
      [null, 'INSTANCE_OFFLINE', 'INSTANCE_OFFLINE'],
    )
  })

  it('messages that wait for the pace of an instance stay while it is stopped or banned for a time', async () => {
    const { api, instance, send, statuses } = await ready('safe')
    for (let index = 0; index < 3; index++) await send(stranger(index))
    await kit.settle()
    await api.post(`${instance.base}/disconnect`)
    await kit.settle()
    await pass(11 * MINUTE_MS)
    const until = new Date(kit.clock.now() + 24 * HOUR_MS).toISOString()
    await kit.db.system`
      update instance set status = 'BANNED',
        restriction = ${kit.db.sql.json({ type: 'ban', until })} where id = ${instance.id}`
    await pass(11 * MINUTE_MS)
    assert.deepEqual(
      (await statuses()).map(({ status }) => status).filter((status) => status === 'failed'),
      [],
    )
  })

  it('all waiting messages are sent when the pace is switched off', async () => {
    const { api, instance, send, left } = await ready('safe')
    for (let index = 0; index < 5; index++) await send(stranger(index))
    await kit.settle()
    assert.equal(await left(), 1)
    await api.patch(instance.base, { settings: { pace: 'off' } })
    await kit.settle()
    await pass(5 * SECOND_MS, SECOND_MS)
    assert.equal(await left(), 5)
  })

  it('the pace is off for an instance created before the setting existed', async () => {
    const { api, instance, send, left } = await ready('safe')
    await kit.db.system`
      update instance set settings = settings - 'pace' - 'historySync' where id = ${instance.id}`
    await pass(5 * SECOND_MS, SECOND_MS)
    for (let index = 0; index < 3; index++) await send(stranger(index))
    await kit.settle()
    assert.equal(await left(), 3)
    const { settings } = (await api.get(instance.base)).body
    assert.deepEqual([settings.pace, settings.historySync], ['off', 'none'])
  })

  it('a message that has waited seven days for the pace fails, and a short time offline fails none', async () => {
    const { api, instance, send, statuses } = await ready('safe')
    for (let index = 0; index < 3; index++) await send(stranger(index))
    await kit.settle()
    await api.post(`${instance.base}/disconnect`)
    await pass(10 * SECOND_MS, SECOND_MS)
    await api.post(`${instance.base}/connect`)
    await pass(5 * MINUTE_MS)
    assert.deepEqual(
      (await statuses()).map(({ status }) => status === 'queued'),
      [false, false, false],
    )
    // No chat may be started in all this time.
    const later = new Date(kit.clock.now() + 9 * DAY_MS)
    await kit.db.system`update pace set free_at = ${later} where instance_id = ${instance.id}`
    for (let index = 3; index < 60; index++) await send(stranger(index))
    await kit.settle()
    await pass(7 * DAY_MS + HOUR_MS, 4 * HOUR_MS)
    await pass(MINUTE_MS, 5 * SECOND_MS)
    const ended = (await statuses()) as unknown as {
      status: string
      error: { code: string } | null
    }[]
    assert.equal(ended.filter(({ error }) => error?.code === 'PACE_LIMIT').length, 57)
  })
})
