// Message types in both directions, conversations, contacts, groups, labels, calls and identity resolution.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Body, Client } from '../kit/client.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

/** Creates a connected instance, a contact's phone and a webhook subscribed to all events. */
async function createConversationFixture(options: { business?: boolean } = {}) {
  const api = await kit.key(await kit.project())
  const { id, base, phone, phoneBase } = await kit.pair(api, 'Loja', options)
  const own = { phone, base: phoneBase }
  const receiver = await kit.receiver()
  await api.post('/v1/webhooks', { name: 'w', url: receiver.url })
  const ana = await kit.phone(api, { name: 'Ana' })
  return { api, base, own, ana, receiver, id }
}
const sendAs = async (api: Client, phone: { base: string }, to: string, text = 'oi') => {
  const { body } = await api.post(`${phone.base}/messages`, { to, text })
  await kit.settle()
  return body
}
const items = async (api: Client, path: string) => (await api.get(path)).body.items as Body[]

describe('message types', () => {
  it('location, contact, poll and reaction messages are sent, each with its own field in the response', async () => {
    const { api, base, ana } = await createConversationFixture()
    const place = { latitude: -23.5, longitude: -46.6, name: 'Sé' }
    const location = await api.post(`${base}/messages/location`, { to: ana.phone, ...place })
    assert.deepEqual(location.body.location, { ...place, address: null })
    const vcard = 'BEGIN:VCARD\nVERSION:3.0\nFN:Bia\nTEL;TYPE=CELL:+55 11 99999-8888\nEND:VCARD'
    const card = await api.post(`${base}/messages/contact`, { to: ana.phone, vcard })
    assert.deepEqual(card.body.contacts[0].phones, [{ phone: '5511999998888', label: 'CELL' }])
    const question = { question: 'Que horas?', options: ['9h', '14h'] }
    const poll = await api.post(`${base}/messages/poll`, { to: ana.phone, ...question })
    assert.equal(poll.body.poll.maxSelections, 1)
    await kit.settle()
    const { waMessageId } = await sendAs(api, ana, (await api.get(base)).body.phone)
    const reaction = await api.post(`${base}/messages/reaction`, { waMessageId, emoji: '👍' })
    assert.deepEqual(reaction.body.reaction, { waMessageId, emoji: '👍' })
    await kit.settle()
    const types = (await items(api, `${ana.base}/inbox`)).map(({ type }) => type)
    assert.deepEqual(types, ['reaction', 'poll', 'contact', 'location'])
    const unknown = await api.post(`${base}/messages/reaction`, {
      waMessageId: 'nope',
      emoji: '👍',
    })
    assert.equal(unknown.status, 404)
  })

  it('message content out of range is rejected with 400, and unusual Unicode text is accepted', async () => {
    const { api, base } = await createConversationFixture()
    const to = '5511988887777'
    const inject = { name: 'A\r\nTEL:1', phones: [{ phone: '5511999998888' }] }
    for (const body of [
      { type: 'location', latitude: 91, longitude: 0 },
      { type: 'location', latitude: 0, longitude: -181 },
      { type: 'poll', question: 'x', options: ['a'] },
      { type: 'poll', question: 'x', options: Array.from({ length: 13 }, (_, n) => `${n}`) },
      { type: 'poll', question: 'x', options: ['a', 'a'] },
      { type: 'contact', contacts: [inject] },
      { type: 'contact', vcard: 'BEGIN:VCARD\nFN:A' },
      { type: 'contact' },
      { type: 'reaction', waMessageId: 'x', emoji: 'texto' },
      { type: 'text', text: 'x'.repeat(65_537) },
      { type: 'carta', text: 'x' },
      { type: 'pollVote', waMessageId: 'x', options: [] },
    ]) {
      assert.equal((await api.post(`${base}/messages`, { to, ...body })).status, 400, body.type)
    }
    const odd = await api.post(`${base}/messages`, { to, text: '👩‍👩‍👧‍👦 \u202eעברית' })
    assert.equal(odd.body.text, '👩‍👩‍👧‍👦 \u202eעברית')
  })

  it('poll votes arrive as messages, count once per voter and do not increase the unread count', async () => {
    const { api, base, ana, receiver } = await createConversationFixture()
    const question = { question: 'Que horas?', options: ['9h', '14h'] }
    const { body: poll } = await api.post(`${base}/messages/poll`, { to: ana.phone, ...question })
    await kit.settle()
    const to = (await api.get(base)).body.phone
    const vote = (options: string[]) =>
      api.post(`${ana.base}/messages`, {
        to,
        type: 'pollVote',
        waMessageId: poll.waMessageId,
        options,
      })
    assert.equal((await vote(['10h'])).status, 400)
    for (const options of [['9h'], ['14h']]) {
      assert.equal((await vote(options)).status, 201)
      await kit.settle()
    }
    const shown = (await api.get(`${base}/messages/${poll.id}`)).body
    assert.deepEqual(shown.poll.options, [
      { name: '9h', votes: 0 },
      { name: '14h', votes: 1 },
    ])
    const [first] = receiver.events('message.received')
    assert.equal(first?.body.data.message.type, 'pollVote')
    assert.deepEqual(first?.body.data.message.poll.selected, ['9h'])
    const [conversation] = await items(api, `${base}/conversations`)
    assert.equal(conversation.unreadCount, 0)
  })
})

