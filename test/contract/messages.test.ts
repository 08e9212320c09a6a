// Sending, receiving and listing text messages.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Client } from '../kit/client.ts'
import { startScripted } from '../kit/scripted-network.ts'
import { startTestApp, type Paired, type TestApp } from '../kit/test-app.ts'

/** Times whose offset moves them out of the years 1 to 9999. */
const OUTSIDE = ['9999-12-31T23:59:59-23:59', '0001-01-01T00:00:00+23:59']

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const MINUTE = 60_000
const ready = async (mode: 'test' | 'production' = 'test') => {
  const project = await kit.project()
  const api = await kit.key(project, mode)
  return { project, api, ...(await kit.pair(api)) }
}
/** Leaves a message as a node that died would: claimed now, without an acknowledgment, next attempt due at `dueAt`. */
const putBack = async (id: string, dueAt: Date) => {
  await kit.db.system`
    with back as (
      update message set status = 'queued' where id = ${id} returning instance_id, seq, created_at)
    insert into outbox (instance_id, seq, message_id, created_at, due_at, first_sent_at, sending)
    select instance_id, seq, ${id}, created_at, ${dueAt}, ${new Date(kit.clock.now())}, true from back
    on conflict (instance_id, seq) do update set
      due_at = excluded.due_at, first_sent_at = excluded.first_sent_at, sending = true`
}
const detail = async (api: Client, base: string, id: string) =>
  (await api.get(`${base}/messages/${id}`)).body

