// Input from contacts and other accounts must not harm the receiving instance, other Projects or the server.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Body, Client } from '../kit/client.ts'
import { image, video } from '../kit/files.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

async function createConversationFixture() {
  const project = await kit.project()
  const api = await kit.key(project)
  const paired = await kit.pair(api)
  const ana = await kit.phone(api, { name: 'Ana' })
  const sendFromContact = async (body: object) => {
    const answer = await api.post(`${ana.base}/messages`, { to: paired.phone, ...body })
    await kit.settle()
    return answer
  }
  return { project, api, ana, says: sendFromContact, ...paired }
}
const items = async (api: Client, path: string) => (await api.get(path)).body.items as Body[]
const HALF = `${'a'.repeat(1023)}😀fim`

describe('truncated text', () => {
  it('a quoted text is truncated between characters, so an emoji at the limit does not block later messages', async () => {
    const { api, ana, says, base } = await createConversationFixture()
    const { body: sent } = await api.post(`${base}/messages`, { to: ana.phone, text: HALF })
    await kit.settle()
    assert.equal((await says({ text: 'x', quotedWaMessageId: sent.waMessageId })).status, 201)
    await says({ text: 'depois' })
    const [last, quoting] = await items(api, `${base}/messages?direction=inbound`)
    assert.equal(last?.text, 'depois')
    assert.equal(quoting?.quoted.text, 'a'.repeat(1023))
  })

  it('a name in a vCard is truncated between characters', async () => {
    const { api, base } = await createConversationFixture()
    const name = `${'a'.repeat(999)}😀b`
    const vcard = `BEGIN:VCARD\nVERSION:3.0\nFN:${name}\nTEL:+5511999998888\nEND:VCARD`
    const body = { to: '5511988887777', vcard }
    assert.equal((await api.post(`${base}/messages/contact`, body)).status, 201)
  })
})

describe('concurrent requests with Idempotency-Keys', () => {
  it('concurrent sends with Idempotency-Keys do not deadlock on database connections', async () => {
    const { api, base } = await createConversationFixture()
    const media = { base64: Buffer.from('um documento').toString('base64') }
    const send = (n: number) => [
      api.post(
        `${base}/messages/media`,
        { to: `551196${1_000_000 + n * 10 + 9}`, type: 'document', media },
        { 'idempotency-key': `d${n}` },
      ),
      api.post(
        `${base}/messages/text`,
        { to: `551197${1_000_000 + n * 10 + 9}`, text: 'oi' },
        { 'idempotency-key': `t${n}` },
      ),
    ]
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => send(n)).flat())
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
  })
})

describe('missing file content', () => {
  it('an incoming file whose bytes are missing fails without losing its message or later ones', async () => {
    const { api, base, says, project } = await createConversationFixture()
    await api.post(`${base}/disconnect`)
    await kit.settle()
    const media = { base64: (await image('jpeg')).toString('base64') }
    await says({ type: 'image', media })
    await says({ text: 'depois' })
    rmSync(join(kit.config.dataDir, 'media', project.projectId), { recursive: true })
    await api.post(`${base}/connect`)
    await kit.jump(2000)
    const [last, photo] = await items(api, `${base}/messages`)
    assert.equal(last?.text, 'depois')
    assert.equal(photo?.media.status, 'failed')
  })
})

describe('instances of other Projects', () => {
  it('an instance of another Project cannot be used to resolve a phone number', async () => {
    const mine = await createConversationFixture()
    const theirs = await createConversationFixture()
    const phone = await kit.phone(mine.api, { phone: '551187654321', name: 'Privada' })
    const to = '5511987654321'
    assert.equal((await theirs.api.post(`${mine.base}/messages`, { to, text: 'x' })).status, 404)
    const body = { phones: [to] }
    const { body: checked } = await theirs.api.post(`${theirs.base}/contacts/check`, body)
    assert.notEqual(checked.items[0].phone, phone.phone)
  })
})