describe('changing messages', () => {
  it('messages can be edited and deleted on both sides, and only a deletion by a contact emits an event', async () => {
    const { api, base, own, ana, receiver } = await createConversationFixture()
    const send = async (text: string) =>
      (await api.post(`${base}/messages`, { to: ana.phone, text })).body
    const [one, two] = [await send('um'), await send('dois')]
    await kit.settle()
    const edited = await api.patch(`${base}/messages/${one.id}`, { text: 'primeiro' })
    assert.equal(edited.body.text, 'primeiro')
    assert.ok(edited.body.editedAt)
    assert.equal((await api.delete(`${base}/messages/${two.id}`)).status, 204)
    const inbox = await items(api, `${ana.base}/inbox`)
    assert.equal(inbox[1].text, 'primeiro')
    assert.ok(inbox[0].deletedAt)
    const { waMessageId } = await sendAs(api, ana, own.phone)
    await api.patch(`${ana.base}/messages/${waMessageId}`, { text: 'mudei' })
    await kit.settle()
    const received = (await api.get(`${base}/messages/${waMessageId}`)).body
    assert.equal(received.text, 'mudei')
    for (let count = 0; count < 2; count++) await api.delete(`${ana.base}/messages/${waMessageId}`)
    await kit.settle()
    const [deletion, ...more] = receiver.events('message.deleted')
    assert.deepEqual(more, [])
    assert.equal(deletion?.body.data.waMessageId, waMessageId)
    assert.equal(deletion?.body.data.deletedBy.phone, ana.phone)
    assert.equal((await api.delete(`${base}/messages/${received.id}`)).status, 400)
    await kit.jump(16 * 60_000)
    assert.equal((await api.patch(`${base}/messages/${one.id}`, { text: 'x' })).status, 409)
  })

  it('deleting a queued message cancels it and refunds its credit', async () => {
    const project = await kit.project()
    const api = await kit.key(project, 'production')
    const { base } = await kit.pair(api)
    const body = { to: '5511988887777', text: 'x', delayMs: 60_000 }
    const { body: sent } = await api.post(`${base}/messages`, body)
    await api.delete(`${base}/messages/${sent.id}`)
    await kit.jump(61_000)
    const shown = (await api.get(`${base}/messages/${sent.id}`)).body
    assert.deepEqual([shown.status, shown.sentAt], ['failed', null])
    assert.equal(await kit.operator.billing.credits(kit.db, project.projectId), 1000)
  })
})