describe('sending a text', () => {
  it('sending a text returns the complete, committed message on both routes', async () => {
    const { api, base, id, phone } = await ready()
    const to = '+55 (11) 99999-8888'
    for (const path of ['/messages', '/messages/text']) {
      const body = { to, text: 'Olá *Ana*', clientReference: 'p-1', metadata: { loja: '3' } }
      const answer = await api.post(base + path, body)
      assert.equal(answer.status, 201)
      const { id: messageId, waMessageId, conversationId, createdAt, from, ...rest } = answer.body
      assert.match(messageId, /^msg_/)
      assert.match(waMessageId, /^3EB0[0-9A-F]+$/)
      assert.match(conversationId, /^cnv_/)
      assert.ok(createdAt)
      assert.equal(from.phone, phone)
      assert.deepEqual(rest, {
        instanceId: id,
        direction: 'outbound',
        origin: 'api',
        type: 'text',
        status: 'queued',
        chat: { id: '5511999998888@s.whatsapp.net', type: 'direct', name: null },
        to: { phone: '5511999998888', lid: null, name: null },
        text: 'Olá *Ana*',
        media: null,
        location: null,
        contacts: null,
        reaction: null,
        poll: null,
        quoted: null,
        mentions: [],
        viewOnce: false,
        editedAt: null,
        deletedAt: null,
        clientReference: 'p-1',
        campaignId: null,
        metadata: { loja: '3' },
        error: null,
        sentAt: null,
        deliveredAt: null,
        readAt: null,
      })
      const rows = await kit.db.system`select 1 from message where id = ${messageId}`
      assert.equal(rows.length, 1)
    }
  })

  it('a sent message keeps its waMessageId and records the time of every status up to read', async () => {
    const { api, base } = await ready()
    const { body: sent } = await api.post(`${base}/messages`, { to: '5511988880001', text: 'x' })
    await kit.settle()
    const seen = await detail(api, base, sent.id)
    assert.equal(seen.status, 'read')
    assert.equal(seen.waMessageId, sent.waMessageId)
    assert.deepEqual(
      seen.events.map((event: { status: string }) => event.status),
      ['queued', 'sent', 'delivered', 'read'],
    )
    assert.ok(seen.sentAt && seen.deliveredAt && seen.readAt)
    assert.deepEqual(await detail(api, base, sent.waMessageId), seen)
  })

  it('a message can be sent to a conversation id of its own instance only', async () => {
    const { api, base } = await ready()
    const first = (await api.post(`${base}/messages`, { to: '5511988887777', text: '1' })).body
    const { conversationId } = first
    const second = await api.post(`${base}/messages`, { conversationId, text: '2' })
    assert.equal(second.status, 201)
    assert.equal(second.body.chat.id, first.chat.id)
    const other = await ready()
    const foreign = await other.api.post(`${other.base}/messages`, { conversationId, text: '3' })
    assert.equal(foreign.status, 404)
    assert.equal(foreign.body.error.message, 'conversa não encontrada')
  })

  it('a filter without a value selects nothing, and not everything', async () => {
    const { api, base } = await ready()
    await api.post(`${base}/messages`, { to: '5511988887777', text: '1' })
    for (const query of [
      'messages?conversationId=',
      'messages?clientReference=',
      'conversations?labelId=',
      'conversations?assigneeId=',
      'groups?community=',
    ]) {
      const { status, body } = await api.get(`${base}/${query}`)
      assert.ok(status === 400 || body.items.length === 0, query)
    }
  })

  it('a message can quote an existing message, and an unknown quoted id returns 404', async () => {
    const { api, base } = await ready()
    const first = (await api.post(`${base}/messages`, { to: '5511988887777', text: 'oi' })).body
    const quote = { to: '5511988887777', text: 'e aí?', quotedWaMessageId: first.waMessageId }
    const { body } = await api.post(`${base}/messages`, quote)
    assert.deepEqual(body.quoted, {
      waMessageId: first.waMessageId,
      type: 'text',
      text: 'oi',
      fromMe: true,
    })
    const gone = await api.post(`${base}/messages`, { to: quote.to, text: 'engano' })
    await kit.settle()
    await api.delete(`${base}/messages/${gone.body.id}`)
    const { waMessageId } = gone.body
    const deleted = await api.post(`${base}/messages`, { ...quote, quotedWaMessageId: waMessageId })
    assert.equal(deleted.status, 404)
    const reaction = await api.post(`${base}/messages/reaction`, { waMessageId, emoji: '👍' })
    assert.equal(reaction.status, 409)
    const unknown = await api.post(`${base}/messages`, { ...quote, quotedWaMessageId: 'nope' })
    assert.equal(unknown.status, 404)
  })

  it('an edit is acknowledged only if it was made, and a deletion is idempotent, also when they meet', async () => {
    const { api, base } = await ready()
    for (let round = 0; round < 3; round++) {
      const sent = await api.post(`${base}/messages`, { to: '5511988887777', text: 'x' })
      await kit.settle()
      const path = `${base}/messages/${sent.body.id}`
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, index) =>
          index % 2 === 0
            ? { wrote: `e${index}`, ...(await api.patch(path, { text: `e${index}` })) }
            : { wrote: null, ...(await api.delete(path)) },
        ),
      )
      for (const { wrote, status, body } of answers) {
        if (wrote === null) assert.equal(status, 204)
        else if (status === 200) assert.equal(body.deletedAt, null)
        else assert.deepEqual([status, body.error.code], [409, 'CONFLICT'])
      }
      const queued = await api.post(`${base}/messages`, {
        to: '5511988887777',
        text: 'y',
        delayMs: 60_000,
      })
      const gone = await Promise.all(
        Array.from({ length: 20 }, () => api.delete(`${base}/messages/${queued.body.id}`)),
      )
      assert.deepEqual([...new Set(gone.map(({ status }) => status))], [204])
    }
  })

  it('a message to a short LID is accepted, as in the examples', async () => {
    const { api, base } = await ready()
    const { status, body } = await api.post(`${base}/messages`, { to: '123@lid', text: 'x' })
    assert.deepEqual([status, body.chat.id], [201, '123@lid'])
  })

  it('messages are sent in the order of acceptance, even behind a delayed one', async () => {
    const { api, base } = await ready()
    const phone = await kit.phone(api)
    const texts = []
    for (let count = 0; count < 20; count++) {
      const delayMs = count === 0 ? 5000 : 0
      texts.unshift(String(count))
      await api.post(`${base}/messages`, { to: phone.phone, text: String(count), delayMs })
    }
    await kit.settle()
    assert.deepEqual((await api.get(`${phone.base}/inbox`)).body.items, [])
    await kit.jump(5000)
    const { body } = await api.get(`${phone.base}/inbox`)
    assert.deepEqual(
      body.items.map((item: { text: string }) => item.text),
      texts,
    )
  })

  it('an instance with a send delay waits that long between messages', async () => {
    const { api, base } = await ready()
    const phone = await kit.phone(api)
    const settings = { sendDelayMinMs: 3000, sendDelayMaxMs: 3000 }
    await api.patch(base, { settings })
    await kit.settle()
    for (const text of ['1', '2', '3'])
      await api.post(`${base}/messages`, { to: phone.phone, text })
    const count = async () => (await api.get(`${phone.base}/inbox`)).body.items.length
    await kit.settle()
    assert.equal(await count(), 1)
    await kit.jump(2999)
    assert.equal(await count(), 1)
    await kit.jump(1)
    assert.equal(await count(), 2)
  })

  it('typing is simulated for one message at a time, and messages behind it stay queued', async () => {
    const { api, base } = await ready()
    const phone = await kit.phone(api)
    const ids: string[] = []
    for (const text of ['1', '2', '3']) {
      const body = { to: phone.phone, text, typingMs: 20_000 }
      ids.push((await api.post(`${base}/messages`, body)).body.id)
    }
    const statuses = () => Promise.all(ids.map(async (id) => (await detail(api, base, id)).status))
    for (const typed of [0, 1, 2]) {
      const expected = ids.map((_, index) =>
        index < typed ? 'delivered' : index === typed ? 'sending' : 'queued',
      )
      while ((await statuses()).join() !== expected.join());
      // The typing may begin a moment after the message is claimed.
      while ((await statuses())[typed] === 'sending') kit.clock.jump(1000)
    }
    await kit.settle()
    assert.deepEqual(await statuses(), ['delivered', 'delivered', 'delivered'])
  })

  it('a send is rejected with 409 unless the instance is connected or reconnecting', async () => {
    const { api, base } = await ready()
    const send = (to: string) => api.post(`${base}/messages`, { to, text: 'x' })
    await send('5511988880006')
    await kit.settle()
    assert.equal((await api.get(base)).body.status, 'DISCONNECTED')
    assert.equal((await send('5511988887777')).status, 201)
    await kit.jump(5000)
    await kit.settle()
    assert.equal((await api.get(base)).body.status, 'CONNECTED')
    assert.equal((await api.get(base)).body.queue.pending, 0)
    await api.post(`${base}/disconnect`)
    const refused = await send('5511988887777')
    assert.equal(refused.status, 409)
    assert.deepEqual(refused.body.error, {
      code: 'CONFLICT',
      message: 'instância não está conectada',
      reason: 'INSTANCE_NOT_CONNECTED',
    })
  })

  for (const [what, body] of [
    ['no recipient', { text: 'x' }],
    ['two recipients', { to: '5511999998888', conversationId: 'cnv_x', text: 'x' }],
    ['an invalid recipient', { to: 'fulano', text: 'x' }],
    ['a phone that starts with 0 and is not valid in the country', { to: '0000000000', text: 'x' }],
    ['no text', { to: '5511999998888' }],
    ['an empty text', { to: '5511999998888', text: '' }],
    ['65,537 characters', { to: '5511999998888', text: 'x'.repeat(65_537) }],
    ['a text that is a number', { to: '5511999998888', text: 5 }],
    ['an unknown field', { to: '5511999998888', text: 'x', cor: 'azul' }],
    ['an unknown type', { to: '5511999998888', text: 'x', type: 'gif' }],
    ['a delay over 60 s', { to: '5511999998888', text: 'x', delayMs: 60_001 }],
    [
      'a reference over 128 characters',
      { to: '5511999998888', text: 'x', clientReference: 'x'.repeat(129) },
    ],
    ['metadata that is not text', { to: '5511999998888', text: 'x', metadata: { a: 1 } }],
    ['a mention that is not a phone number', { to: '5511999998888', text: 'x', mentions: ['ana'] }],
    ['a NUL', { to: '5511999998888', text: 'a\0b' }],
    ['a lone surrogate', { to: '5511999998888', text: '\ud83d' }],
  ] as const) {
    it(`a send with ${what} is rejected with 400`, async () => {
      const { api, base } = await cached()
      const answer = await api.post(`${base}/messages`, body)
      assert.equal(answer.status, 400)
      assert.equal(answer.body.error.code, 'BAD_REQUEST')
    })
  }
  let shared: Promise<Awaited<ReturnType<typeof ready>>> | undefined
  const cached = () => (shared ??= ready())

  it('emoji, right-to-left text, SQL and 65,536 characters are sent unchanged', async () => {
    const { api, base } = await ready()
    const phone = await kit.phone(api)
    const texts = ['👩‍👩‍👧‍👦 olá', 'שלום עולם', 'x'.repeat(65_536), "'; drop table message; --"]
    for (const text of texts) await api.post(`${base}/messages`, { to: phone.phone, text })
    await kit.settle()
    const { body } = await api.get(`${phone.base}/inbox`)
    assert.deepEqual(body.items.map((item: { text: string }) => item.text).toReversed(), texts)
  })
})

