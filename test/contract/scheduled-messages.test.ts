// Single messages that are sent at a given time.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Body } from '../kit/client.ts'
import { image } from '../kit/files.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const TO = '5511987650001'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A Project with a paired instance, and helpers that schedule a text and list what was sent. */
async function world(options: { mode?: 'test' | 'production'; credits?: number } = {}) {
  const { mode = 'test', credits = 1000 } = options
  const project = await kit.project({ credits })
  const api = await kit.key(project, mode)
  const instance = await kit.pair(api)
  const path = `${instance.base}/scheduled-messages`
  const at = (ms: number) => new Date(kit.clock.now() + ms).toISOString()
  const schedule = (ms: number, message: object = {}, headers?: Record<string, string>) =>
    api.post(path, { sendAt: at(ms), message: { to: TO, text: 'oi', ...message } }, headers)
  const messages = async (): Promise<Body[]> =>
    (await api.get(`${instance.base}/messages`)).body.items
  const show = async (id: string): Promise<Body> => (await api.get(`${path}/${id}`)).body
  return { project, api, instance, path, at, schedule, messages, show }
}

describe('a scheduled message', () => {
  it('a scheduled message becomes one message at its time, which is charged then', async () => {
    const { project, schedule, messages, show } = await world({ mode: 'production', credits: 5 })
    const credits = () => kit.operator.billing.credits(kit.db, project.projectId)
    const { status, body } = await schedule(HOUR, { text: 'Sua consulta é hoje' })
    assert.equal(status, 201)
    assert.deepEqual(
      [body.status, body.messageId, body.error, body.endedAt],
      ['scheduled', null, null, null],
    )
    const { type, to, text } = body.message
    assert.deepEqual([type, to, text], ['text', TO, 'Sua consulta é hoje'])
    await kit.jump(HOUR - 1000)
    assert.deepEqual([await messages(), await credits()], [[], 5])
    await kit.jump(1000)
    const [message, ...more] = await messages()
    assert.deepEqual([more, message?.text, message?.origin], [[], 'Sua consulta é hoje', 'api'])
    assert.equal(await credits(), 4)
    const done = await show(body.id)
    assert.deepEqual([done.status, done.messageId], ['sent', message?.id])
    await kit.jump(HOUR)
    assert.equal((await messages()).length, 1)
  })

  it('a scheduled message can be canceled until it is sent, and is listed by its send time', async () => {
    const { api, path, schedule, messages } = await world()
    const late = (await schedule(2 * HOUR, { text: 'depois' })).body
    const early = (await schedule(HOUR, { text: 'antes' })).body
    const list = async (query = '') =>
      (await api.get(`${path}${query}`)).body.items.map(({ id }: Body) => id)
    assert.deepEqual(await list(), [early.id, late.id])
    const canceled = await api.post(`${path}/${late.id}/cancel`)
    assert.deepEqual([canceled.status, canceled.body.status], [200, 'canceled'])
    assert.deepEqual((await api.post(`${path}/${late.id}/cancel`)).body, canceled.body)
    assert.deepEqual(await list('?status=canceled'), [late.id])
    await kit.jump(3 * HOUR)
    assert.deepEqual(
      (await messages()).map(({ text }) => text),
      ['antes'],
    )
    const refused = await api.post(`${path}/${early.id}/cancel`)
    assert.deepEqual(
      [refused.status, refused.body.error.message],
      [409, 'a mensagem já foi enviada'],
    )
    assert.equal((await api.post(`${path}/sch_nenhuma/cancel`)).status, 404)
  })

  it('a scheduled message is sent after those with an earlier time, and once if several nodes find it', async () => {
    const { schedule, messages } = await world()
    const texts = ['0', '1', '2', '3', '4', '5', '6', '7']
    for (const [n, text] of texts.entries()) await schedule(MINUTE + n * 1000, { text })
    await kit.jump(2 * MINUTE)
    const sent = async () => (await messages()).map(({ text }) => text as string).toReversed()
    assert.deepEqual(await sent(), texts)
    const other = await kit.node({ idle: true })
    const more = ['8', '9']
    for (const text of more) await schedule(MINUTE, { text })
    await kit.jump(2 * MINUTE)
    assert.deepEqual(new Set((await sent()).slice(texts.length)), new Set(more))
    assert.equal((await sent()).length, texts.length + more.length)
    await other[Symbol.asyncDispose]()
  })

  it('a scheduled message does not hold up messages that are sent meanwhile', async () => {
    const { api, instance, schedule, messages } = await world()
    await schedule(HOUR, { text: 'depois' })
    await api.post(`${instance.base}/messages`, { to: TO, text: 'agora' })
    await kit.settle()
    const [first] = await messages()
    assert.deepEqual([first?.text, first?.status], ['agora', 'read'])
  })

  it('a scheduled message stores its file immediately and keeps it until the message is sent', async () => {
    const { api, instance, schedule, messages, show } = await world()
    const media = { base64: (await image('png', 40, 30)).toString('base64') }
    const { status, body } = await schedule(80 * DAY, { type: 'image', text: undefined, media })
    assert.equal(status, 201)
    assert.deepEqual(Object.keys(body.message.media), ['mediaId'])
    await kit.jump(79 * DAY)
    await kit.jump(DAY)
    assert.equal((await show(body.id)).status, 'sent')
    const [message] = await messages()
    const { bytes } = await api.download(`${instance.base}/messages/${message?.id}/media`)
    assert.ok(bytes.length > 0)
    const page = { type: 'image', text: undefined, media: { url: 'http://169.254.169.254/' } }
    assert.equal((await schedule(HOUR, page)).status, 400)
  })

  it('a scheduled message is scheduled once for one Idempotency-Key, also if the request is repeated after its time', async () => {
    const { api, path, at, messages } = await world()
    const body = { sendAt: at(MINUTE), message: { to: TO, text: 'oi' } }
    const headers = { 'idempotency-key': 'consulta-1' }
    const first = await api.post(path, body, headers)
    await kit.jump(2 * MINUTE)
    const repeated = await api.post(path, body, headers)
    assert.deepEqual([repeated.status, repeated.body], [201, first.body])
    assert.equal((await messages()).length, 1)
  })

  it('the file of a message that cannot be scheduled is removed, with and without an Idempotency-Key', async () => {
    const { api, path, at } = await world()
    const media = { base64: Buffer.from('%PDF-1.4 x').toString('base64'), fileName: 'a.pdf' }
    const message = { to: TO, type: 'document', media }
    for (const headers of [{}, { 'idempotency-key': 'tarde' }]) {
      const late = await api.post(path, { sendAt: at(-MINUTE), message }, headers)
      assert.equal(late.status, 400)
    }
    const { status, body } = await api.post(path, { sendAt: at(MINUTE), message })
    assert.equal(status, 201)
    const rows = await kit.db.system<{ status: string; isOwn: boolean }[]>`
      select status, id = ${body.message.media.mediaId} as is_own from media
      where project_id = (select project_id from media where id = ${body.message.media.mediaId})`
    assert.deepEqual(
      rows.filter((row) => row.status === 'available').map(({ isOwn }) => isOwn),
      [true],
    )
    assert.equal(rows.length, 3)
  })
})