describe('conversations and contacts', () => {
  it('a conversation shows its last message and unread count and can be searched, archived and pinned', async () => {
    const { api, base, own, ana } = await createConversationFixture()
    await sendAs(api, ana, own.phone, 'um')
    await sendAs(api, ana, own.phone, 'dois')
    const [conversation] = await items(api, `${base}/conversations?q=ana&unread=true&type=direct`)
    assert.equal(conversation.unreadCount, 2)
    assert.equal(conversation.lastMessage.text, 'dois')
    assert.equal(conversation.contact.phone, ana.phone)
    const path = `${base}/conversations/${conversation.id}`
    const { body } = await api.patch(path, { archived: true, pinned: true })
    assert.deepEqual([body.archived, body.pinned], [true, true])
    assert.equal((await items(api, `${base}/conversations?pinned=true`)).length, 1)
    assert.equal((await items(api, '/v1/conversations?pinned=true')).length, 1)
    assert.equal((await items(api, '/v1/conversations?pinned=false')).length, 0)
    assert.equal((await api.patch(path, {})).status, 400)
    assert.equal((await api.patch(`${base}/conversations/cnv_x`, { pinned: true })).status, 404)
    const [contact] = await items(api, `${base}/contacts?q=%C3%81N`)
    assert.deepEqual([contact.phone, contact.name], [ana.phone, 'Ana'])
  })

  it('a changed contact name updates contact and conversation and emits one event', async () => {
    const { api, base, own, ana, receiver } = await createConversationFixture()
    await sendAs(api, ana, own.phone)
    await api.patch(ana.base, { name: 'Ana Souza' })
    await kit.settle()
    await sendAs(api, ana, own.phone)
    const events = receiver.events('contact.updated')
    assert.equal(events.length, 1)
    assert.deepEqual(events[0]?.body.data.changes, { name: { from: 'Ana', to: 'Ana Souza' } })
    const [conversation] = await items(api, `${base}/conversations`)
    assert.equal(conversation.chat.name, 'Ana Souza')
  })

  it('a contact whose LID was known before the phone number has one conversation', async () => {
    const { api, base, own, ana } = await createConversationFixture()
    const { lid } = (
      await kit.db.system`select lid from simulator_phone where id = ${ana.id}`
    )[0] as {
      lid: string
    }
    const { body: first } = await api.post(`${base}/messages`, { to: lid, text: 'oi' })
    // It has neither a name nor a number that a search could compare.
    const found = await items(api, `${base}/conversations?q=${lid}&type=direct`)
    assert.deepEqual(
      found.map(({ id, contact }) => [id, contact.lid]),
      [[first.conversationId, lid]],
    )
    await kit.settle()
    await sendAs(api, ana, own.phone, 'sou eu')
    const conversations = await items(api, `${base}/conversations`)
    assert.equal(conversations.length, 1)
    assert.deepEqual(
      [conversations[0].contact.phone, conversations[0].contact.lid],
      [ana.phone, lid],
    )
    const all = await items(api, `${base}/messages?conversationId=${conversations[0].id}`)
    assert.equal(all.length, 2)
    const again = { conversationId: first.conversationId, text: 'de novo' }
    const { body: sent } = await api.post(`${base}/messages`, again)
    assert.equal(sent.to.phone, ana.phone)
  })

  it('a Brazilian mobile number resolves to the number on the network, with or without the ninth digit', async () => {
    const { api, base } = await createConversationFixture()
    const old = await kit.phone(api, { phone: '551188887777', name: 'Antiga' })
    const typed = ['5511988887777', '551188887777', '551197776666', '55 11 9 9777-6666']
    const { body } = await api.post(`${base}/contacts/check`, {
      phones: [...typed, '5511988880003'],
    })
    assert.deepEqual(
      body.items.map((item: Body) => [item.exists, item.phone]),
      [
        [true, old.phone],
        [true, old.phone],
        [true, '551197776666'.replace('5511', '55119')],
        [true, '5511997776666'],
        [false, null],
      ],
    )
    const { body: sent } = await api.post(`${base}/messages`, { to: typed[0], text: 'oi' })
    assert.equal(sent.to.phone, old.phone)
    await kit.settle()
    assert.equal((await items(api, `${old.base}/inbox`)).length, 1)
  })
})

