// The WhatsApp adapter over its real protocol, against the server in test/kit/whatsapp-server.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { Person } from '../kit/whatsapp-server/person.ts'
import type { WhatsAppServer } from '../kit/whatsapp-server/server.ts'
import { sealVote } from '../kit/whatsapp-server/vote.ts'
import { startWhatsApp, type Account, type WhatsAppKit } from '../kit/whatsapp.ts'
import type { MessageContent } from '../../src/model/kinds/index.ts'
import type { OutboundMessage } from '../../src/networks/network.port.ts'

let kit: WhatsAppKit
let server: WhatsAppServer
before(async () => {
  kit = await startWhatsApp()
  server = kit.server
})
after(() => kit.close())

const message = (to: Person, waMessageId: string, content: MessageContent): OutboundMessage => ({
  waMessageId,
  chatId: to.jid,
  chatType: 'direct',
  audience: [],
  content,
  media: null,
  quoted: null,
  target: null,
  mentions: [],
  typingMs: 0,
})
const text = (to: Person, waMessageId: string, said = 'oi') =>
  message(to, waMessageId, { type: 'text', text: said })
const receiptStatuses = ({ heard }: Account, id: string) =>
  heard.receipts.filter((one) => one.waMessageIds.includes(id)).map(({ status }) => status)
const textOf = ({ message: { conversation, extendedTextMessage } }: Person['inbox'][number]) =>
  conversation ?? extendedTextMessage?.text

