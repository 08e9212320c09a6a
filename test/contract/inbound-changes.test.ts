// Authorization of incoming edits, pins, revocations, receipts, votes and reactions.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type {
  NetworkEvent,
  Receipt,
  ReportedNetworkEvent,
} from '../../src/networks/network-events.port.ts'
import { INITIAL_SETTINGS, type GroupSettings } from '../../src/model/group-settings.schemas.ts'
import type { Participant, Party } from '../../src/model/records.schemas.ts'
import type { Body } from '../kit/client.ts'
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
const CAU = person('80000003', 'Cau')
const chatOf = ({ phone }: Party) => `${phone}@s.whatsapp.net`
const GROUP = '120363000000000001@g.us'
const DAY_MS = 24 * 3600_000
let made = 0
const message = (one: WrittenMessage) => inboundMessage(kit.app.clock, one)

/** Delivers an incoming message and returns its network id. */
async function deliverMessage(to: Scripted, one: WrittenMessage): Promise<string> {
  const written = message(one)
  await to.listener.onMessages([written])
  await kit.app.settle()
  return written.waMessageId
}

const edit = (
  waMessageId: string,
  by: Party,
  more: Partial<Extract<NetworkEvent, { kind: 'edited' }>> = {},
): ReportedNetworkEvent => ({
  kind: 'edited',
  chatId: chatOf(by),
  waMessageId,
  text: 'forged',
  by,
  fromMe: false,
  at: kit.app.clock.now(),
  id: `edit ${++made}`,
  ...more,
})
const revoke = (
  waMessageId: string,
  by: Party,
  more: Partial<Extract<NetworkEvent, { kind: 'deleted' }>> = {},
): ReportedNetworkEvent => ({
  kind: 'deleted',
  chatId: chatOf(by),
  waMessageId,
  by,
  fromMe: false,
  at: kit.app.clock.now(),
  id: `revoke ${++made}`,
  ...more,
})

const pinBy = (
  waMessageId: string,
  by: Party,
  more: Partial<Extract<NetworkEvent, { kind: 'pinned' }>> = {},
): ReportedNetworkEvent => ({
  kind: 'pinned',
  chatId: chatOf(by),
  waMessageId,
  until: kit.app.clock.now() + DAY_MS,
  by,
  fromMe: false,
  at: kit.app.clock.now(),
  id: `pin ${++made}`,
  ...more,
})

const keepBy = (
  waMessageId: string,
  by: Party,
  more: Partial<Extract<NetworkEvent, { kind: 'kept' }>> = {},
): ReportedNetworkEvent => ({
  kind: 'kept',
  chatId: chatOf(by),
  waMessageId,
  kept: true,
  by,
  fromMe: false,
  at: kit.app.clock.now(),
  id: `keep ${++made}`,
  ...more,
})

async function emitChanges(to: Scripted, ...changes: ReportedNetworkEvent[]): Promise<void> {
  await to.listener.onEvents(changes)
  await kit.app.settle()
}
const read = async ({ api, base }: Scripted, waMessageId: string): Promise<Body> =>
  (await api.get(`${base}/messages/${waMessageId}`)).body

async function countRefusals(kind: string, reason: string): Promise<number> {
  const text = await kit.app.metrics()
  const line = `inbound_changes_refused_total{kind="${kind}",reason="${reason}"}`
  return Number(text.split(line)[1]?.split('\n')[0] ?? 0)
}

/** Runs `work` and asserts that the message is unchanged and one refusal with this reason is counted and logged. */
async function assertRefused(
  to: Scripted,
  waMessageId: string,
  kind: string,
  reason: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const [before, count] = [await read(to, waMessageId), await countRefusals(kind, reason)]
  await work()
  await kit.app.settle()
  assert.deepEqual(await read(to, waMessageId), before)
  assert.equal(await countRefusals(kind, reason), count + 1)
  assert.ok(
    kit.app.logs.some(
      (line) => line.includes('inbound change refused') && line.includes(waMessageId),
    ),
  )
}

