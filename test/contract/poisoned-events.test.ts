// Events that cannot be stored: they affect no other event, of their own instance or of another Project.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type {
  InboundMessage,
  ReportedNetworkEvent,
} from '../../src/networks/network-events.port.ts'
import type { Party } from '../../src/model/records.schemas.ts'
import { inboundMessage } from '../kit/inbound-message.ts'
import { startScripted, type Scripted } from '../kit/scripted-network.ts'
import { randomBytes } from 'node:crypto'

let kit: Awaited<ReturnType<typeof startScripted>>
before(async () => {
  kit = await startScripted()
})
after(() => kit.app.close())

const ANA: Party = { phone: '5511980000001', lid: null, name: 'Ana' }
const CHAT = `${ANA.phone}@s.whatsapp.net`
/** Longer than an entry of an index can be, and not compressible. */
const tooLong = () => randomBytes(4000).toString('hex')
const message = (more: Partial<InboundMessage> = {}) =>
  inboundMessage(kit.app.clock, { chatId: CHAT, sender: ANA, ...more })
const textsOf = async ({ api, base }: Scripted) => {
  const { body } = await api.get(`${base}/messages`)
  return (body.items as { text: string }[]).map(({ text }) => text).toReversed()
}

describe('an event that cannot be stored', () => {
  it('an event that cannot be stored blocks no other event of its instance', async () => {
    const one = await kit.connect()
    const written = message()
    await one.listener.onMessages([written])
    const at = kit.app.clock.now()
    const change = { chatId: CHAT, by: ANA, fromMe: false, at }
    const edit = { kind: 'edited' as const, text: 'x', ...change }
    const events: ReportedNetworkEvent[] = [
      { ...edit, waMessageId: tooLong(), id: 'message 3AEDIT1' },
      { kind: 'pinned', ...change, waMessageId: tooLong(), until: at + 1000, id: 'message 3APIN1' },
      {
        kind: 'call',
        callId: tooLong(),
        from: ANA,
        video: false,
        group: false,
        status: 'ringing',
        at,
        id: 'call 1',
      },
      { ...edit, waMessageId: written.waMessageId, text: 'editada', id: 'message 3AEDIT2' },
    ]
    await one.listener.onEvents(events)
    assert.deepEqual(await textsOf(one), ['editada'])
  })

  it('an event that cannot be stored fails no event of another Project in the same batch', async () => {
    const [evil, good] = [await kit.connect(), await kit.connect()]
    const results = await Promise.allSettled([
      good.listener.onMessages([message()]),
      evil.listener.onMessages([message({ waMessageId: tooLong() })]),
      evil.listener.onMessages([message({ at: 1e20 })]),
      ...Array.from({ length: 3 }, () => good.listener.onMessages([message()])),
      evil.listener.onReceipts([
        { chatId: CHAT, waMessageIds: ['x'], status: 'read', at: 1e20, party: ANA, error: null },
      ]),
      good.listener.onReceipts([
        { chatId: CHAT, waMessageIds: ['x'], status: 'read', at: 1, party: ANA, error: null },
      ]),
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      results.map(() => 'fulfilled'),
    )
    await kit.app.settle()
    assert.equal((await textsOf(good)).length, 4)
    // The time of a message cannot be true, but the message can.
    assert.equal((await textsOf(evil)).length, 1)
  })
})