describe('an account on WhatsApp', () => {
  it('a session pairs by code, reconnects after pairing, and keeps its credentials', async () => {
    const account = await kit.paired()
    const { heard, own, credentials } = account
    assert.deepEqual(
      heard.statuses.map(({ status }) => status),
      ['PAIRED', 'CONNECTED'],
    )
    const [first] = heard.statuses
    assert.ok(first?.status === 'PAIRED')
    assert.deepEqual([first.phone, first.lid], [own.phone, own.lidJid])
    assert.equal((await credentials.load('device')).size, 1)
    await account.reopen()
    assert.equal(kit.last(account), 'CONNECTED')
    assert.equal(heard.codes.length, 1)
  })

  it('a pairing code that is requested before the connection is open waits for it, and pairs', async () => {
    const account = await kit.open()
    const { session, own, heard } = account
    assert.equal(heard.codes.length, 0, 'not connected yet')
    const code = await session.requestPairingCode({ phone: own.phone })
    const [shown] = heard.codes
    assert.ok(code && shown)
    // All six codes to scan end together with the typed one.
    assert.ok(code.expiresAt <= shown.expiresAt + 5 * 20_000)
    await kit.until(() => server.pairing.asked(own), 'the pairing request')
    await server.pairing.type(own, code.code)
    await kit.until(() => kit.last(account) === 'CONNECTED', 'to connect')
    const connected = heard.statuses.at(-1)
    assert.ok(connected?.status === 'CONNECTED')
    assert.equal(connected.identity?.phone, own.phone)
    assert.equal(await session.requestPairingCode({ phone: own.phone }), null)
  })

  it('messages are sent in order and reported as sent, delivered, and read by whom', async () => {
    const account = await kit.paired()
    const { session, ana, own, heard } = account
    const ids = ['3EB0A1', '3EB0A2', '3EB0A3']
    await session.send(ids.map((id) => text(ana, id, id)))
    await kit.until(() => receiptStatuses(account, '3EB0A3').includes('delivered'), 'deliveries')
    assert.deepEqual(ana.inbox.map(textOf), ids)
    for (const id of ids) assert.deepEqual(receiptStatuses(account, id), ['sent', 'delivered'])
    // The account's own phone receives copies.
    assert.deepEqual(own.sent.map(textOf), ids)
    server.messages.read(ana, own, ids)
    await kit.until(
      () => ids.every((id) => receiptStatuses(account, id).at(-1) === 'read'),
      'reads',
    )
    assert.equal(heard.receipts.at(-1)?.party?.phone, ana.phone)
  })

  it('a message that a contact could not decrypt is resent, even after a restart', async () => {
    const account = await kit.paired()
    const { ana, own } = account
    await account.session.send([text(ana, '3EB0K1', 'leia')])
    await kit.until(() => receiptStatuses(account, '3EB0K1').includes('delivered'), 'the delivery')
    await account.reopen()
    ana.inbox.length = 0
    server.messages.askAgain(ana, own, '3EB0K1')
    await kit.until(() => ana.inbox.length === 1, 'the resent message')
    assert.deepEqual(ana.inbox.map(textOf), ['leia'])
  })

  it('a message that is sent twice with the same id arrives once', async () => {
    const account = await kit.paired()
    for (let count = 1; count <= 2; count++) {
      await account.session.send([text(account.ana, '3EB0B1')])
      await kit.until(
        () =>
          receiptStatuses(account, '3EB0B1').filter((status) => status === 'sent').length === count,
        'an acknowledgement',
      )
    }
    assert.equal(account.ana.inbox.length, 1)
  })

  it('senders are reported by phone and LID, also of messages sent while offline', async () => {
    const account = await kit.paired()
    const { ana, own, heard } = account
    await server.messages.write(ana, own, { conversation: 'tudo bem?' })
    await kit.until(() => heard.messages.length === 1, 'a message')
    const [first] = heard.messages
    assert.deepEqual(first?.content, { type: 'text', text: 'tudo bem?' })
    assert.deepEqual(first?.sender, { phone: ana.phone, lid: ana.lidJid, name: 'Ana' })
    assert.equal(first?.chatId, ana.jid)
    await kit.until(() => server.waiting() === 0, 'its receipt')
    await account.session.close()
    await server.messages.write(ana, own, { conversation: 'está aí?' })
    await account.reopen()
    await kit.until(() => heard.messages.length === 2, 'the message sent while offline')
    const late = { type: 'text', text: 'está aí?', recovered: true }
    assert.deepEqual(heard.messages[1]?.content, late)
  })

  it('a send to an unknown number fails, and lookups tolerate the ninth digit', async () => {
    const account = await kit.paired()
    const nobody = { ...account.ana, jid: '5511900009999@s.whatsapp.net' } as Person
    await account.session.send([text(nobody, '3EB0C1')])
    await kit.until(() => receiptStatuses(account, '3EB0C1').length > 0, 'the failure')
    assert.equal(account.heard.receipts[0]?.error?.code, 'NUMBER_NOT_ON_NETWORK')
    const old = server.person('551188700001', 'Antiga')
    const typed = `${old.phone.slice(0, 4)}9${old.phone.slice(4)}`
    const found = await account.session.lookUp({
      phones: [typed, account.ana.phone, '5511900009999'],
    })
    assert.deepEqual(
      found.map(({ exists, phone }) => [exists, phone]),
      [
        [true, old.phone],
        [true, account.ana.phone],
        [false, null],
      ],
    )
    // Two people may have the two spellings of a number.
    const short = server.person('551188700002', 'Curta')
    const long = server.person('5511988700002', 'Longa')
    const both = await account.session.lookUp({ phones: [short.phone, long.phone] })
    assert.deepEqual(
      both.map(({ phone }) => phone),
      [short.phone, long.phone],
    )
  })

  it('locations, contacts, polls and reactions are sent and received unchanged', async () => {
    const account = await kit.paired()
    const { session, ana, own, heard } = account
    await server.messages.write(ana, own, { conversation: 'oi' }, { id: '3AFF01' })
    await kit.until(() => heard.messages.length === 1, 'a message')
    const contents: MessageContent[] = [
      { type: 'location', latitude: -23.5, longitude: -46.6, name: 'Sé', address: null },
      {
        type: 'contact',
        contacts: [
          {
            name: 'Bia; a do RH',
            phones: [{ phone: '5511999998888', label: 'CELL' }],
            organization: 'Padaria, Ltda',
            emails: ['bia@x.com'],
          },
        ],
      },
      { type: 'poll', question: 'Que horas?', options: ['9h', '14h'], maxSelections: 1 },
      { type: 'reaction', waMessageId: '3AFF01', emoji: '👍' },
    ]
    const sends = contents.map((content, index) => message(ana, `3EB0D${index}`, content))
    await session.send(sends)
    await kit.until(() => ana.inbox.length === contents.length, 'the messages')
    // Ana sends back unchanged what she received.
    for (const { message: back } of ana.inbox) await server.messages.write(ana, own, back)
    await kit.until(() => heard.messages.length === 1 + contents.length, 'the returned messages')
    assert.deepEqual(
      heard.messages.slice(1).map(({ content }) => content),
      contents,
    )
  })

  it('poll votes are decrypted, whether the voter is identified by phone or by LID', async () => {
    const account = await kit.paired()
    const { session, ana, own, heard } = account
    const content: MessageContent = {
      type: 'poll',
      question: 'Que horas?',
      options: ['9h', '14h'],
      maxSelections: 1,
    }
    await session.send([message(ana, '3EB0E1', content)])
    await kit.until(() => ana.inbox.length === 1, 'the poll')
    const asked = ana.inbox[0]?.message ?? {}
    for (const [creator, voter, choice] of [
      [own.jid, ana.jid, '14h'],
      [own.lidJid, ana.lidJid, '9h'],
    ] as const) {
      const poll = { id: '3EB0E1', creator, message: asked }
      await server.messages.write(ana, own, sealVote(poll, voter, [choice]))
    }
    await kit.until(() => heard.messages.length === 2, 'the votes')
    assert.deepEqual(
      heard.messages.map((one) => one.content),
      [
        { type: 'pollVote', waMessageId: '3EB0E1', options: ['14h'] },
        { type: 'pollVote', waMessageId: '3EB0E1', options: ['9h'] },
      ],
    )
  })

  it("votes on another member's poll in a group are decrypted", async () => {
    const account = await kit.paired()
    const { ana, own, heard } = account
    const bia = server.person('5511966660001', 'Bia')
    const groupId = server.groups.create(ana, 'Enquetes', [own, bia])
    await kit.until(() => heard.happenings.length > 0, 'the group')
    const asked = {
      pollCreationMessageV3: {
        name: 'Que horas?',
        options: [{ optionName: '9h' }, { optionName: '14h' }],
        selectableOptionsCount: 1,
      },
      messageContextInfo: { messageSecret: randomBytes(32) },
    }
    const id = await server.messages.writeTo(ana, groupId, asked)
    const poll = { id, creator: ana.jid, message: asked, group: groupId }
    await server.messages.writeTo(bia, groupId, sealVote(poll, bia.jid, ['14h']))
    await kit.until(() => heard.messages.length === 2, 'the poll and the vote')
    assert.deepEqual(heard.messages[1]?.content, {
      type: 'pollVote',
      waMessageId: id,
      options: ['14h'],
    })
  })

  it('a message through a broadcast list is in the chat with its author, and of a view-once file the account is told', async () => {
    const { ana, own, heard } = await kit.paired()
    await server.messages.writeToList(ana, own, { conversation: 'promoção' })
    await kit.until(() => heard.messages.length === 1, 'the message to the list')
    const id = server.messages.viewOnce(ana, own)
    await kit.until(() => heard.messages.length === 2, 'both messages')
    const [listed, withheld] = heard.messages
    assert.deepEqual([listed?.chatId, listed?.chatType], [ana.jid, 'direct'])
    assert.deepEqual(listed?.sender, { phone: ana.phone, lid: ana.lidJid, name: 'Ana' })
    assert.deepEqual(listed?.content, { type: 'text', text: 'promoção' })
    assert.deepEqual([withheld?.waMessageId, withheld?.type], [id, 'unsupported'])
  })

  it('messages can be edited and revoked, and changes by a contact are reported', async () => {
    const account = await kit.paired()
    const { session, ana, own, heard } = account
    await session.send([text(ana, '3EB0F1'), text(ana, '3EB0F2')])
    await kit.until(() => receiptStatuses(account, '3EB0F2').includes('delivered'), 'deliveries')
    const chat = { chatId: ana.jid, sentAt: heard.receipts[0]?.at ?? 0 }
    await session.edit({ ...chat, waMessageId: '3EB0F1', text: 'novo' })
    await session.revoke({ ...chat, waMessageId: '3EB0F2', audience: [] })
    await kit.until(() => ana.inbox[1]?.deleted === true, 'the revocation')
    const [edited] = ana.inbox
    assert.equal(edited && textOf(edited), 'novo')
    const { MESSAGE_EDIT, REVOKE } = { MESSAGE_EDIT: 14, REVOKE: 0 }
    const key = (id: string) => ({ remoteJid: own.jid, fromMe: true, id })
    const changes = [
      { type: MESSAGE_EDIT, key: key('3AFF02'), editedMessage: { conversation: 'primeiro' } },
      { type: REVOKE, key: key('3AFF03') },
    ]
    for (const protocolMessage of changes)
      await server.messages.write(ana, own, { protocolMessage })
    await kit.until(() => heard.happenings.length === 2, 'both changes')
    const [edit, deletion] = heard.happenings
    assert.ok(edit?.kind === 'edited' && edit.waMessageId === '3AFF02' && edit.text === 'primeiro')
    assert.ok(deletion?.kind === 'deleted' && deletion.by.phone === ana.phone)
    const late = { ...chat, waMessageId: '3EB0F1', sentAt: 0 }
    await assert.rejects(session.edit({ ...late, text: 'x' }), { reason: 'too_late' })
  })

  it('a message to another spelling of a number reaches its owner, and the spelling is reported', async () => {
    const { session, heard } = await kit.paired()
    for (const [number, typed] of [
      ['553188887777', '5531988887777'],
      ['5511977776666', '551177776666'],
    ] as const) {
      const owner = server.person(number, 'Rui')
      const chatId = `${typed}@s.whatsapp.net`
      const before = heard.receipts.length
      await session.send([
        { ...text(owner, `3EB0S${typed}1`), chatId },
        { ...text(owner, `3EB0S${typed}2`), chatId },
      ])
      await kit.until(() => owner.inbox.length === 2, 'both messages')
      await kit.until(() => heard.receipts.length >= before + 2, 'the receipts')
      assert.ok(heard.receipts.slice(before).every((one) => one.chatId === owner.jid))
      const told = heard.happenings.filter((one) => one.kind === 'number' && one.typed === typed)
      assert.ok(told.some((one) => one.kind === 'number' && one.phone === number))
    }
  })

  it('a rejected send fails with its code and is never reported as sent', async () => {
    const account = await kit.paired()
    server.faults.refuse = (node) => (node.attrs['id'] === '3EB0G1' ? '463' : null)
    await account.session.send([text(account.ana, '3EB0G1'), text(account.ana, '3EB0G2')])
    await kit.until(() => receiptStatuses(account, '3EB0G2').includes('sent'), 'an acknowledgement')
    server.faults.refuse = () => null
    assert.deepEqual(receiptStatuses(account, '3EB0G1'), ['failed'])
    const failed = account.heard.receipts.find(({ status }) => status === 'failed')
    assert.equal(failed?.error?.code, 'RESTRICTED')
  })

  it('a session removed by its phone is logged out and deletes its credentials', async () => {
    const account = await kit.paired()
    for (const companion of account.own.companions.values()) server.remove(companion)
    await kit.until(() => kit.last(account) === 'LOGGED_OUT', 'the logout')
    assert.deepEqual(account.heard.statuses.at(-1), {
      status: 'LOGGED_OUT',
      reason: 'device_removed',
    })
    assert.equal((await account.credentials.load('device')).size, 0)
    assert.equal((await account.credentials.load('pre-key')).size, 0)
  })

  it('a session that logs out is unpaired on the server', async () => {
    const account = await kit.paired()
    assert.equal(await account.session.logout(), true)
    assert.equal(account.own.companions.size, 0)
  })

  it('a session reconnects after a database outage in which its connection ended', async () => {
    const account = await kit.paired()
    const { ana, own, session } = account
    kit.databaseAway = true
    const errors = kit.errors.length
    await server.messages.write(ana, own, { conversation: 'oi' })
    server.cut(own)
    await kit.until(() => kit.errors.length > errors + 2, 'three errors')
    kit.databaseAway = false
    await kit.until(() => account.heard.messages.length === 1, 'the message')
    await kit.until(() => kit.last(account) === 'CONNECTED', 'to reconnect')
    await session.send([text(ana, '3EB0M1')])
    await kit.until(() => receiptStatuses(account, '3EB0M1').includes('delivered'), 'the delivery')
  })

  it('a session reconnects after its connection was cut, and loses no message', async () => {
    const account = await kit.paired()
    server.cut()
    await kit.until(() => kit.last(account) === 'DISCONNECTED', 'to disconnect')
    await server.messages.write(account.ana, account.own, { conversation: 'oi' })
    await kit.until(() => account.heard.messages.length === 1, 'the message')
    await kit.until(() => kit.last(account) === 'CONNECTED', 'to reconnect')
  })
})