describe('a scheduled message that cannot be sent', () => {
  it('a scheduled message that cannot be sent fails with its reason, and costs nothing', async () => {
    const { project, api, instance, schedule, show, messages } = await world({
      mode: 'production',
      credits: 1,
    })
    const [first, second] = [(await schedule(MINUTE)).body, (await schedule(2 * MINUTE)).body]
    await kit.jump(3 * MINUTE)
    assert.equal((await show(first.id)).status, 'sent')
    const poor = await show(second.id)
    assert.deepEqual([poor.status, poor.error.code], ['failed', 'INSUFFICIENT_CREDITS'])
    assert.ok(poor.error.message.length > 0)
    const offline = (await schedule(MINUTE)).body
    await kit.operator.billing.grant(kit.db, project.projectId, 10)
    await api.post(`${instance.base}/logout`)
    await kit.jump(2 * MINUTE)
    assert.equal((await show(offline.id)).error.code, 'INSTANCE_NOT_CONNECTED')
    assert.equal(await kit.operator.billing.credits(kit.db, project.projectId), 10)
    assert.equal((await messages()).length, 1)
  })

  it('a scheduled message that cannot be sent fails if its key was revoked, as sends with that key do', async () => {
    const { project, api, path, at, instance } = await world()
    const leaked = await kit.key(project)
    const { body } = await leaked.post(path, { sendAt: at(HOUR), message: { to: TO, text: 'oi' } })
    const user = await kit.login(project)
    await user.delete(`/v1/keys/${leaked.keyId}`)
    await kit.jump(2 * HOUR)
    const { body: shown } = await api.get(`${path}/${body.id}`)
    assert.deepEqual([shown.status, shown.error.code], ['failed', 'KEY_REFUSED'])
    assert.deepEqual((await api.get(`${instance.base}/messages`)).body.items, [])
  })

  it('a scheduled message fails if the server was down for a day, and is sent if it was down for an hour', async () => {
    const { schedule, show } = await world()
    const short = (await schedule(MINUTE)).body
    const long = (await schedule(2 * MINUTE)).body
    await kit.db.system`
      update scheduled_message set send_at = send_at - interval '25 hours', due_at = send_at
      where id = ${long.id}`
    await kit.db.system`
      update scheduled_message set send_at = send_at - interval '1 hour', due_at = send_at
      where id = ${short.id}`
    await kit.jump(3 * MINUTE)
    assert.equal((await show(short.id)).status, 'sent')
    assert.equal((await show(long.id)).error.code, 'TOO_LATE')
  })

  it('a scheduled message is retried after a server fault, without delaying others', async () => {
    const { schedule, show, messages } = await world()
    const broken = (await schedule(MINUTE, { text: 'um' })).body
    const fine = (await schedule(MINUTE, { text: 'dois' })).body
    await kit.db.system`
      update scheduled_message set message = message || '{"type": "unknown"}' where id = ${broken.id}`
    await kit.jump(MINUTE)
    await kit.jump(2000)
    assert.equal((await show(fine.id)).status, 'sent')
    assert.equal((await show(broken.id)).status, 'scheduled')
    await kit.db.system`
      update scheduled_message set message = message || '{"type": "text"}' where id = ${broken.id}`
    await kit.jump(MINUTE)
    assert.equal((await show(broken.id)).status, 'sent')
    assert.equal((await messages()).length, 2)
    assert.ok(kit.logs.some((line) => line.includes(`scheduled message ${broken.id}`)))
  })

  it('a scheduled message with an invalid time or content is rejected immediately', async () => {
    const { api, path, at, schedule } = await world()
    const refusal = async (body: object) => {
      const { status, body: answer } = await api.post(path, body)
      return `${status} ${answer.error?.message}`
    }
    const message = { to: TO, text: 'oi' }
    const past = await schedule(-1000)
    assert.equal(`${past.status} ${past.body.error.message}`, '400 sendAt: a hora já passou')
    assert.equal(
      await refusal({ sendAt: at(91 * DAY), message }),
      '400 sendAt: agende para os próximos 90 dias',
    )
    assert.match(
      await refusal({ sendAt: '2026-12-01T09:00', message }),
      /^400 sendAt: informe o fuso/,
    )
    assert.match(await refusal({ sendAt: 'amanhã Z', message }), /^400 .*sendAt/)
    assert.match(await refusal({ message }), /^400 .*sendAt/)
    assert.match(await refusal({ sendAt: at(HOUR), message: { to: TO } }), /^400 .*message/)
    assert.match(
      await refusal({ sendAt: at(HOUR), message: { to: 'ninguém', text: 'x' } }),
      /^400 /,
    )
    assert.match(
      await refusal({ sendAt: at(HOUR), message: { to: TO, type: 'fax', text: 'x' } }),
      /^400 .*message\.type/,
    )
    const reaction = { type: 'reaction', waMessageId: 'nenhuma', emoji: '👍' }
    assert.match(await refusal({ sendAt: at(HOUR), message: reaction }), /^404 /)
    assert.equal((await api.get(path)).body.items.length, 0)
  })
})

