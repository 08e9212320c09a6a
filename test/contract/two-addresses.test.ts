// A person whom a network names by phone, by LID or by both is one person everywhere (G36).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { HistoricMessage } from '../../src/networks/network-events.port.ts'
import { lockProjects } from '../../src/company/projects/projects.service.ts'
import { inboundMessage } from '../kit/inbound-message.ts'
import { locksAreAwaited } from '../kit/lock-is-awaited.ts'
import { startScripted, type Scripted } from '../kit/scripted-network.ts'

let kit: Awaited<ReturnType<typeof startScripted>>
/** Runs while the network associates a label. */
let meanwhile: () => Promise<void> = async () => {}
let labels = 0
before(async () => {
  kit = await startScripted(
    {},
    {
      saveLabel: async ({ networkId, color }) => ({ networkId: networkId ?? `${++labels}`, color }),
      associateLabel: async () => {
        await meanwhile()
        return null
      },
    },
  )
})
after(() => kit.app.close())

const GROUP = '120363000000000009@g.us'
const BIA = { phone: '5511980000002', lid: '2000@lid', name: 'Bia' }
let people = 0
/** A person whom no other test has met. */
function person() {
  const number = 1000 + people++
  const phone = `551198000${number}`
  const lid = `77${number}@lid`
  return {
    both: { phone, lid, name: 'Ana' },
    byPhone: { phone, lid: null, name: 'Ana' },
    byLid: { phone: null, lid, name: 'Ana' },
    phoneChat: `${phone}@s.whatsapp.net`,
    lidChat: lid,
  }
}
const now = () => kit.app.clock.now()
const event = (fields: object) => ({ at: now(), id: null, ...fields }) as never
const meet = (one: Scripted, party: object) =>
  one.listener.onEvents([event({ kind: 'contact', party })])
const chatsOf = async ({
  api,
  base,
}: Scripted): Promise<{ id: string; chat: { id: string }; labelIds: string[] }[]> =>
  (await api.get(`${base}/conversations`)).body.items
const idsOf = async (one: Scripted) => (await chatsOf(one)).map(({ chat }) => chat.id)
const read = async ({ api, base }: Scripted, id: string) =>
  (await api.get(`${base}/messages/${id}`)).body
async function receive(one: Scripted, ...messages: ReturnType<typeof inboundMessage>[]) {
  await one.listener.onMessages(messages)
  await kit.app.settle()
}
/** As a phone shares it from the past. */
const historic = (message: ReturnType<typeof inboundMessage>, more: object = {}) =>
  ({
    ...message,
    at: now() - 86_400_000,
    starred: false,
    status: 'received',
    ...more,
  }) as HistoricMessage

describe('a message under both addresses of its chat', () => {
  it('a message that arrives under phone and LID in one batch is stored once, and so is that of another company beside it', async () => {
    const [one, other] = [await kit.connect(), await kit.connect()]
    const ana = person()
    await meet(one, ana.both)
    const byLid = inboundMessage(kit.app.clock, { chatId: ana.lidChat, sender: ana.byLid })
    const byPhone = { ...byLid, chatId: ana.phoneChat, sender: ana.both }
    const healthy = inboundMessage(kit.app.clock, { chatId: ana.phoneChat, sender: ana.both })
    await Promise.all([
      one.listener.onMessages([byLid, byPhone]),
      other.listener.onMessages([healthy]),
    ])
    await kit.app.settle()
    const { items } = (await one.api.get(`${one.base}/messages`)).body
    assert.deepEqual(
      items.map(({ waMessageId }: { waMessageId: string }) => waMessageId),
      [byLid.waMessageId],
    )
    assert.equal((await read(other, healthy.waMessageId)).waMessageId, healthy.waMessageId)
  })

  it('a message that cannot be decrypted under one address is completed by the other in the same batch', async () => {
    const one = await kit.connect()
    const ana = person()
    await meet(one, ana.both)
    const text = inboundMessage(kit.app.clock, { chatId: ana.phoneChat, sender: ana.both })
    const content = { type: 'undecryptable' as const }
    const broken = {
      ...text,
      chatId: ana.lidChat,
      sender: ana.byLid,
      type: 'undecryptable',
      content,
    }
    await receive(one, broken as never, text)
    assert.equal((await read(one, text.waMessageId)).type, 'text')
  })

  it('history that has a message under both addresses of its chat is stored without losing the rest', async () => {
    const one = await kit.connect()
    const ana = person()
    await meet(one, ana.both)
    const twice = inboundMessage(kit.app.clock, { chatId: ana.lidChat, sender: ana.byLid })
    const rest = inboundMessage(kit.app.clock, {
      chatId: `${BIA.phone}@s.whatsapp.net`,
      sender: BIA,
    })
    const again = { ...twice, chatId: ana.phoneChat, sender: ana.both }
    await one.listener.onHistory([historic(twice), historic(again), historic(rest)])
    const { items } = (await one.api.get(`${one.base}/messages`)).body
    assert.equal(items.length, 2)
  })
})