describe('groups, calls and contacts', () => {
  it('a group that adds the account is reported, with its messages and changes', async () => {
    const account = await kit.paired()
    const { session, ana, own, heard } = account
    const groupId = server.groups.create(ana, 'Vendas', [own])
    await kit.until(() => heard.happenings.length === 2, 'the group')
    const [state, joined] = heard.happenings
    assert.ok(state?.kind === 'group' && state.group.subject === 'Vendas')
    assert.deepEqual(
      state.group.participants.map(({ phone, lid, role }) => [phone, lid, role]),
      [[ana.phone, ana.lidJid, 'superadmin']],
    )
    assert.ok(joined?.kind === 'participants' && joined.action === 'add')
    assert.equal(joined.participants[0]?.phone, own.phone)
    await server.messages.writeTo(ana, groupId, { conversation: 'olá, grupo' })
    await kit.until(() => heard.messages.length === 1, 'a message in the group')
    const [first] = heard.messages
    assert.deepEqual([first?.chatType, first?.chatId], ['group', groupId])
    assert.deepEqual(first?.sender, { phone: ana.phone, lid: ana.lidJid, name: 'Ana' })
    const chat = { chatId: groupId, chatType: 'group' as const }
    await session.send([{ ...text(ana, '3EB0J1', 'oi, grupo'), ...chat }])
    await kit.until(() => receiptStatuses(account, '3EB0J1').includes('delivered'), 'the delivery')
    await kit.quiet()
    // Not read, although the account's own phone has its copy.
    assert.deepEqual(receiptStatuses(account, '3EB0J1'), ['sent', 'delivered'])
    assert.deepEqual(ana.inbox.map(textOf), ['oi, grupo'])
    server.messages.readTogether([ana, own], own, groupId, '3EB0J1', 'read')
    await kit.until(() => receiptStatuses(account, '3EB0J1').includes('read'), 'the receipt')
    assert.equal(heard.receipts.at(-1)?.party?.phone, ana.phone)
    server.groups.change(groupId, ana, { tag: 'subject', attrs: {}, content: 'Vendas 2' })
    const gone = { tag: 'participant', attrs: { jid: own.jid } }
    server.groups.change(groupId, ana, { tag: 'remove', attrs: {}, content: [gone] })
    await kit.until(() => heard.happenings.length === 4, 'both changes of the group')
    const [, , renamed, removed] = heard.happenings
    assert.ok(renamed?.kind === 'group_changed' && renamed.subject === 'Vendas 2')
    assert.ok(removed?.kind === 'participants' && removed.action === 'remove')
    await session.send([{ ...text(ana, '3EB0J2'), ...chat }])
    await kit.until(() => receiptStatuses(account, '3EB0J2').length > 0, 'the refusal')
    assert.equal(heard.receipts.at(-1)?.error?.code, 'NOT_A_PARTICIPANT')
  })

  it('a session can create, change and leave groups', async () => {
    const { session, ana, own } = await kit.paired()
    const input = { subject: 'Obras', description: 'Só obras', participants: [ana.phone] }
    const { groupId, participants, description } = await session.createGroup(input)
    assert.equal(description, 'Só obras')
    assert.deepEqual(
      new Map(participants.map(({ phone, role }) => [phone, role])),
      new Map([
        [own.phone, 'superadmin'],
        [ana.phone, 'member'],
      ]),
    )
    await session.changeGroup({ groupId, subject: 'Obras 2' })
    const change = { groupId, action: 'promote' as const, participants: [ana.phone] }
    const promoted = await session.changeParticipants(change)
    assert.deepEqual(
      promoted.map(({ phone, role }) => [phone, role]),
      [[ana.phone, 'admin']],
    )
    await session.leaveGroup({ groupId })
    assert.equal(server.groups.has(groupId, own), false)
    await assert.rejects(session.changeGroup({ groupId, subject: 'x' }), {
      reason: 'not_a_participant',
    })
  })

  it('an incoming call is reported, can be rejected, and is reported as missed', async () => {
    const { session, ana, own, heard } = await kit.paired()
    const callId = server.messages.call(ana, own)
    await kit.until(() => heard.happenings.length === 1, 'the call')
    const [call] = heard.happenings
    assert.ok(call?.kind === 'call' && call.status === 'ringing' && call.callId === callId)
    assert.equal(call.from.phone, ana.phone)
    assert.equal(await session.rejectCall({ callId, from: call.from }), null)
    server.messages.call(ana, own, 'timeout', callId)
    await kit.until(() => heard.happenings.length === 2, 'the end of the call')
    const [, missed] = heard.happenings
    assert.ok(missed?.kind === 'call' && missed.status === 'missed')
  })

  it('a new name of a known contact is reported', async () => {
    const { ana, own, heard } = await kit.paired()
    await server.messages.write(ana, own, { conversation: 'um' })
    ana.name = 'Ana Souza'
    await server.messages.write(ana, own, { conversation: 'dois' })
    await kit.until(() => heard.happenings.length === 1, 'the new name')
    const [named] = heard.happenings
    assert.ok(named?.kind === 'contact')
    assert.deepEqual([named.party.phone, named.party.name], [ana.phone, 'Ana Souza'])
  })
})