/** Sends a message, by default to Ana, with a `sent` receipt. Returns its network id. */
async function sendMessage(from: Scripted, to: string = ANA.phone ?? ''): Promise<string> {
  const { body } = await from.api.post(`${from.base}/messages/text`, { to, text: 'original' })
  await kit.app.settle()
  const sent = { waMessageIds: [body.waMessageId], chatId: body.chat.id, party: null, error: null }
  await from.listener.onReceipts([{ ...sent, status: 'sent', at: kit.app.clock.now() }])
  await kit.app.settle()
  return body.waMessageId
}

async function createGroup(
  to: Scripted,
  roles: [Party, Participant['role']][],
  settings: GroupSettings | null = null,
): Promise<void> {
  const participants = roles.map(([party, role]) => ({ ...party, role }))
  const self = { phone: to.phone, lid: null, name: null, role: 'member' as const }
  const group = {
    groupId: GROUP,
    subject: 'Obras',
    description: null,
    settings,
    community: null,
    owner: null,
    createdAt: 0,
    participants: [...participants, self],
  }
  await emitChanges(to, { kind: 'group', group, at: kit.app.clock.now(), id: null })
}

const receipt = (waMessageId: string, party: Party, more: Partial<Receipt> = {}): Receipt => ({
  waMessageIds: [waMessageId],
  chatId: chatOf(party),
  status: 'read',
  party,
  error: null,
  at: kit.app.clock.now(),
  ...more,
})

describe('incoming pins', () => {
  it('a pin by either side of a direct chat shows on the message, and ends when it is unpinned', async () => {
    const one = await kit.connect()
    const [theirs, ours] = [
      await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA }),
      await sendMessage(one),
    ]
    const until = new Date(kit.app.clock.now() + DAY_MS).toISOString()
    for (const id of [theirs, ours]) {
      assert.ok(!('pinnedUntil' in (await read(one, id))))
      await emitChanges(one, pinBy(id, ANA))
      assert.equal((await read(one, id)).pinnedUntil, until)
    }
    await emitChanges(one, pinBy(ours, ANA, { until: null, at: kit.app.clock.now() + 1 }))
    assert.ok(!('pinnedUntil' in (await read(one, ours))))
    // The account's own phone pins, too.
    const own = { phone: one.phone, lid: null, name: null }
    const self = { chatId: chatOf(ANA), fromMe: true, at: kit.app.clock.now() + 2 }
    await emitChanges(one, pinBy(ours, own, self))
    assert.equal((await read(one, ours)).pinnedUntil, until)
  })

  it('a pin from another chat, or by someone who is not in the group, is refused', async () => {
    const one = await kit.connect()
    const id = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA })
    await assertRefused(one, id, 'pinned', 'other_chat', () => emitChanges(one, pinBy(id, BIA)))
    await assertRefused(one, id, 'pinned', 'not_a_participant', () =>
      emitChanges(one, pinBy(id, BIA, { chatId: chatOf(ANA) })),
    )
    await createGroup(one, [[ANA, 'member']])
    const inGroup = await deliverMessage(one, { chatId: GROUP, sender: ANA })
    await assertRefused(one, inGroup, 'pinned', 'not_a_participant', () =>
      emitChanges(one, pinBy(inGroup, CAU, { chatId: GROUP })),
    )
    await emitChanges(one, pinBy(inGroup, ANA, { chatId: GROUP }))
    assert.ok((await read(one, inGroup)).pinnedUntil)
  })

  it('a pin or a keep by a member of a group that only admins may edit is refused', async () => {
    const one = await kit.connect()
    const roles: [Party, Participant['role']][] = [
      [ANA, 'member'],
      [BIA, 'admin'],
    ]
    await createGroup(one, roles, { ...INITIAL_SETTINGS, onlyAdminsEdit: true })
    const id = await deliverMessage(one, { chatId: GROUP, sender: ANA })
    for (const [kind, markBy] of [
      ['pinned', pinBy],
      ['kept', keepBy],
    ] as const)
      await assertRefused(one, id, kind, 'not_an_admin', () =>
        emitChanges(one, markBy(id, ANA, { chatId: GROUP })),
      )
    await emitChanges(one, pinBy(id, BIA, { chatId: GROUP }), keepBy(id, BIA, { chatId: GROUP }))
    const { pinnedUntil, kept } = await read(one, id)
    assert.ok(pinnedUntil && kept)
  })

  it('a pin that arrives before its message waits for it, and an older one changes nothing', async () => {
    const one = await kit.connect()
    const waMessageId = `3A${++made}`
    const at = kit.app.clock.now()
    await emitChanges(one, pinBy(waMessageId, ANA))
    await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA, waMessageId })
    const { pinnedUntil } = await read(one, waMessageId)
    assert.equal(pinnedUntil, new Date(at + DAY_MS).toISOString())
    await emitChanges(one, pinBy(waMessageId, ANA, { until: null, at: at - 1000 }))
    assert.equal((await read(one, waMessageId)).pinnedUntil, pinnedUntil)
  })
})