describe('conversations', () => {
  it('the unread count of a conversation ignores reactions and read marks on them', async () => {
    const { api, base, says } = await createConversationFixture()
    const { body: text } = await says({ text: 'oi' })
    await says({ type: 'reaction', waMessageId: text.waMessageId, emoji: '👍' })
    const [reaction] = await items(api, `${base}/messages`)
    const unread = async () => (await items(api, `${base}/conversations`))[0].unreadCount
    assert.equal(await unread(), 1)
    await api.post(`${base}/messages/read`, { waMessageIds: [reaction.waMessageId] })
    assert.equal(await unread(), 1)
    await api.post(`${base}/messages/read`, { waMessageIds: [text.waMessageId] })
    assert.equal(await unread(), 0)
  })

  it('a contact has one conversation for phone and LID, and the id of a merged conversation still works', async () => {
    const { api, base, ana, says } = await createConversationFixture()
    const [row] = await kit.db.system`select lid from simulator_phone where id = ${ana.id}`
    const lid = row?.['lid'] as string
    const { body: early } = await api.post(`${base}/messages`, { to: lid, text: 'antes' })
    await kit.settle()
    const { body: said } = await says({ text: 'oi' })
    const { body: late } = await api.post(`${base}/messages`, { to: lid, text: 'depois' })
    assert.equal(late.to.phone, ana.phone)
    assert.equal((await items(api, `${base}/conversations`)).length, 1)
    const reaction = { to: lid, waMessageId: said.waMessageId, emoji: '👍' }
    assert.equal((await api.post(`${base}/messages/reaction`, reaction)).status, 201)
    const of = `conversationId=${early.conversationId}`
    assert.equal((await items(api, `${base}/messages?${of}`)).length, 4)
    const { body: read } = await api.post(`${base}/messages/read`, {
      conversationId: early.conversationId,
    })
    assert.deepEqual(read.waMessageIds, [said.waMessageId])
  })

  it('the last message of a conversation is the one written last, not the one received last', async () => {
    const { api, base, ana, says } = await createConversationFixture()
    await api.post(`${base}/messages`, { to: '5511988880006', text: 'cai' })
    await kit.settle()
    await says({ text: 'antes' })
    kit.clock.jump(1000)
    await api.post(`${base}/messages`, { to: ana.phone, text: 'depois' })
    await kit.jump(10_000)
    const all = await items(api, `${base}/conversations?q=ana`)
    assert.equal(all[0]?.lastMessage.text, 'depois')
  })

  it('a new conversation has the contact name that is already known from a group', async () => {
    const { api, base, ana, phone } = await createConversationFixture()
    const body = { subject: 'Obra', participants: [phone] }
    const { body: group } = await api.post(`${ana.base}/groups`, body)
    await kit.settle()
    await api.post(`${ana.base}/messages`, { to: group.id, text: 'olá' })
    await kit.settle()
    const { body: sent } = await api.post(`${base}/messages`, { to: ana.phone, text: 'oi' })
    assert.equal(sent.to.name, 'Ana')
    assert.equal(sent.chat.name, 'Ana')
  })
})

describe('unusual input', () => {
  it('poll options may have any name, and a vote for too many options is rejected', async () => {
    const { api, base, ana, says } = await createConversationFixture()
    const { body: poll } = await api.post(`${base}/messages/poll`, {
      to: ana.phone,
      question: 'Qual?',
      options: ['constructor', 'b', 'toString'],
    })
    await kit.settle()
    const vote = (options: string[]) =>
      says({ type: 'pollVote', waMessageId: poll.waMessageId, options })
    assert.equal((await vote(['b', 'toString'])).status, 400)
    assert.equal((await vote(['b'])).status, 201)
    const { body: shown } = await api.get(`${base}/messages/${poll.id}`)
    assert.deepEqual(
      shown.poll.options.map(({ votes }: Body) => votes),
      [0, 1, 0],
    )
  })

  it('a truncated video is rejected as a video but accepted as a document', async () => {
    const { api, base } = await createConversationFixture()
    const cut = { base64: video().subarray(0, 28).toString('base64') }
    const send = (type: string) =>
      api.post(`${base}/messages/media`, { to: '5511988887777', type, media: cut })
    assert.equal((await send('video')).status, 400)
    assert.equal((await send('document')).status, 201)
  })

  it('empty optional media fields are accepted, and an edited caption has the same length limit as a sent one', async () => {
    const { api, base } = await createConversationFixture()
    const media = { base64: (await image('jpeg')).toString('base64'), mimeType: null }
    const empty = { caption: null, voice: false, viewOnce: false }
    const body = { to: '5511988887777', type: 'image', media, ...empty }
    const { status, body: sent } = await api.post(`${base}/messages/media`, body)
    assert.equal(status, 201)
    await kit.settle()
    const edit = (text: string) => api.patch(`${base}/messages/${sent.id}`, { text })
    assert.equal((await edit('x'.repeat(1025))).status, 400)
    assert.equal((await edit('x'.repeat(1024))).status, 200)
    const voice = { ...body, voice: true }
    assert.equal((await api.post(`${base}/messages/media`, voice)).status, 400)
  })

  it('a reaction accepts exactly one emoji or an empty string', async () => {
    const { api, base, says } = await createConversationFixture()
    const { body: said } = await says({ text: 'oi' })
    const react = async (emoji: string) => {
      const body = { waMessageId: said.waMessageId, emoji }
      return (await api.post(`${base}/messages/reaction`, body)).status
    }
    for (const one of ['👍', '❤️', '👨‍👩‍👧', '🇧🇷', '1️⃣', '👍🏽', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', ''])
      assert.equal(await react(one), 201, one)
    for (const other of ['123', '👍👍', 'a', '👍a']) assert.equal(await react(other), 400, other)
    const nowhere = '/v1/instances/ins_nope/messages/reaction'
    const { body } = await api.post(nowhere, { waMessageId: 'x', emoji: '👍' })
    assert.equal(body.error.message, 'instância não encontrada')
  })

  it('promoting the owner of a group to admin leaves the owner role unchanged', async () => {
    const { api, base, ana, phone } = await createConversationFixture()
    const input = { subject: 'Obra', participants: [ana.phone] }
    const { body: group } = await api.post(`${base}/groups`, input)
    const path = `${base}/groups/${group.id}/participants`
    await api.post(path, { action: 'promote', participants: [phone] })
    const { body } = await api.get(`${base}/groups/${group.id}`)
    const own = body.participants.find((one: Body) => one.phone === phone)
    assert.equal(own.role, 'superadmin')
  })
})
