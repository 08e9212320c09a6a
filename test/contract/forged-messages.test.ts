// Messages that arrive with the id of another one: only its author can complete or replace it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { HistoricMessage, InboundMessage } from '../../src/networks/network-events.port.ts'
import type { Party } from '../../src/model/records.schemas.ts'
import { inboundMessage, type WrittenMessage } from '../kit/inbound-message.ts'
import { startScripted, type Scripted } from '../kit/scripted-network.ts'

let kit: Awaited<ReturnType<typeof startScripted>>
before(async () => {
  kit = await startScripted()
})
after(() => kit.app.close())

const person = (digits: string, name: string): Party => ({
  phone: `55119${digits}`,
  lid: `1${digits}000@lid`,
  name,
})
const ANA = person('80000001', 'Ana')
const BIA = person('80000002', 'Bia')
const CHAT = `${ANA.phone}@s.whatsapp.net`
const GROUP = '120363000000000001@g.us'
const DAY_MS = 24 * 3600_000

const text = (written: string): Pick<InboundMessage, 'type' | 'content'> => ({
  type: 'text',
  content: { type: 'text', text: written },
})
const UNREADABLE: Pick<InboundMessage, 'type' | 'content'> = {
  type: 'undecryptable',
  content: { type: 'undecryptable' },
}
const message = (one: WrittenMessage) => inboundMessage(kit.app.clock, one)

async function deliver(to: Scripted, one: WrittenMessage): Promise<string> {
  const written = message(one)
  await to.listener.onMessages([written])
  await kit.app.settle()
  return written.waMessageId
}

async function share(to: Scripted, one: WrittenMessage): Promise<string> {
  const written: HistoricMessage = {
    ...message({ at: kit.app.clock.now() - DAY_MS, ...one }),
    starred: false,
    status: one.fromMe ? 'read' : 'received',
  }
  await to.listener.onHistory([written])
  await kit.app.settle()
  return written.waMessageId
}

/** The messages of an instance: direction, sender, type and text of each. */
async function read({ api, base }: Scripted): Promise<unknown[]> {
  const { body } = await api.get(`${base}/messages`)
  return (
    body.items as { direction: string; from: Party | null; type: string; text: string | null }[]
  ).map(({ direction, from, type, text: written }) => [
    direction,
    from?.phone ?? null,
    type,
    written,
  ])
}
const own = ({ phone }: Scripted): Party => ({ phone, lid: null, name: null })

describe('a message with the id of one that could not be decrypted', () => {
  it('a message completes an undecryptable one with its id if both have the same author, by number or by LID', async () => {
    const one = await kit.connect()
    const first = await deliver(one, { chatId: GROUP, sender: ANA, ...UNREADABLE })
    const again = { ...ANA, phone: null }
    await deliver(one, { chatId: GROUP, sender: again, waMessageId: first, ...text('oi') })
    assert.deepEqual(await read(one), [['inbound', ANA.phone, 'text', 'oi']])
  })

  it('a message with the id of another member’s undecryptable message does not replace it', async () => {
    const one = await kit.connect()
    const id = await deliver(one, { chatId: GROUP, sender: ANA, ...UNREADABLE })
    await deliver(one, { chatId: GROUP, sender: BIA, waMessageId: id, ...text('forjada') })
    assert.deepEqual(await read(one), [['inbound', ANA.phone, 'undecryptable', null]])
    // Its author can still complete it.
    await deliver(one, { chatId: GROUP, sender: ANA, waMessageId: id, ...text('verdadeira') })
    assert.deepEqual(await read(one), [['inbound', ANA.phone, 'text', 'verdadeira']])
  })

  it('a message with the id of the account’s own undecryptable message does not replace it', async () => {
    const one = await kit.connect()
    const mine = { chatId: CHAT, sender: own(one), fromMe: true }
    const id = await deliver(one, { ...mine, ...UNREADABLE })
    await deliver(one, { chatId: CHAT, sender: ANA, waMessageId: id, ...text('forjada') })
    assert.deepEqual(await read(one), [['outbound', one.phone, 'undecryptable', null]])
  })
})

describe('a message with the id of one that a phone has shared', () => {
  it('a message replaces a historic one with its id if both have the same author', async () => {
    const one = await kit.connect()
    const id = await share(one, { chatId: CHAT, sender: ANA, ...text('de ontem') })
    await deliver(one, { chatId: CHAT, sender: ANA, waMessageId: id, ...text('de ontem') })
    assert.deepEqual(await read(one), [['inbound', ANA.phone, 'text', 'de ontem']])
  })

  it('a message with the id of a historic message of the account does not replace it', async () => {
    const one = await kit.connect()
    const mine = { chatId: CHAT, sender: own(one), fromMe: true }
    const id = await share(one, { ...mine, ...text('custa 100') })
    await deliver(one, { chatId: CHAT, sender: ANA, waMessageId: id, ...text('custa 10') })
    assert.deepEqual(await read(one), [['outbound', one.phone, 'text', 'custa 100']])
  })

  it('a message with the id of a historic message of another member does not replace it', async () => {
    const one = await kit.connect()
    const id = await share(one, { chatId: GROUP, sender: ANA, ...text('aceito') })
    await deliver(one, { chatId: GROUP, sender: BIA, waMessageId: id, ...text('recuso') })
    assert.deepEqual(await read(one), [['inbound', ANA.phone, 'text', 'aceito']])
  })
})