describe('incoming keeps', () => {
  it('a message is kept by a participant, an older change has no effect, and one that arrives before its message waits', async () => {
    const one = await kit.connect()
    const id = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA })
    await emitChanges(one, keepBy(id, ANA))
    assert.equal((await read(one, id)).kept, true)
    const at = kit.app.clock.now()
    await emitChanges(one, keepBy(id, ANA, { kept: false, at: at - 1000 }))
    assert.equal((await read(one, id)).kept, true)
    await emitChanges(one, keepBy(id, ANA, { kept: false, at: at + 1 }))
    assert.ok(!('kept' in (await read(one, id))))
    const unknown = `3A${++made}`
    await emitChanges(one, keepBy(unknown, ANA))
    await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA, waMessageId: unknown })
    const { kept, deletedAt } = await read(one, unknown)
    assert.deepEqual([kept, deletedAt], [true, null])
  })

  it('a keep from another chat, or by someone who is not in it, is refused', async () => {
    const one = await kit.connect()
    const id = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA })
    await assertRefused(one, id, 'kept', 'other_chat', () => emitChanges(one, keepBy(id, BIA)))
    await assertRefused(one, id, 'kept', 'not_a_participant', () =>
      emitChanges(one, keepBy(id, BIA, { chatId: chatOf(ANA) })),
    )
  })
})

describe('incoming stars', () => {
  const star = (waMessageId: string, chatId: string) => ({
    kind: 'starred' as const,
    chatId,
    waMessageId,
    starred: true,
    at: kit.app.clock.now(),
    id: null,
  })

  it('a star counts in the chat of its message alone, and a keep of an unknown message is dropped', async () => {
    const one = await kit.connect()
    const id = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA })
    await assertRefused(one, id, 'starred', 'other_chat', () =>
      emitChanges(one, star(id, chatOf(BIA))),
    )
    await emitChanges(one, star(id, chatOf(ANA)))
    assert.equal((await read(one, id)).starred, true)
    // An older one that arrives late changes nothing.
    const at = kit.app.clock.now() - 1000
    await emitChanges(one, { ...star(id, chatOf(ANA)), starred: false, at })
    assert.equal((await read(one, id)).starred, true)
    const waMessageId = `3A${++made}`
    await emitChanges(one, star(waMessageId, chatOf(ANA)))
    await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA, waMessageId })
    assert.ok(!('starred' in (await read(one, waMessageId))))
  })
})