describe('groups', () => {
  it('a group can be created, changed, written to and left, and each change emits an event', async () => {
    const { api, base, own, ana, receiver } = await createConversationFixture()
    const body = { subject: 'Obras', participants: [ana.phone] }
    const made = await api.post(`${base}/groups`, body)
    assert.equal(made.status, 201)
    assert.match(made.body.id, /@g\.us$/)
    const path = `${base}/groups/${made.body.id}`
    const changed = await api.patch(path, { subject: 'Obras 2' })
    assert.equal(changed.body.subject, 'Obras 2')
    for (const action of ['promote', 'demote']) {
      const strangers = { action, participants: ['5511944443333'] }
      const refused = await api.post(`${path}/participants`, strangers)
      assert.deepEqual([refused.status, refused.body.error?.field], [400, 'participants'])
    }
    const promoted = await api.post(`${path}/participants`, {
      action: 'promote',
      participants: [ana.phone],
    })
    const role = promoted.body.participants.find((one: Body) => one.phone === ana.phone).role
    assert.equal(role, 'admin')
    await sendAs(api, ana, made.body.id, 'olá, grupo')
    const [groupEvent] = receiver.events('message.received')
    assert.deepEqual(groupEvent?.body.data.message.chat, {
      id: made.body.id,
      type: 'group',
      name: 'Obras 2',
    })
    await api.patch(`${ana.base}/groups/${made.body.id}`, { description: 'só obras' })
    await api.post(`${ana.base}/groups/${made.body.id}/participants`, {
      action: 'remove',
      participants: [own.phone],
    })
    await kit.settle()
    assert.equal(receiver.events('group.updated').length, 2)
    assert.deepEqual(
      receiver.events('group.participants').map((event) => event.body.data.action),
      ['promote', 'remove'],
    )
    const send = await api.post(`${base}/messages`, { to: made.body.id, text: 'x' })
    await kit.settle()
    const failed = (await api.get(`${base}/messages/${send.body.id}`)).body
    assert.equal(failed.error.code, 'NOT_A_PARTICIPANT')
    assert.equal((await api.post(`${path}/leave`)).status, 409)
    const other = await api.post(`${base}/groups`, { ...body, subject: 'Outra obra' })
    const left = await api.post(`${base}/groups/${other.body.id}/leave`)
    assert.equal(left.status, 200, left.text)
    assert.deepEqual(
      left.body.participants.map((one: Body) => one.phone),
      [ana.phone],
    )
    await kit.settle()
    assert.equal(receiver.events('group.participants').at(-1)?.body.data.action, 'leave')
    const late = await api.post(`${base}/messages`, { to: other.body.id, text: 'tchau' })
    await kit.settle()
    const refused = (await api.get(`${base}/messages/${late.body.id}`)).body
    assert.equal(refused.error.code, 'NOT_A_PARTICIPANT')
    assert.equal((await api.get(`${base}/groups/1@g.us`)).status, 404)
  })
})

describe('labels', () => {
  it('labels of business accounts can be changed from API and phone, and each change emits one event', async () => {
    const { api, base, own, ana, receiver } = await createConversationFixture({ business: true })
    await sendAs(api, ana, own.phone)
    const { body: label, status } = await api.post(`${base}/labels`, { name: 'Pago' })
    assert.equal(status, 201)
    const [conversation] = await items(api, `${base}/conversations`)
    const path = `${base}/labels/${label.id}/conversations/${conversation.id}`
    for (let count = 0; count < 2; count++) assert.equal((await api.put(path)).status, 204)
    assert.equal((await items(api, `${base}/conversations?labelId=${label.id}`)).length, 1)
    assert.equal((await api.delete(path)).status, 204)
    await api.patch(`${base}/labels/${label.id}`, { color: '#ff0000' })
    assert.equal((await api.delete(`${base}/labels/${label.id}`)).status, 204)
    const { body: theirs } = await api.post(`${own.base}/labels`, {
      name: 'Novo',
      color: '#00ff00',
    })
    await api.put(`${own.base}/labels/${theirs.id}/chats/${ana.phone}`)
    const onPhone = `${own.base}/labels/${theirs.id}`
    const { body: renamed } = await api.patch(onPhone, { name: 'Renomeada' })
    assert.equal(renamed.name, 'Renomeada')
    const { body: list } = await api.get(`${own.base}/labels`)
    assert.deepEqual(
      list.items.map(({ name }: { name: string }) => name),
      ['Renomeada'],
    )
    assert.equal((await api.delete(`${onPhone}/chats/${ana.phone}`)).status, 204)
    assert.equal((await api.delete(onPhone)).status, 204)
    assert.deepEqual((await api.get(`${own.base}/labels`)).body.items, [])
    await kit.settle()
    assert.deepEqual(
      receiver.events('label.updated').map((event) => event.body.data.action),
      ['created', 'updated', 'deleted', 'created', 'updated', 'deleted'],
    )
    assert.deepEqual(
      receiver.events('label.association').map((event) => event.body.data.action),
      ['added', 'removed', 'added', 'removed'],
    )
    const plain = await createConversationFixture()
    assert.equal((await plain.api.post(`${plain.base}/labels`, { name: 'x' })).status, 409)
  })
})