it('of two messages with one id that arrive together, the later one replaces nothing', async () => {
  const one = await kit.connect()
  const real = message({ chatId: GROUP, sender: ANA })
  const unreadable = message({ chatId: GROUP, sender: ANA, ...UNREADABLE })
  const withChanges = (of: InboundMessage, more: Partial<InboundMessage>) => ({ ...of, ...more })
  await one.listener.onMessages([
    real,
    withChanges(real, { sender: BIA, ...text('forjada') }),
    unreadable,
    withChanges(unreadable, { sender: BIA, ...text('forjada') }),
    withChanges(unreadable, text('legível')),
  ])
  await kit.app.settle()
  assert.deepEqual((await read(one)).toReversed(), [
    ['inbound', ANA.phone, 'text', 'original'],
    ['inbound', ANA.phone, 'text', 'legível'],
  ])
})

describe('a message with the id of one in another chat', () => {
  /** Bia writes to the account with the id of a message in the group. */
  async function reuse(to: Scripted, waMessageId: string): Promise<void> {
    const direct = { ...BIA, phone: null }
    await deliver(to, { chatId: BIA.lid ?? '', sender: direct, waMessageId, ...text('da Bia') })
  }

  it('a message with the id of one in another chat does not replace it anywhere in the API', async () => {
    const one = await kit.connect()
    const { api, base } = one
    const id = await deliver(one, { chatId: GROUP, sender: ANA, ...text('da Ana') })
    await reuse(one, id)
    assert.equal((await api.get(`${base}/messages/${id}`)).body.text, 'da Ana')
    for (const place of [{}, { to: GROUP }]) {
      const { body } = await api.post(`${base}/messages/reaction`, {
        ...place,
        waMessageId: id,
        emoji: '👍',
      })
      assert.equal(body.chat?.id, GROUP, JSON.stringify(body))
    }
    const forwarded = await api.post(`${base}/messages/${id}/forward`, { to: '+5511955554444' })
    assert.equal(forwarded.body.text, 'da Ana')
    const answer = { to: GROUP, text: 'ok', quotedWaMessageId: id }
    const quoting = await api.post(`${base}/messages/text`, answer)
    assert.equal(quoting.body.quoted.text, 'da Ana')
    await kit.app.settle()
    const sent = kit.sent.find(({ waMessageId }) => waMessageId === quoting.body.waMessageId)
    assert.deepEqual([sent?.quoted?.text, sent?.quoted?.sender?.lid], ['da Ana', ANA.lid])
    // A message of the chat that a request names comes before an older one elsewhere.
    const other = await api.post(`${base}/messages/reaction`, {
      to: BIA.lid,
      waMessageId: id,
      emoji: '👍',
    })
    assert.equal(other.body.chat?.id, BIA.lid, JSON.stringify(other.body))
  })

  it('a message with the id of one of the account does not prevent changing or revoking that', async () => {
    const one = await kit.connect()
    const { api, base } = one
    const { waMessageId } = (
      await api.post(`${base}/messages/text`, { to: GROUP, text: 'preço errado' })
    ).body
    await kit.app.settle()
    const receipt = { waMessageIds: [waMessageId], chatId: GROUP, party: null, error: null }
    await one.listener.onReceipts([{ ...receipt, status: 'sent', at: kit.app.clock.now() }])
    await reuse(one, waMessageId)
    const changed = await api.patch(`${base}/messages/${waMessageId}`, { text: 'certo' })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    const revoked = await api.delete(`${base}/messages/${waMessageId}`)
    assert.equal(revoked.status, 204, JSON.stringify(revoked.body))
  })
})

it('a message with the id of a message by someone else is counted and logged', async () => {
  const one = await kit.connect()
  const count = async () => {
    const line = /inbound_changes_refused_total\{kind="message",reason="not_the_author"\} (\d+)/
    return Number(line.exec(await kit.app.metrics())?.[1] ?? 0)
  }
  const before = await count()
  const id = await deliver(one, { chatId: GROUP, sender: ANA })
  await deliver(one, { chatId: GROUP, sender: BIA, waMessageId: id, ...text('forjada') })
  assert.equal((await count()) - before, 1)
  assert.deepEqual(await read(one), [['inbound', ANA.phone, 'text', 'original']])
})