describe('a busy session', () => {
  it('a session and a contact whose first messages cross can decrypt each other', async () => {
    const account = await kit.paired()
    const { session, ana, own, heard } = account
    const before = server.messages.retries.length
    for (let n = 0; n < 4; n++) {
      const id = `3EB3${n}`
      const writing = server.messages.write(ana, own, { conversation: `de ana ${n}` })
      await Promise.all([session.send([text(ana, id, id)]), writing])
      await kit.until(() => heard.messages.length === n + 1, 'the message from Ana')
      await kit.until(() => ana.inbox.length === n + 1, 'the message to Ana')
    }
    assert.equal(server.messages.retries.length, before)
  })

  it('300 concurrent messages each way all arrive despite a slow database', async () => {
    const account = await kit.paired()
    const before = server.messages.retries.length
    const { session, ana, own, heard } = account
    kit.slowness = 20
    const ids = Array.from({ length: 300 }, (_, n) => `3EB1${n.toString(16).padStart(4, '0')}`)
    const writing = (async () => {
      for (let n = 0; n < ids.length; n++) {
        await server.messages.write(ana, own, { conversation: `de ana ${n}` })
      }
    })()
    await session.send(ids.map((id) => text(ana, id, id)))
    await writing
    await kit.until(() => heard.messages.length === ids.length, 'all messages from Ana')
    await kit.until(() => ana.inbox.length === ids.length, 'all messages to Ana')
    await kit.until(
      () => ids.every((id) => receiptStatuses(account, id).includes('delivered')),
      'deliveries',
    )
    kit.slowness = 0
    assert.deepEqual(ana.inbox.map(textOf), ids)
    assert.equal(server.messages.retries.length, before)
  })

  it('a session that is killed repeatedly loses no message and repeats none', async () => {
    const account = await kit.paired()
    const { ana, own, heard } = account
    kit.slowness = 30
    const ids = Array.from({ length: 300 }, (_, n) => `3EB2${n.toString(16).padStart(4, '0')}`)
    const unsent = () => ids.filter((id) => !receiptStatuses(account, id).includes('sent'))
    const written: string[] = []
    // A message may fail to decrypt only if the session had reported it before the kill.
    const undecryptedBeforeReport: string[] = []
    server.onRetry = (id) => {
      if (!heard.messages.some(({ waMessageId }) => waMessageId === id))
        undecryptedBeforeReport.push(id)
    }
    const writing = (async () => {
      for (let n = 0; n < ids.length; n++) {
        written.push(await server.messages.write(ana, own, { conversation: `de ana ${n}` }))
        // Slows the loop, so that it runs as long as the sends.
        for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate)
      }
    })()
    for (const part of [60, 120, 200]) {
      void account.session.send(unsent().map((id) => text(ana, id, id))).catch(() => {})
      await kit.until(() => ids.length - unsent().length >= part, `${part} sent`)
      await account.kill()
    }
    await account.session.send(unsent().map((id) => text(ana, id, id)))
    await writing
    const got = () => new Set(heard.messages.map(({ waMessageId }) => waMessageId))
    await kit.until(() => got().size === written.length, 'all messages from Ana')
    await kit.until(() => unsent().length === 0, 'all messages to be sent')
    kit.slowness = 0
    assert.deepEqual([...got()].toSorted(), written.toSorted())
    assert.deepEqual(new Set(ana.inbox.map(textOf)), new Set(ids))
    assert.equal(ana.inbox.length, ids.length)
    server.onRetry = () => {}
    assert.deepEqual(undecryptedBeforeReport, [])
  })
})