describe('the conversation of a person', () => {
  it('a batch that first names a person by LID and then by both has one conversation', async () => {
    const one = await kit.connect()
    const ana = person()
    await receive(
      one,
      inboundMessage(kit.app.clock, { chatId: ana.lidChat, sender: ana.byLid }),
      inboundMessage(kit.app.clock, { chatId: ana.phoneChat, sender: ana.both }),
    )
    await receive(one, inboundMessage(kit.app.clock, { chatId: ana.lidChat, sender: ana.byLid }))
    assert.deepEqual(await idsOf(one), [ana.phoneChat])
  })

  it('a send to a LID that waits while a contact links it to a phone is in the conversation of the phone', async () => {
    const one = await kit.connect()
    const ana = person()
    const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const holding = kit.app.db.transaction(async (tx) => {
      await lockProjects(tx, [one.project.projectId])
      lock()
      await released
    })
    await locked
    const linked = meet(one, ana.both)
    await locksAreAwaited(kit.app.db, 1)
    const sent = one.api.post(`${one.base}/messages/text`, { to: ana.lidChat, text: 'oi' })
    await locksAreAwaited(kit.app.db, 2)
    release()
    assert.equal((await sent).status, 201)
    await Promise.all([holding, linked])
    await kit.app.settle()
    assert.deepEqual(await idsOf(one), [ana.phoneChat])
  })

  it('a label that the phone assigns to a LID is on the conversation of its phone number', async () => {
    const one = await kit.connect()
    const ana = person()
    await receive(one, inboundMessage(kit.app.clock, { chatId: ana.phoneChat, sender: ana.both }))
    const label = (await one.api.post(`${one.base}/labels`, { name: 'vip' })).body
    const association = { kind: 'label_association', networkId: `${labels}`, chatId: ana.lidChat }
    await one.listener.onEvents([event({ ...association, on: true })])
    assert.deepEqual(
      (await chatsOf(one)).map(({ chat, labelIds }) => [chat.id, labelIds]),
      [[ana.phoneChat, [label.id]]],
    )
    await one.listener.onEvents([event({ ...association, on: false })])
    assert.deepEqual((await chatsOf(one))[0]?.labelIds, [])
  })

  it('a label assigned while its conversation is merged is on the remaining conversation', async () => {
    const one = await kit.connect()
    const ana = person()
    await receive(one, inboundMessage(kit.app.clock, { chatId: ana.lidChat, sender: ana.byLid }))
    const label = (await one.api.post(`${one.base}/labels`, { name: 'vip' })).body
    const [chat] = await chatsOf(one)
    meanwhile = () => meet(one, ana.both)
    const { status } = await one.api.put(`${one.base}/labels/${label.id}/conversations/${chat?.id}`)
    meanwhile = async () => {}
    assert.equal(status, 204)
    assert.deepEqual(
      (await chatsOf(one)).map(({ chat: { id }, labelIds }) => [id, labelIds]),
      [[ana.phoneChat, [label.id]]],
    )
  })

  it('assigning a label that is deleted on the phone at the same time returns 404', async () => {
    const one = await kit.connect()
    const ana = person()
    await receive(one, inboundMessage(kit.app.clock, { chatId: ana.phoneChat, sender: ana.both }))
    const label = (await one.api.post(`${one.base}/labels`, { name: 'vip' })).body
    const [chat] = await chatsOf(one)
    const deleted = { kind: 'label', networkId: `${labels}`, name: 'vip', color: label.color }
    meanwhile = () => one.listener.onEvents([event({ ...deleted, deleted: true })])
    const { status } = await one.api.put(`${one.base}/labels/${label.id}/conversations/${chat?.id}`)
    meanwhile = async () => {}
    assert.equal(status, 404)
  })
})