describe('message outcomes', () => {
  const status = async (to: string) => {
    const { api, base } = await ready()
    const { body } = await api.post(`${base}/messages`, { to, text: 'oi' })
    await kit.settle()
    return { api, base, sent: body, seen: await detail(api, base, body.id) }
  }

  it('a message to a simulated number ending in 0002 is never delivered', async () => {
    const { api, base, sent } = await status('5511988880002')
    await kit.jump(60 * MINUTE)
    assert.equal((await detail(api, base, sent.id)).status, 'sent')
  })

  it('a message to a simulated number ending in 0003 fails as not on the network', async () => {
    const { seen } = await status('5511988880003')
    assert.equal(seen.status, 'failed')
    assert.equal(seen.error.code, 'NUMBER_NOT_ON_NETWORK')
    assert.equal(seen.error.retryable, false)
    assert.ok(seen.error.message)
  })

  it('a message to a simulated number ending in 0004 is delivered after 10 seconds', async () => {
    const { api, base, sent, seen } = await status('5511988880004')
    assert.equal(seen.status, 'sent')
    await kit.jump(9_999)
    assert.equal((await detail(api, base, sent.id)).status, 'sent')
    await kit.jump(1_000)
    assert.equal((await detail(api, base, sent.id)).status, 'delivered')
  })

  it('a simulated number ending in 0005 replies with the same text', async () => {
    const { api, base } = await status('5511988880005')
    const { body } = await api.get(`${base}/messages?direction=inbound`)
    assert.equal(body.items[0].text, 'oi')
    assert.equal(body.items[0].from.phone, '5511988880005')
  })

  it('a message to any other simulated number is delivered', async () => {
    assert.equal((await status('5511988887777')).seen.status, 'delivered')
  })

  it('a message to an unknown group or LID fails with the corresponding error code', async () => {
    assert.equal((await status('120363000000000001@g.us')).seen.error.code, 'NOT_A_PARTICIPANT')
    assert.equal((await status('123456789012@lid')).seen.error.code, 'NUMBER_NOT_ON_NETWORK')
  })

  it('a queued message waits for its instance and fails with INSTANCE_OFFLINE after 10 minutes', async () => {
    const { api, base } = await ready()
    await api.post(`${base}/messages`, { to: '5511988880006', text: 'cai' })
    await kit.settle()
    const { body } = await api.post(`${base}/messages`, { to: '5511988887777', text: 'espera' })
    await api.post(`${base}/disconnect`)
    await kit.settle()
    await kit.jump(10 * MINUTE - 1)
    assert.equal((await detail(api, base, body.id)).status, 'queued')
    await kit.jump(5_000)
    const seen = await detail(api, base, body.id)
    assert.equal(seen.status, 'failed')
    assert.equal(seen.error.code, 'INSTANCE_OFFLINE')
  })

  it('a message that was accepted for one account never leaves from another that is paired since', async () => {
    const { api, project, base } = await ready('production')
    const credits = () => kit.operator.billing.credits(kit.db, project.projectId)
    const before = await credits()
    const late = { to: '5511988887777', text: 'espera', delayMs: 4000 }
    const { body } = await api.post(`${base}/messages`, late)
    await api.post(`${base}/logout`)
    await kit.settle()
    const simulator = await kit.key(project, 'production')
    const other = (await simulator.post('/v1/simulator/phones', { name: 'Outro' })).body
    await api.get(`${base}/qr/poll`)
    await kit.settle()
    const { code } = (await api.get(`${base}/qr/poll`)).body
    assert.equal(
      (await simulator.post(`/v1/simulator/phones/${other.id}/scan`, { code })).status,
      200,
    )
    await kit.settle()
    assert.equal((await api.get(base)).body.phone, other.phone)
    for (let turn = 0; turn < 3; turn++) await kit.jump(5000)
    const seen = await detail(api, base, body.id)
    assert.deepEqual([seen.status, seen.error?.code], ['failed', 'INSTANCE_OFFLINE'])
    assert.equal(await credits(), before)
    const next = await api.post(`${base}/messages`, { to: '5511988887777', text: 'agora' })
    await kit.settle()
    assert.equal((await detail(api, base, next.body.id)).status, 'delivered')
  })

  it('a message left in sending by a dead node is sent again as soon as its instance reconnects', async () => {
    const { api, base } = await ready()
    await api.post(`${base}/messages`, { to: '5511987650006', text: 'cai' })
    await kit.settle()
    const { body: sent } = await api.post(`${base}/messages`, { to: '5511987650009', text: 'x' })
    // The state left by a node that died: claimed, without an acknowledgement, next attempt due in a minute.
    const silentUntil = new Date(kit.clock.now() + 60_000)
    await putBack(sent.id, silentUntil)
    await kit.jump(5000)
    const { body: shown } = await api.get(`${base}/messages/${sent.id}`)
    assert.equal(shown.status, 'delivered')
    assert.equal(shown.waMessageId, sent.waMessageId)
  })

  it('an unacknowledged message is sent again with the same id after 60 s and fails after 10 minutes', async () => {
    const { api, base } = await ready()
    const { body } = await api.post(`${base}/messages`, {
      to: '5511988887777',
      text: 'x',
      delayMs: 1000,
    })
    // Simulates a node that died between the claim and the acknowledgement.
    await putBack(body.id, new Date(kit.clock.now() + MINUTE))
    await kit.jump(MINUTE - 1)
    assert.equal((await detail(api, base, body.id)).status, 'sending')
    await kit.jump(1000)
    const seen = await detail(api, base, body.id)
    assert.equal(seen.status, 'delivered')
    assert.equal(seen.waMessageId, body.waMessageId)
    await putBack(body.id, new Date(kit.clock.now() + 60 * MINUTE))
    await kit.jump(10 * MINUTE)
    assert.equal((await detail(api, base, body.id)).error.code, 'ACK_TIMEOUT')
  })
})