describe('calls', () => {
  it('a call is logged with one event and ends rejected by the API, missed or rejected automatically', async () => {
    const { api, base, own, ana, receiver } = await createConversationFixture()
    const call = async () => {
      const { body } = await api.post(`${ana.base}/calls`, { to: own.phone, video: true })
      await kit.settle()
      return body.id as string
    }
    const rejected = await call()
    const { body } = await api.post(`${base}/calls/${rejected}/reject`)
    assert.equal(body.status, 'rejected')
    assert.equal((await api.post(`${base}/calls/${rejected}/reject`)).status, 409)
    assert.equal((await api.post(`${base}/calls/nope/reject`)).status, 404)
    const missed = await call()
    await kit.jump(31_000)
    await api.patch(base, { settings: { rejectCalls: true } })
    await kit.settle()
    const refused = await call()
    const log = await items(api, `${base}/calls`)
    assert.deepEqual(
      log.map(({ id, status }) => [id, status]),
      [
        [refused, 'rejected'],
        [missed, 'missed'],
        [rejected, 'rejected'],
      ],
    )
    assert.equal(receiver.events('call.received').length, 3)
  })

  it('calls can be listed by conversation: those of its contact, and none of a group', async () => {
    const { api, base, own, ana } = await createConversationFixture()
    const { body: rui } = await api.post('/v1/simulator/phones', { name: 'Rui' })
    for (const phone of [ana, { base: `/v1/simulator/phones/${rui.id}` }]) {
      await api.post(`${phone.base}/messages`, { to: own.phone, text: 'oi' })
      await api.post(`${phone.base}/calls`, { to: own.phone })
    }
    await api.post(`${base}/groups`, { subject: 'Obra', participants: [ana.phone] })
    await kit.settle()
    const conversations = await items(api, `${base}/conversations`)
    assert.equal(conversations.length, 3)
    for (const { id, chat, contact } of conversations) {
      const calls = await items(api, `${base}/calls?conversationId=${id}`)
      const expected = chat.type === 'group' ? [] : [contact.phone]
      assert.deepEqual(
        calls.map(({ from }) => from.phone),
        expected,
      )
    }
    assert.equal((await api.get(`${base}/calls?conversationId=cnv_x`)).status, 404)
  })
})

describe('virtual phones', () => {
  it('a virtual phone that was offline receives its messages when it is back online', async () => {
    const { api, base, ana } = await createConversationFixture()
    await api.post(`${ana.base}/offline`)
    const { body } = await api.post(`${base}/messages`, { to: ana.phone, text: 'oi' })
    await kit.settle()
    assert.equal((await api.get(`${base}/messages/${body.id}`)).body.status, 'sent')
    assert.deepEqual(await items(api, `${ana.base}/inbox`), [])
    await api.post(`${ana.base}/online`)
    await kit.settle()
    assert.equal((await api.get(`${base}/messages/${body.id}`)).body.status, 'delivered')
    assert.equal((await items(api, `${ana.base}/inbox`)).length, 1)
  })

  it('banning a virtual phone bans its instances and prevents pairing', async () => {
    const { api, base, own } = await createConversationFixture()
    await api.post(`${own.base}/ban`)
    await kit.settle()
    assert.equal((await api.get(base)).body.status, 'BANNED')
    assert.equal((await api.post(`${own.base}/scan`, { code: 'x' })).status, 409)
  })
})