describe('a participant of a group', () => {
  async function group(participants: object[]) {
    const one = await kit.connect()
    const state = { groupId: GROUP, subject: 'G', description: null, owner: null, createdAt: 0 }
    await one.listener.onEvents([
      event({ kind: 'group', group: { ...state, participants, settings: null, community: null } }),
    ])
    const change = (action: string, participant: object) =>
      one.listener.onEvents([
        event({
          kind: 'participants',
          groupId: GROUP,
          action,
          actor: BIA,
          participants: [participant],
        }),
      ])
    const members = async () =>
      (await one.api.get(`${one.base}/groups/${GROUP}`)).body.participants.map(
        ({ phone, lid, role }: { phone: string; lid: string; role: string }) => [phone, lid, role],
      )
    return { one, change, members }
  }
  const bia = [BIA.phone, BIA.lid, 'member']

  it('an admin known by phone and LID who is demoted by LID is one member and may delete nothing of others', async () => {
    const ana = person()
    const { one, change, members } = await group([
      { ...ana.both, role: 'admin' },
      { ...BIA, role: 'member' },
    ])
    await change('demote', ana.byLid)
    assert.deepEqual(
      new Set(await members()),
      new Set([bia, [ana.both.phone, ana.both.lid, 'member']]),
    )
    const message = inboundMessage(kit.app.clock, { chatId: GROUP, chatType: 'group', sender: BIA })
    await receive(one, message)
    const { waMessageId } = message
    const deleted = { kind: 'deleted', waMessageId, chatId: GROUP, by: ana.both, fromMe: false }
    await one.listener.onEvents([event(deleted)])
    assert.equal((await read(one, waMessageId)).deletedAt, null)
  })

  it('an admin known only by LID who is removed by phone and LID is no longer in the group', async () => {
    const ana = person()
    const { change, members } = await group([
      { ...ana.byLid, role: 'admin' },
      { ...BIA, role: 'member' },
    ])
    await change('remove', ana.both)
    assert.deepEqual(await members(), [bia])
  })

  it('an admin known only by LID who is demoted by phone is found through the contact that has both', async () => {
    const ana = person()
    const { one, change, members } = await group([{ ...ana.byLid, role: 'admin' }])
    await meet(one, ana.both)
    await change('demote', ana.byPhone)
    assert.deepEqual(await members(), [[ana.both.phone, ana.both.lid, 'member']])
  })

  it('a person whose votes name the LID first and then the phone has one vote, the newest', async () => {
    const ana = person()
    const { one } = await group([
      { ...ana.both, role: 'member' },
      { ...BIA, role: 'member' },
    ])
    const ofGroup = { chatId: GROUP, chatType: 'group' as const }
    const content = { type: 'poll', question: 'q', options: ['a', 'b'], maxSelections: 1 }
    const poll = inboundMessage(kit.app.clock, {
      ...ofGroup,
      sender: BIA,
      type: 'poll',
      content,
    } as never)
    await receive(one, poll)
    const vote = (sender: object, option: string, at: number) => {
      const choice = { type: 'pollVote', waMessageId: poll.waMessageId, options: [option] }
      return inboundMessage(kit.app.clock, {
        ...ofGroup,
        sender,
        type: 'pollVote',
        content: choice,
        at,
      } as never)
    }
    const votes = async () => (await read(one, poll.waMessageId)).poll.options
    await receive(one, vote(ana.byLid, 'a', now()))
    await receive(one, vote(ana.both, 'b', now() + 1000))
    const newest = await votes()
    assert.deepEqual(
      newest.map(({ votes: count }: { votes: number }) => count),
      [0, 1],
    )
    await receive(one, vote(ana.byLid, 'a', now() - 1000))
    assert.deepEqual(await votes(), newest)
  })
})