describe('the outbox', () => {
  const idsWith = async (api: Client, base: string, status: string) => {
    const { body } = await api.get(`${base}/messages?status=${status}`)
    return body.items.map(({ id }: { id: string }) => id)
  }

  it('a message is found by the status that it shows while it waits and while it is being sent', async () => {
    const { api, base } = await ready()
    const message = { to: '5511988887777', text: 'x', delayMs: 60_000 }
    const { body } = await api.post(`${base}/messages`, message)
    assert.deepEqual(await idsWith(api, base, 'queued'), [body.id])
    assert.deepEqual(await idsWith(api, base, 'sending'), [])
    await putBack(body.id, new Date(kit.clock.now() + MINUTE))
    assert.deepEqual(await idsWith(api, base, 'queued'), [])
    assert.deepEqual(await idsWith(api, base, 'sending'), [body.id])
    const { body: conversations } = await api.get(`${base}/conversations`)
    assert.equal(conversations.items[0].lastMessageStatus, 'sending')
    const path = `${base}/messages/${body.id}`
    assert.equal((await api.patch(path, { text: 'y' })).status, 409)
    assert.equal((await api.delete(path)).status, 409)
    await kit.jump(MINUTE)
    assert.deepEqual(await idsWith(api, base, 'delivered'), [body.id])
    assert.deepEqual(
      [...(await kit.db.system`select from outbox where message_id = ${body.id}`)],
      [],
    )
  })
})