describe('incoming edits', () => {
  it('an edit by the author in the same chat changes the text of the message', async () => {
    const one = await kit.connect()
    const id = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA })
    await emitChanges(one, edit(id, ANA, { text: 'correct' }))
    const { text, editedAt } = await read(one, id)
    assert.equal(text, 'correct')
    assert.ok(editedAt)
  })

  it('an edit by a contact of a message sent by this account is refused', async () => {
    const one = await kit.connect()
    const id = await sendMessage(one)
    await assertRefused(one, id, 'edited', 'not_the_author', () => emitChanges(one, edit(id, ANA)))
  })

  it('an edit from another chat is refused, even if it names the chat of the message', async () => {
    const one = await kit.connect()
    const id = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA })
    await assertRefused(one, id, 'edited', 'other_chat', () => emitChanges(one, edit(id, BIA)))
    await assertRefused(one, id, 'edited', 'not_the_author', () =>
      emitChanges(one, edit(id, BIA, { chatId: chatOf(ANA) })),
    )
  })

  it('an edit does not affect a message with the same id on another instance', async () => {
    const [one, other] = [await kit.connect(), await kit.connect()]
    const id = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA })
    await deliverMessage(other, { chatId: chatOf(ANA), sender: ANA, waMessageId: id })
    await emitChanges(one, edit(id, ANA, { text: 'correct' }))
    assert.equal((await read(one, id)).text, 'correct')
    assert.equal((await read(other, id)).text, 'original')
  })

  it('an edit by another member of the group is refused, even by an admin', async () => {
    const one = await kit.connect()
    await createGroup(one, [
      [ANA, 'member'],
      [BIA, 'admin'],
    ])
    const id = await deliverMessage(one, { chatId: GROUP, sender: ANA })
    const attempt = () => emitChanges(one, edit(id, BIA, { chatId: GROUP }))
    await assertRefused(one, id, 'edited', 'not_the_author', attempt)
    await emitChanges(one, edit(id, ANA, { chatId: GROUP, text: 'correct' }))
    assert.equal((await read(one, id)).text, 'correct')
  })

  it('an edit by own devices changes messages sent by this account, but not those of a contact', async () => {
    const one = await kit.connect()
    const self: Party = { phone: one.phone, lid: null, name: null }
    const own = { chatId: chatOf(ANA), fromMe: true }
    const mine = await sendMessage(one)
    await emitChanges(one, edit(mine, self, { ...own, text: 'correct' }))
    assert.equal((await read(one, mine)).text, 'correct')
    const hers = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA })
    await assertRefused(one, hers, 'edited', 'not_the_author', () =>
      emitChanges(one, edit(hers, self, own)),
    )
  })

  it('an edit by an author with a LID changes a message that they wrote with their phone number', async () => {
    const one = await kit.connect()
    const id = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA })
    const byLid: Party = { phone: null, lid: ANA.lid, name: null }
    await emitChanges(one, edit(id, byLid, { chatId: ANA.lid ?? '', text: 'correct' }))
    assert.equal((await read(one, id)).text, 'correct')
  })

  it('an edit by an author whose phone and LID were merged after the message is accepted', async () => {
    const one = await kit.connect()
    const byLid: Party = { phone: null, lid: CAU.lid, name: 'Cau' }
    const id = await deliverMessage(one, { chatId: CAU.lid ?? '', sender: byLid })
    const byPhone: Party = { phone: CAU.phone, lid: null, name: 'Cau' }
    await assertRefused(one, id, 'edited', 'other_chat', () => emitChanges(one, edit(id, byPhone)))
    await emitChanges(one, { kind: 'contact', party: CAU, at: kit.app.clock.now(), id: null })
    await emitChanges(one, edit(id, byPhone, { text: 'correct' }))
    assert.equal((await read(one, id)).text, 'correct')
  })

  it('an edit that arrives before its message is applied when the message arrives', async () => {
    const one = await kit.connect()
    const receiver = await kit.app.receiver()
    await one.api.post('/v1/webhooks', { name: 'w', url: receiver.url })
    const at = kit.app.clock.now()
    await emitChanges(one, edit('3AEARLY', ANA, { text: 'correct', at: at + 1000 }))
    await emitChanges(one, edit('3AEARLY', BIA, { text: 'forged', at: at + 2000 }))
    await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA, waMessageId: '3AEARLY', at })
    assert.equal((await read(one, '3AEARLY')).text, 'correct')
    const [event] = receiver.events('message.received')
    assert.equal(event?.body.data.message.text, 'correct')
    // Pending changes are removed once applied.
    const rows = await kit.app.db.system`select 1 from pending_change where instance_id = ${one.id}`
    assert.equal(rows.length, 0)
  })

  it('an edit in a group that the instance ignores is not stored', async () => {
    const one = await kit.connect()
    const ignoring = { settings: { ignoreGroups: true } }
    assert.equal((await one.api.patch(`/v1/instances/${one.id}`, ignoring)).status, 200)
    await kit.app.settle()
    await emitChanges(
      one,
      edit('3AIGNORED', ANA, { chatId: GROUP }),
      revoke('3AIGNORED2', ANA, { chatId: GROUP }),
    )
    const rows = await kit.app.db.system`select 1 from pending_change where instance_id = ${one.id}`
    assert.equal(rows.length, 0)
  })

  it('edits of messages that do not exist drop no pending edit of another person', async () => {
    const one = await kit.connect()
    const at = kit.app.clock.now()
    await emitChanges(one, edit('3AEARLY2', ANA, { text: 'correct', at: at + 1000 }))
    for (let batch = 0; batch < 10; batch++)
      await emitChanges(
        one,
        ...Array.from({ length: 110 }, (_, index) => edit(`3ANONE${batch}x${index}`, BIA, { at })),
      )
    await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA, waMessageId: '3AEARLY2', at })
    assert.equal((await read(one, '3AEARLY2')).text, 'correct')
    const rows = await kit.app.db.system`select 1 from pending_change where instance_id = ${one.id}`
    assert.equal(rows.length, 50)
  })

  it('an edit older than the one applied is refused, and a repeated edit has no effect', async () => {
    const one = await kit.connect()
    const at = kit.app.clock.now()
    const id = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA, at })
    const second = edit(id, ANA, { text: 'second', at: at + 2000 })
    await emitChanges(one, second)
    await assertRefused(one, id, 'edited', 'superseded', () =>
      emitChanges(one, edit(id, ANA, { text: 'first', at: at + 1000 })),
    )
    const before = await read(one, id)
    await emitChanges(one, second)
    assert.deepEqual(await read(one, id), before)
  })

  it('an edit after the WhatsApp edit window is refused', async () => {
    const one = await kit.connect()
    const at = kit.app.clock.now()
    const id = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA, at })
    await assertRefused(one, id, 'edited', 'too_late', () =>
      emitChanges(one, edit(id, ANA, { at: at + 20 * 60_000 + 1000 })),
    )
    await emitChanges(one, edit(id, ANA, { text: 'correct', at: at + 19 * 60_000 }))
    assert.equal((await read(one, id)).text, 'correct')
  })

  it('an edit of a revoked message or a type without text is refused', async () => {
    const one = await kit.connect()
    const id = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA })
    await emitChanges(one, revoke(id, ANA))
    await assertRefused(one, id, 'edited', 'already_deleted', () => emitChanges(one, edit(id, ANA)))
    const content = {
      type: 'location',
      latitude: 1,
      longitude: 2,
      name: null,
      address: null,
    } as const
    const place = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA, content })
    await assertRefused(one, place, 'edited', 'not_editable', () =>
      emitChanges(one, edit(place, ANA)),
    )
  })
})