describe('a message of the past that is delivered', () => {
  it('a message that was revoked, edited or starred before it is delivered stays so, under the same id', async () => {
    const one = await kit.connect()
    const ana = person()
    const texts = ['revoked', 'edited', 'starred', 'untouched'] as const
    const messages = texts.map((text) =>
      historic(
        inboundMessage(kit.app.clock, {
          chatId: ana.phoneChat,
          sender: ana.both,
          content: { type: 'text', text },
        } as never),
        { starred: text === 'starred' },
      ),
    )
    const [revoked, edited] = messages
    await one.listener.onHistory(messages)
    const change = { chatId: ana.phoneChat, by: ana.both, fromMe: false }
    await one.listener.onEvents([
      event({ ...change, kind: 'deleted', waMessageId: revoked?.waMessageId }),
      event({
        ...change,
        kind: 'edited',
        waMessageId: edited?.waMessageId,
        text: 'corrected',
        at: edited?.at,
      }),
    ])
    const all = () => Promise.all(messages.map(({ waMessageId }) => read(one, waMessageId)))
    const before = await all()
    await receive(one, ...messages)
    const shown = ({ id, text, deletedAt, editedAt, starred }: Record<string, unknown>) => ({
      id,
      text,
      deletedAt,
      editedAt,
      starred,
    })
    const stored = (await all()).map(shown)
    assert.deepEqual(stored, before.map(shown))
    assert.ok(stored[0]?.deletedAt)
    assert.equal(stored[1]?.text, 'corrected')
    assert.equal(stored[2]?.starred, true)
  })
})

describe('an edit of a message that could not be decrypted', () => {
  const undecryptable = { type: 'undecryptable', content: { type: 'undecryptable' } }
  /** A message of Ana and the ways in which it, or its edit, may be reported. */
  async function message() {
    const one = await kit.connect()
    const ana = person()
    const text = inboundMessage(kit.app.clock, { chatId: ana.phoneChat, sender: ana.both })
    const { waMessageId } = text
    const edit = { kind: 'edited', waMessageId, chatId: ana.phoneChat, text: 'corrected' }
    return {
      edits: () => one.listener.onEvents([event({ ...edit, by: ana.both, fromMe: false })]),
      arrivesBroken: () => receive(one, { ...text, ...undecryptable } as never),
      arrives: () => receive(one, text),
      isShared: () => one.listener.onHistory([historic(text, { at: text.at })]),
      async assertCorrected() {
        const { text: shown, type, editedAt } = await read(one, waMessageId)
        assert.deepEqual([type, shown, editedAt !== null], ['text', 'corrected', true])
      },
    }
  }

  it('an edit is applied once its message can be decrypted, whichever of the two comes first', async () => {
    const later = await message()
    await later.arrivesBroken()
    await later.edits()
    await later.arrives()
    await later.assertCorrected()
    const sooner = await message()
    await sooner.edits()
    await sooner.arrivesBroken()
    await sooner.arrives()
    await sooner.assertCorrected()
  })

  it('a message of the past that can be read is not replaced by a delivery that cannot be decrypted', async () => {
    const shared = await message()
    await shared.isShared()
    await shared.edits()
    await shared.arrivesBroken()
    await shared.assertCorrected()
    await shared.arrives()
    await shared.assertCorrected()
  })
})