describe('what an ended process leaves in the outbox', () => {
  it('a message that waits for a file which is no longer fetched is released, and so are those behind it', async () => {
    const { api, base } = await ready()
    const held = { to: '5511988887777', text: 'um', delayMs: 60_000 }
    const { body: first } = await api.post(`${base}/messages`, held)
    const { body: second } = await api.post(`${base}/messages`, { ...held, text: 'dois' })
    await kit.db.system`update outbox set due_at = 'infinity' where message_id = ${first.id}`
    await kit.jump(2 * MINUTE)
    for (const { id } of [first, second])
      assert.equal((await detail(api, base, id)).status, 'delivered')
  })

  it('more ended messages than fit in one batch delay neither failures nor sends', async () => {
    const { api, base, id } = await ready()
    const { body: one } = await api.post(`${base}/messages`, { to: '5511988880009', text: 'x' })
    await kit.settle()
    const leave = () => kit.db.system`
      with more as (
        insert into message overriding user value select (jsonb_populate_record(m, jsonb_build_object(
          'id', m.id || 'x' || n, 'wa_message_id', m.wa_message_id || 'x' || n))).*
        from message m, generate_series(1, 600) n where m.id = ${one.id}
        on conflict do nothing returning instance_id, seq, id, created_at)
      insert into outbox (instance_id, seq, message_id, created_at, due_at, sending, first_sent_at)
      select instance_id, seq, id, created_at, created_at, true, created_at from more`
    await leave()
    const { body: last } = await api.post(`${base}/messages`, { to: '5511988880009', text: 'y' })
    await kit.jump(3000)
    assert.equal((await detail(api, base, last.id)).status, 'delivered')
    assert.deepEqual([...(await kit.db.system`select from outbox where instance_id = ${id}`)], [])
    await kit.db.system`delete from message where instance_id = ${id} and id like ${`${one.id}x%`}`
    await kit.db
      .system`update instance set status = 'DISCONNECTED', disconnected_at = ${new Date(kit.clock.now())} where id = ${id}`
    await leave()
    await kit.jump(11 * MINUTE)
    assert.deepEqual([...(await kit.db.system`select from outbox where instance_id = ${id}`)], [])
  })
})