describe('incoming revocations', () => {
  it('a repeated revocation by the author is applied once and emits one event', async () => {
    const one = await kit.connect()
    const receiver = await kit.app.receiver()
    await one.api.post('/v1/webhooks', { name: 'w', url: receiver.url })
    const id = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA })
    await emitChanges(one, revoke(id, ANA))
    await emitChanges(one, revoke(id, ANA))
    assert.ok((await read(one, id)).deletedAt)
    assert.equal(receiver.events('message.deleted').length, 1)
  })

  it('a revocation by a contact of a message sent by this account is refused and emits nothing', async () => {
    const one = await kit.connect()
    const receiver = await kit.app.receiver()
    await one.api.post('/v1/webhooks', { name: 'w', url: receiver.url })
    const id = await sendMessage(one)
    await assertRefused(one, id, 'deleted', 'not_the_author', () =>
      emitChanges(one, revoke(id, ANA)),
    )
    assert.equal(receiver.events('message.deleted').length, 0)
  })

  it('a revocation from another chat is refused', async () => {
    const one = await kit.connect()
    const id = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA })
    await assertRefused(one, id, 'deleted', 'other_chat', () => emitChanges(one, revoke(id, BIA)))
  })

  it('a revocation in a group is accepted from the author or an admin only', async () => {
    const one = await kit.connect()
    await createGroup(one, [
      [ANA, 'member'],
      [BIA, 'admin'],
      [CAU, 'member'],
    ])
    const [first, second] = [
      await deliverMessage(one, { chatId: GROUP, sender: ANA }),
      await deliverMessage(one, { chatId: GROUP, sender: ANA }),
    ]
    const inGroup = { chatId: GROUP }
    await assertRefused(one, first, 'deleted', 'not_the_author', () =>
      emitChanges(one, revoke(first, CAU, inGroup)),
    )
    await emitChanges(one, revoke(first, BIA, inGroup), revoke(second, ANA, inGroup))
    assert.ok((await read(one, first)).deletedAt)
    assert.ok((await read(one, second)).deletedAt)
    const mine = await sendMessage(one, GROUP)
    await emitChanges(one, revoke(mine, { ...BIA, phone: null }, inGroup))
    assert.ok((await read(one, mine)).deletedAt)
  })

  it('a revocation by own devices is accepted for any message of the chat', async () => {
    const one = await kit.connect()
    const self: Party = { phone: one.phone, lid: null, name: null }
    const id = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA })
    await emitChanges(one, revoke(id, self, { chatId: chatOf(ANA), fromMe: true }))
    assert.ok((await read(one, id)).deletedAt)
  })

  it('a revocation that arrives before its message is applied later if it is from the author', async () => {
    const one = await kit.connect()
    await emitChanges(one, revoke('3AGONE', ANA), revoke('3ASTAYS', BIA))
    await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA, waMessageId: '3AGONE' })
    await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA, waMessageId: '3ASTAYS' })
    assert.ok((await read(one, '3AGONE')).deletedAt)
    assert.equal((await read(one, '3ASTAYS')).deletedAt, null)
  })

  it('revocations whose message never arrives are limited in number and expire', async () => {
    const one = await kit.connect()
    const many = Array.from({ length: 1005 }, (_, index) =>
      revoke(`3ANEVER${index}`, { ...ANA, phone: `55119800${index % 30}`, lid: null }),
    )
    await emitChanges(one, ...many)
    const count = async () => {
      const rows = await kit.app.db
        .system`select 1 from pending_change where instance_id = ${one.id}`
      return rows.length
    }
    assert.equal(await count(), 1000)
    await kit.app.jump(61 * 3600_000)
    assert.equal(await count(), 0)
  })
})