describe('scheduled messages of a Project', () => {
  it('a message to a conversation, or quoting a message, that does not exist is not scheduled', async () => {
    const [{ api, instance, path, at, schedule }, other] = [await world(), await world()]
    const sendAt = at(HOUR)
    const theirs = await other.api.post(`${other.instance.base}/messages`, { to: TO, text: 'oi' })
    const send = (message: object) => api.post(path, { sendAt, message: { text: 'x', ...message } })
    for (const conversationId of ['cnv_naoexiste', theirs.body.conversationId])
      assert.equal((await send({ conversationId })).status, 404)
    const ours = await api.post(`${instance.base}/messages`, { to: TO, text: 'oi' })
    const { conversationId, waMessageId } = ours.body
    assert.equal((await send({ conversationId })).status, 201)
    assert.equal((await schedule(HOUR, { quotedWaMessageId: '3EB0NOPE' })).status, 404)
    assert.equal((await schedule(HOUR, { quotedWaMessageId: waMessageId })).status, 201)
  })

  it('scheduled messages of a Project are at most 10,000 at a time, and are deleted a month after they ended', async () => {
    const { project, instance, api, path, schedule } = await world()
    const { projectId } = project
    await kit.db.system`
      insert into scheduled_message (id, project_id, mode, instance_id, message, send_at, due_at, created_at)
      select 'sch_' || n, ${projectId}, 'test', ${instance.id}, '{}', 'infinity', 'infinity', now()
      from generate_series(1, 10000) n`
    const refused = await schedule(HOUR)
    assert.equal(refused.status, 400)
    assert.match(refused.body.error.message, /10\.000/)
    await kit.db.system`
      update scheduled_message set status = 'canceled', send_at = ${new Date(kit.clock.now())},
        ended_at = ${new Date(kit.clock.now())}
      where project_id = ${projectId}`
    assert.equal((await schedule(HOUR)).status, 201)
    await kit.jump(2 * HOUR)
    await kit.jump(31 * DAY)
    const { items } = (await api.get(path)).body
    assert.deepEqual(items.length, 0)
  })

  it('scheduled messages of a Project are hidden from other Projects, from the other mode and from keys of other instances', async () => {
    const { project, api, path, schedule } = await world()
    const { body } = await schedule(HOUR)
    const stranger = await kit.key(await kit.project())
    const production = await kit.key(project, 'production')
    for (const other of [stranger, production]) {
      assert.equal((await other.get(`${path}/${body.id}`)).status, 404)
      assert.equal((await other.post(`${path}/${body.id}/cancel`)).status, 404)
      assert.equal((await other.get(path)).status, 404)
    }
    const { body: second } = await api.post('/v1/instances', { name: 'Outra' })
    assert.equal(
      (await api.get(`/v1/instances/${second.id}/scheduled-messages/${body.id}`)).status,
      404,
    )
    assert.equal((await api.get(`${path}/${body.id}`)).body.status, 'scheduled')
  })
})