describe('receiving', () => {
  it('an incoming message is stored once, with its conversation and one event', async () => {
    const { api, base, phone, id } = await ready()
    const receiver = await kit.receiver()
    await api.post('/v1/webhooks', { name: 'w', url: receiver.url })
    const client = await kit.phone(api)
    const written = await api.post(`${client.base}/messages`, { to: phone, text: 'Oi!' })
    assert.equal(written.status, 201)
    await kit.settle()
    const { body } = await api.get(`${base}/messages`)
    assert.equal(body.items.length, 1)
    const [message] = body.items
    assert.equal(message.direction, 'inbound')
    assert.equal(message.status, 'received')
    assert.equal(message.text, 'Oi!')
    assert.equal(message.from.phone, client.phone)
    assert.equal(message.from.name, 'Ana')
    assert.equal(message.to, null)
    assert.equal(message.waMessageId, written.body.waMessageId)
    const [event] = receiver.events('message.received')
    assert.equal(event?.body.instanceId, id)
    assert.deepEqual(event?.body.data.message, message)
    assert.equal(event?.body.data.waMessageId, message.waMessageId)
    const [row] = await kit.db.system`
      select count(*)::int as rows, max(unread_count) as unread from conversation where instance_id = ${id}`
    assert.deepEqual({ ...row }, { rows: 1, unread: 1 })
  })

  it('a message typed on the phone of the instance is stored without an event', async () => {
    const { api, base, phoneBase } = await ready()
    const receiver = await kit.receiver()
    await api.post('/v1/webhooks', { name: 'w', url: receiver.url })
    await api.post(`${phoneBase}/messages`, { to: '5511988887777', text: 'digitado' })
    await kit.settle()
    const [message] = (await api.get(`${base}/messages`)).body.items
    assert.equal(message.direction, 'outbound')
    assert.equal(message.origin, 'phone')
    assert.equal(message.to.phone, '5511988887777')
    assert.equal(receiver.received.length, 0)
  })

  it('incoming messages are marked as read automatically when readMessages is on', async () => {
    const { api, base, phone } = await ready()
    await api.patch(base, { settings: { readMessages: true } })
    await kit.settle()
    const client = await kit.phone(api)
    await api.post(`${client.base}/messages`, { to: phone, text: 'Oi!' })
    await kit.settle()
    assert.ok((await api.get(`${base}/messages`)).body.items[0].readAt)
  })
})