describe('incoming receipts', () => {
  it('a receipt from the contact of the chat, by phone or LID, updates the message status', async () => {
    const one = await kit.connect()
    await emitChanges(one, { kind: 'contact', party: ANA, at: kit.app.clock.now(), id: null })
    for (const party of [ANA, { ...ANA, phone: null }, { ...ANA, lid: null }]) {
      const id = await sendMessage(one)
      const chatId = party.phone ? chatOf(party) : (party.lid ?? '')
      await one.listener.onReceipts([receipt(id, party, { chatId })])
      assert.equal((await read(one, id)).status, 'read')
    }
  })

  it('a receipt from any other contact is refused', async () => {
    const one = await kit.connect()
    const id = await sendMessage(one)
    for (const more of [{}, { chatId: chatOf(ANA) }]) {
      await assertRefused(one, id, 'receipt', 'not_a_participant', () =>
        one.listener.onReceipts([receipt(id, BIA, more)]),
      )
    }
  })

  it('a receipt in a group is accepted from participants only', async () => {
    const one = await kit.connect()
    await createGroup(one, [[ANA, 'member']])
    const id = await sendMessage(one, GROUP)
    await assertRefused(one, id, 'receipt', 'not_a_participant', () =>
      one.listener.onReceipts([receipt(id, BIA, { chatId: GROUP })]),
    )
    await one.listener.onReceipts([receipt(id, { ...ANA, phone: null }, { chatId: GROUP })])
    assert.equal((await read(one, id)).status, 'read')
  })

  it('a refused receipt does not affect valid receipts in the same batch', async () => {
    const one = await kit.connect()
    const id = await sendMessage(one)
    await one.listener.onReceipts([
      receipt(id, BIA, { status: 'played' }),
      receipt(id, ANA, { status: 'delivered' }),
    ])
    assert.equal((await read(one, id)).status, 'delivered')
  })
})