describe('a forged signature', () => {
  for (const [fault, what] of [
    ['forged', 'signed with another key'],
    ['recorded', 'genuine but for another server'],
    ['expired', 'expired'],
    ['early', 'not valid yet'],
    ['other_issuer', 'issued by another certificate'],
  ] as const) {
    it(`a server certificate that is ${what} ends the connection before login`, async () => {
      server.faults.chain = fault
      const refused = server.refused
      const account = await kit.open()
      await kit.until(() => server.refused > refused, 'the connection to end')
      server.faults.chain = null
      await account.session.close()
      assert.deepEqual(account.heard.codes, [])
    })
  }

  it('a forged account signature prevents the pairing', async () => {
    const account = await kit.open()
    await kit.until(() => account.heard.codes.length > 0, 'a code')
    const { refused } = server
    server.faults.forgedAccount = true
    server.pairing.scan(account.own, account.heard.codes[0]?.code ?? '')
    server.faults.forgedAccount = false
    await kit.until(() => server.refused > refused, 'the connection to end')
    assert.deepEqual(account.heard.statuses, [])
    assert.equal((await account.credentials.load('device')).size, 0)
    await account.session.close()
  })

  it('a message to a contact with forged prekeys is deferred', async () => {
    const account = await kit.paired()
    server.faults.forgedPreKeys = true
    const [deferred] = await account.session.send([text(account.ana, '3EB0H1')])
    server.faults.forgedPreKeys = false
    assert.equal(deferred?.waMessageId, '3EB0H1')
    assert.deepEqual(account.ana.inbox, [])
  })
})