describe('concurrent sending and receiving', () => {
  it('concurrent sending and receiving in the same conversations causes no deadlock', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => ready()))
    const answers = await Promise.all(
      all.flatMap(({ api, base }) =>
        Array.from({ length: 40 }, (_, index) =>
          api.post(`${base}/messages`, { to: `551198${index % 7}880005`, text: `${index}` }),
        ),
      ),
    )
    await kit.settle()
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
    assert.ok(!kit.logs.join('').includes('40P01'))
  })
})

describe('marking as read', () => {
  const received = async (count: number) => {
    const all = await ready()
    const client = await kit.phone(all.api)
    for (let index = 0; index < count; index++) {
      await all.api.post(`${client.base}/messages`, { to: all.phone, text: `${index}` })
    }
    await kit.settle()
    const { body } = await all.api.get(`${all.base}/messages`)
    return { ...all, items: body.items as { waMessageId: string; conversationId: string }[] }
  }

  it('messages can be marked as read repeatedly by id or by conversation', async () => {
    const { api, base, items } = await received(3)
    const [first] = items
    const ids = { waMessageIds: [first?.waMessageId] }
    assert.deepEqual((await api.post(`${base}/messages/read`, ids)).body, ids)
    assert.deepEqual((await api.post(`${base}/messages/read`, ids)).body, ids)
    const { conversationId } = first ?? {}
    const rest = await api.post(`${base}/messages/read`, { conversationId })
    assert.equal(rest.body.waMessageIds.length, 2)
    const [row] = await kit.db
      .system`select unread_count from conversation where id = ${conversationId ?? ''}`
    assert.equal(row?.['unreadCount'], 0)
  })

  it('marking as read returns 400 with neither or both of ids and conversation and 404 for unknown ones', async () => {
    const { api, base } = await received(0)
    for (const body of [{}, { waMessageIds: ['x'], conversationId: 'y' }]) {
      assert.equal((await api.post(`${base}/messages/read`, body)).status, 400)
    }
    for (const body of [{ waMessageIds: ['x'] }, { conversationId: 'cnv_x' }]) {
      assert.equal((await api.post(`${base}/messages/read`, body)).status, 404)
    }
  })

  it('marking as read and listing messages need no subscription in production', async () => {
    const { project, api, base } = await ready('production')
    const settings = { subscription: 'canceled' as const }
    await kit.operator.projects.set(kit.db, project.projectId, 'subscription.set', settings)
    const answer = await api.post(`${base}/messages/read`, { waMessageIds: ['x'] })
    assert.equal(answer.status, 404)
    assert.equal((await api.get(`${base}/messages`)).status, 200)
  })
})