describe('incoming reactions and votes', () => {
  const reacts = (target: string) =>
    ({ type: 'reaction', waMessageId: target, emoji: '👍' }) as const
  const votes = (target: string) => ({
    type: 'pollVote' as const,
    waMessageId: target,
    options: ['9h'],
  })
  const options = ['9h', '14h']
  const poll = { type: 'poll' as const, question: 'Que horas?', options, maxSelections: 1 }
  const stored = async ({ api, base }: Scripted, id: string) =>
    (await api.get(`${base}/messages/${id}`)).status === 200

  it('a reaction or vote on a message of another chat is refused', async () => {
    const one = await kit.connect()
    const id = await sendMessage(one)
    await assertRefused(one, id, 'reaction', 'other_chat', async () => {
      const sent = await deliverMessage(one, {
        chatId: chatOf(BIA),
        sender: BIA,
        content: reacts(id),
      })
      assert.equal(await stored(one, sent), false)
    })
    const asked = await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA, content: poll })
    await assertRefused(one, asked, 'pollVote', 'other_chat', () =>
      deliverMessage(one, { chatId: chatOf(BIA), sender: BIA, content: votes(asked) }),
    )
  })

  it('a reaction or vote by a contact who is not a participant of the group is refused', async () => {
    const one = await kit.connect()
    await createGroup(one, [[ANA, 'member']])
    const asked = await deliverMessage(one, { chatId: GROUP, sender: ANA, content: poll })
    for (const [kind, content] of [
      ['reaction', reacts(asked)],
      ['pollVote', votes(asked)],
    ] as const) {
      await assertRefused(one, asked, kind, 'not_a_participant', () =>
        deliverMessage(one, { chatId: GROUP, sender: BIA, content }),
      )
    }
    await deliverMessage(one, {
      chatId: GROUP,
      sender: { ...ANA, phone: null },
      content: votes(asked),
    })
    assert.deepEqual((await read(one, asked)).poll.options[0], { name: '9h', votes: 1 })
  })

  it('a reaction to an unknown message, such as one sent before pairing, is stored', async () => {
    const one = await kit.connect()
    const content = reacts('3AUNKNOWN')
    assert.ok(
      await stored(one, await deliverMessage(one, { chatId: chatOf(ANA), sender: ANA, content })),
    )
  })
})
