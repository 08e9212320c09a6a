// A recipient whose keys or files are rejected does not affect the others.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { image } from '../kit/files.ts'
import type { Person } from '../kit/whatsapp-server/person.ts'
import type { KeyFault } from '../kit/whatsapp-server/world.ts'
import { startWhatsAppApp, type OnWhatsApp, type WhatsAppApp } from '../kit/whatsapp-app.ts'

let kit: WhatsAppApp
before(async () => {
  kit = await startWhatsAppApp()
})
after(() => kit.close())
afterEach(() => {
  kit.server.faults.spoilKeys = () => null
  kit.server.faults.refuseKeys = null
  kit.server.media.refuses = () => false
  kit.server.media.delay = async () => {}
})

/** The engine queries a new contact's keys with its device list, and again if it has none. */
const PER_ATTEMPT = 2
let made = 0
const person = (name: string) => kit.server.person(`55116${70_000_000 + ++made}`, name)

async function send({ api, base }: OnWhatsApp, to: string, text = 'oi'): Promise<string> {
  const { status, body } = await api.post(`${base}/messages/text`, { to, text })
  assert.equal(status, 201, JSON.stringify(body))
  return body.waMessageId as string
}
const statusOf = async ({ api, base }: OnWhatsApp, id: string) =>
  (await api.get(`${base}/messages/${id}`)).body.status as string
const texts = ({ inbox }: Person) =>
  inbox.map(({ message }) => message.conversation ?? message.extendedTextMessage?.text)

/** Advances time; the jump may time out the connection, which then reconnects. */
async function advance(one: OnWhatsApp, ms: number): Promise<void> {
  await kit.app.jump(ms)
  await kit.until(async () => {
    const connected = (await kit.statusOf(one)) === 'CONNECTED'
    if (!connected) await kit.app.jump(1000)
    return connected
  }, 'the connection')
}

/** Advances time until all five attempts have been made. */
async function exhaust(one: OnWhatsApp): Promise<void> {
  for (const seconds of [6, 16, 46, 136]) await advance(one, seconds * 1000)
}

describe('a recipient whose keys cannot be used', () => {
  for (const fault of ['404', '406', '429', 'forged', 'no_identity'] as KeyFault[]) {
    it(`unusable keys (${fault}) fail one message of a burst and delay no other`, async () => {
      const one = await kit.connect()
      const bad = person('Má')
      const good = Array.from({ length: 39 }, (_, index) => person(`Boa ${index}`))
      kit.server.faults.spoilKeys = (who) => (who === bad ? fault : null)
      const everybody = good.toSpliced(7, 0, bad)
      const ids = await Promise.all(everybody.map(({ phone }) => send(one, phone)))
      await kit.until(() => good.every(({ inbox }) => inbox.length === 1), 'all good messages')
      const poisoned = ids[7] ?? ''
      assert.equal(await statusOf(one, poisoned), 'sending')
      const before = kit.server.keyQueries
      await exhaust(one)
      await kit.message(one, poisoned, 'failed')
      const { error } = (await one.api.get(`${one.base}/messages/${poisoned}`)).body
      assert.equal(error.retryable, true)
      assert.deepEqual(bad.inbox, [])
      assert.ok(
        kit.server.keyQueries - before <= 4 * PER_ATTEMPT,
        `${kit.server.keyQueries - before} queries`,
      )
    })
  }

  it('messages to a chat keep their order once its keys are usable again', async () => {
    const one = await kit.connect()
    const late = person('Atrasada')
    kit.server.faults.spoilKeys = (who) => (who === late ? '406' : null)
    await send(one, late.phone, '1')
    await send(one, late.phone, '2')
    const marker = await send(one, one.ana.phone)
    await kit.message(one, marker, 'delivered')
    assert.deepEqual(late.inbox, [])
    kit.server.faults.spoilKeys = () => null
    await send(one, late.phone, '3')
    await kit.app.jump(6000)
    await kit.until(() => late.inbox.length === 3, 'all three messages')
    assert.deepEqual(texts(late), ['1', '2', '3'])
  })

  it('a group member with unusable keys does not delay other members', async () => {
    const one = await kit.connect()
    const bad = person('Má')
    const group = kit.server.groups.create(one.ana, 'Obras', [one.own, bad])
    const { api, base } = one
    await kit.until(async () => (await api.get(`${base}/groups/${group}`)).status === 200, 'group')
    kit.server.faults.spoilKeys = (who) => (who === bad ? 'forged' : null)
    await send(one, group, '1')
    await send(one, group, '2')
    await kit.until(() => one.ana.inbox.length === 2, 'both messages')
    assert.deepEqual(texts(one.ana), ['1', '2'])
  })

  it('many new chats cause few failing key queries and do not delay known chats', async () => {
    const one = await kit.connect()
    await kit.message(one, await send(one, one.ana.phone), 'delivered')
    kit.server.faults.refuseKeys = '429'
    const before = kit.server.keyQueries
    const many = Array.from({ length: 40 }, () => person('Nova'))
    const ids = await Promise.all(many.map(({ phone }) => send(one, phone)))
    await kit.message(one, await send(one, one.ana.phone, 'e agora?'), 'delivered')
    assert.ok(
      kit.server.keyQueries - before <= 10 * PER_ATTEMPT,
      `${kit.server.keyQueries - before} queries`,
    )
    kit.server.faults.refuseKeys = null
    for (let minute = 0; minute < 3; minute++) await advance(one, 61_000)
    await kit.until(() => many.every(({ inbox }) => inbox.length === 1), 'all messages')
    assert.equal(await statusOf(one, ids[0] ?? ''), 'delivered')
  })
})

describe('a rejected file', () => {
  it('a file that cannot be uploaded fails alone, and the texts behind it are sent', async () => {
    const one = await kit.connect()
    const { api, base, ana } = one
    const other = person('Outra')
    kit.server.media.refuses = () => true
    const media = { base64: (await image('png', 40, 30)).toString('base64') }
    const sent = await api.post(`${base}/messages/media`, { to: ana.phone, type: 'image', media })
    await kit.message(one, await send(one, other.phone), 'delivered')
    await exhaust(one)
    await kit.message(one, sent.body.waMessageId, 'failed')
  })

  it('a file whose upload takes long delays only its chat, whose messages keep their order', async () => {
    const one = await kit.connect()
    const { api, base, ana } = one
    const other = person('Outra')
    let uploads = 0
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    kit.server.media.delay = () => {
      uploads++
      return released
    }
    const media = { base64: (await image('png', 40, 30)).toString('base64') }
    await api.post(`${base}/messages/media`, { to: ana.phone, type: 'image', media })
    while (uploads === 0) await new Promise((resolve) => setImmediate(resolve))
    await send(one, ana.phone, 'depois da foto')
    await send(one, other.phone, 'outro assunto')
    // Without waiting for the batch, which waits for the upload.
    kit.app.clock.jump(10_000)
    await kit.until(() => other.inbox.length === 1, 'the message to the other chat')
    assert.equal(ana.inbox.length, 0)
    release()
    await kit.until(async () => {
      await kit.app.jump(1000)
      return ana.inbox.length === 2
    }, 'the file and the text behind it')
    assert.deepEqual(texts(ana), [undefined, 'depois da foto'])
    assert.equal(uploads, 1)
  })
})