describe('message list', () => {
  it('text search finds a message while queued, after every edit and exactly once after sending', async () => {
    const { api, base } = await ready()
    const { body } = await api.post(`${base}/messages`, {
      to: '5511988887777',
      text: 'proposta antiga',
      delayMs: 1000,
    })
    const found = async (q: string) =>
      (await api.get(`${base}/messages?q=${q}`)).body.items.map((item: { id: string }) => item.id)
    assert.deepEqual(await found('antiga'), [body.id])
    await api.patch(`${base}/messages/${body.id}`, { text: 'proposta nova' })
    assert.deepEqual(await found('antiga'), [])
    assert.deepEqual(await found('nova'), [body.id])
    await kit.jump(1000)
    assert.equal((await detail(api, base, body.id)).status, 'delivered')
    assert.deepEqual(await found('proposta'), [body.id])
    const changed = await api.patch(`${base}/messages/${body.id}`, { text: 'proposta final' })
    assert.equal(changed.status, 200)
    assert.deepEqual(await found('nova'), [])
    assert.deepEqual(await found('final'), [body.id])
  })

  it('messages are listed newest first with filters and pagination', async () => {
    const { api, base }: { api: Client } & Paired = await ready()
    for (const [to, text] of [
      ['5511988887777', 'pedido 100% pronto'],
      ['5511988887777', 'até logo'],
      ['5511988886666', 'outro'],
    ] as const) {
      await api.post(`${base}/messages`, { to, text, clientReference: text.slice(0, 3) })
    }
    await kit.settle()
    const list = async (query: string) =>
      (await api.get(`${base}/messages?${query}`)).body.items.map(
        (item: { text: string }) => item.text,
      )
    const all = (await api.get(`${base}/messages`)).body.items
    assert.deepEqual(await list(''), ['outro', 'até logo', 'pedido 100% pronto'])
    assert.deepEqual(await list(`conversationId=${all[0].conversationId}`), ['outro'])
    assert.deepEqual(await list('q=100%25'), ['pedido 100% pronto'])
    assert.deepEqual(await list('q=AT%C3%89%20lo'), ['até logo'])
    for (const q of ['ogo', 'logo%20pronto', '%25!']) assert.deepEqual(await list(`q=${q}`), [])
    assert.deepEqual(await list('clientReference=out'), ['outro'])
    assert.deepEqual(await list('status=read'), [])
    assert.deepEqual(await list('direction=outbound&type=text&limit=1&offset=1'), ['até logo'])
    assert.deepEqual(await list(`since=${new Date(kit.clock.now() + 1).toISOString()}`), [])
    for (const since of ['ontem', '0000-01-01', '2026-99-99', ...OUTSIDE]) {
      const path = `${base}/messages?since=${encodeURIComponent(since)}`
      assert.equal((await api.get(path)).status, 400, since)
    }
    assert.equal((await api.get(`${base}/messages?direction=lado`)).status, 400)
    assert.equal((await api.get(`${base}/messages/msg_nope`)).status, 404)
  })
})

describe('messages that wait for an acknowledgement', () => {
  it('unacknowledged messages are sent again as soon as their session reconnects, even if no claim ran in between', async (t) => {
    const { app, sent, connect } = await startScripted()
    t.after(() => app.close())
    const { api, base, listener } = await connect()
    await api.post(`${base}/messages`, { to: '5511988887777', text: 'oi' })
    await app.settle()
    assert.equal(sent.length, 1)
    await listener.onStatus({ status: 'DISCONNECTED', reason: 'network', willReconnect: true })
    await app.jump(1000)
    await listener.onStatus({ status: 'CONNECTED' })
    await app.jump(1000)
    const [first, again] = sent
    assert.equal(sent.length, 2)
    assert.equal(again?.waMessageId, first?.waMessageId)
  })
})
