// WhatsApp over its own wire, against the protocol server of test/kit/whatsapp-server.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { WA_CERT_DETAILS } from 'baileys'
import { pino } from 'pino'
import { createActivity } from '../../lib/activity.ts'
import { createSystemClock } from '../../lib/clock.ts'
import { root } from '../../../test/kit/whatsapp-server/certificate.ts'
import type { Person } from '../../../test/kit/whatsapp-server/person.ts'
import { WhatsAppServer } from '../../../test/kit/whatsapp-server/server.ts'
import { unrefTimers } from '../../../test/kit/whatsapp-server/unref-timers.ts'
import { createHeard, createMemoryCredentials, type Heard } from '../conformance.ts'
import type { MessageContent } from '../../records/kinds/index.ts'
import type { CredentialStore, Network, NetworkSession, OutboundMessage } from '../network.port.ts'
import { createWhatsApp } from './whatsapp.ts'

const LONGEST_MS = 8000
let server: WhatsAppServer
let whatsapp: Network
const errors: unknown[] = []
before(async () => {
  unrefTimers()
  Object.assign(WA_CERT_DETAILS, { PUBLIC_KEY: Buffer.from(root.public) })
  server = new WhatsAppServer()
  await server.listen()
  const network = await createWhatsApp({
    clock: createSystemClock(),
    activity: createActivity(),
    logger: pino({ level: 'silent' }),
    settings: { url: server.url, version: null, agent: null },
    onError: (error) => void errors.push(error),
  })
  assert.ok(network, 'baileys is not installed')
  whatsapp = network
})
const sessions = new Set<NetworkSession>()
after(async () => {
  for (const session of sessions) await session.close()
  await server.close()
  assert.deepEqual(server.surprises, [])
})

/** Resolves once it is so; what the network takes is its own time. */
async function until(so: () => boolean, what: string): Promise<void> {
  const end = performance.now() + LONGEST_MS
  while (!so()) {
    if (performance.now() > end) throw new Error(`${what}: ${errors.map(String).join('; ')}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

type Account = {
  session: NetworkSession
  heard: Heard
  credentials: CredentialStore
  own: Person
  ana: Person
  reopen(): Promise<void>
  /** The process dies: what is under way is never finished. Another one takes over. */
  kill(): Promise<void>
}
let made = 0
/** Turns of the loop that each of the product's own writes takes. */
let slowness = 0

async function open(): Promise<Account> {
  const number = ++made
  const own = server.person(`55119${70_000_000 + number}`, 'Loja')
  const ana = server.person(`55119${80_000_000 + number}`, 'Ana')
  const { heard, listener } = createHeard()
  const credentials = createMemoryCredentials()
  const never = new Promise<never>(() => {})
  let current = { over: false }
  const start = () => {
    const mine = { over: false }
    current = mine
    // A dead process finishes nothing; a living one's database takes a moment.
    const later = async <T>(work: () => Promise<T>): Promise<T> => {
      for (let turn = 0; turn < slowness; turn++) await new Promise(setImmediate)
      return mine.over ? never : work()
    }
    const session = whatsapp.open(
      {
        ...{ instanceId: `ins_${number}`, projectId: 'prj_x', mode: 'production' as const },
        credentials: {
          load: (kind) => later(() => credentials.load(kind)),
          read: (kind, id) => later(() => credentials.read(kind, id)),
          save: (entries) => later(() => credentials.save(entries)),
          clear: () => later(() => credentials.clear()),
        },
        settings: { proxyUrl: null, rejectCalls: false, downloadMedia: true },
      },
      {
        code: (code) => later(() => listener.code(code)),
        status: (change) => later(() => listener.status(change)),
        received: (messages) => later(() => listener.received(messages)),
        receipts: (receipts) => later(() => listener.receipts(receipts)),
        happened: (happenings) => later(() => listener.happened(happenings)),
      },
    )
    sessions.add(session)
    return session
  }
  const one: Account = {
    ...{ session: start(), heard, credentials, own, ana },
    async reopen() {
      const before = heard.statuses.length
      await one.session.close()
      one.session = start()
      await until(() => heard.statuses.length > before, 'to connect again')
    },
    async kill() {
      current.over = true
      server.cut(own)
      const before = heard.statuses.length
      const left = one.session
      one.session = start()
      await until(() => heard.statuses.length > before, 'to take over')
      await left.close()
      sessions.delete(left)
    },
  }
  return one
}

const last = ({ heard }: Account) => heard.statuses.at(-1)?.status
async function paired(): Promise<Account> {
  const account = await open()
  await until(() => account.heard.codes.length > 0, 'a code')
  server.pairing.scan(account.own, account.heard.codes[0]?.code ?? '')
  await until(() => last(account) === 'CONNECTED', 'to connect')
  return account
}

const message = (to: Person, waMessageId: string, content: MessageContent): OutboundMessage => ({
  ...{ waMessageId, chatId: to.jid, chatType: 'direct', content, media: null },
  ...{ quoted: null, target: null, mentions: [], typingMs: 0 },
})
const text = (to: Person, waMessageId: string, said = 'oi') =>
  message(to, waMessageId, { type: 'text', text: said })
const told = ({ heard }: Account, id: string) =>
  heard.receipts.filter((one) => one.waMessageIds.includes(id)).map(({ status }) => status)
const shown = ({ message: { conversation, extendedTextMessage } }: Person['inbox'][number]) =>
  conversation ?? extendedTextMessage?.text

describe('an account on WhatsApp', () => {
  it('shows a code, is paired by its telephone, connects again by itself, and keeps its credentials', async () => {
    const account = await paired()
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
    assert.equal(last(account), 'CONNECTED')
    assert.equal(heard.codes.length, 1)
  })

  it('sends in order; sent when the server has it, then delivered, then read by whom', async () => {
    const account = await paired()
    const { session, ana, own, heard } = account
    const ids = ['3EB0A1', '3EB0A2', '3EB0A3']
    await session.send(ids.map((id) => text(ana, id, id)))
    await until(() => told(account, '3EB0A3').includes('delivered'), 'deliveries')
    assert.deepEqual(ana.inbox.map(shown), ids)
    for (const id of ids) assert.deepEqual(told(account, id), ['sent', 'delivered'])
    // The account's own telephone shows them, too.
    assert.deepEqual(own.sent.map(shown), ids)
    server.messages.read(ana, own, ids)
    await until(() => ids.every((id) => told(account, id).at(-1) === 'read'), 'reads')
    assert.equal(heard.receipts.at(-1)?.party?.phone, ana.phone)
  })

  it('takes the same id again as the same message', async () => {
    const account = await paired()
    for (let count = 1; count <= 2; count++) {
      await account.session.send([text(account.ana, '3EB0B1')])
      await until(
        () => told(account, '3EB0B1').filter((status) => status === 'sent').length === count,
        'an acknowledgement',
      )
    }
    assert.equal(account.ana.inbox.length, 1)
  })

  it('hears who writes, by both names, and what was written while it was away', async () => {
    const account = await paired()
    const { ana, own, heard } = account
    await server.messages.write(ana, own, { conversation: 'tudo bem?' })
    await until(() => heard.messages.length === 1, 'a message')
    const [first] = heard.messages
    assert.deepEqual(first?.content, { type: 'text', text: 'tudo bem?' })
    assert.deepEqual(first?.sender, { phone: ana.phone, lid: ana.lidJid, name: 'Ana' })
    assert.equal(first?.chatId, ana.jid)
    await account.session.close()
    await server.messages.write(ana, own, { conversation: 'está aí?' })
    await account.reopen()
    await until(() => heard.messages.length === 2, 'what waited')
    assert.deepEqual(heard.messages[1]?.content, { type: 'text', text: 'está aí?' })
  })

  it('fails a send to a number that nobody has, and finds numbers with and without the ninth digit', async () => {
    const account = await paired()
    const nobody = { ...account.ana, jid: '5511900009999@s.whatsapp.net' } as Person
    await account.session.send([text(nobody, '3EB0C1')])
    await until(() => told(account, '3EB0C1').length > 0, 'a failure')
    assert.equal(account.heard.receipts[0]?.error?.code, 'NUMBER_NOT_ON_NETWORK')
    const old = server.person(`551188${700_000 + made}`, 'Antiga')
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
  })

  it('carries locations, contacts, polls and reactions there and back', async () => {
    const account = await paired()
    const { session, ana, own, heard } = account
    await server.messages.write(ana, own, { conversation: 'oi' }, { id: '3AFF01' })
    await until(() => heard.messages.length === 1, 'a message')
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
    await until(() => ana.inbox.length === contents.length, 'the messages')
    // What Ana received she sends back as it came.
    for (const { message: back } of ana.inbox) await server.messages.write(ana, own, back)
    await until(() => heard.messages.length === 1 + contents.length, 'the messages again')
    assert.deepEqual(
      heard.messages.slice(1).map(({ content }) => content),
      contents,
    )
  })

  it('edits and takes back what it sent, and hears when a contact does', async () => {
    const account = await paired()
    const { session, ana, own, heard } = account
    await session.send([text(ana, '3EB0F1'), text(ana, '3EB0F2')])
    await until(() => told(account, '3EB0F2').includes('delivered'), 'deliveries')
    const chat = { chatId: ana.jid, sentAt: heard.receipts[0]?.at ?? 0 }
    await session.edit({ ...chat, waMessageId: '3EB0F1', text: 'novo' })
    await session.revoke({ ...chat, waMessageId: '3EB0F2' })
    await until(() => ana.inbox[1]?.deleted === true, 'the revocation')
    const [edited] = ana.inbox
    assert.equal(edited && shown(edited), 'novo')
    const { MESSAGE_EDIT, REVOKE } = { MESSAGE_EDIT: 14, REVOKE: 0 }
    const key = (id: string) => ({ remoteJid: own.jid, fromMe: true, id })
    const changes = [
      { type: MESSAGE_EDIT, key: key('3AFF02'), editedMessage: { conversation: 'primeiro' } },
      { type: REVOKE, key: key('3AFF03') },
    ]
    for (const protocolMessage of changes)
      await server.messages.write(ana, own, { protocolMessage })
    await until(() => heard.happenings.length === 2, 'both changes')
    const [edit, deletion] = heard.happenings
    assert.ok(edit?.kind === 'edited' && edit.waMessageId === '3AFF02' && edit.text === 'primeiro')
    assert.ok(deletion?.kind === 'deleted' && deletion.by.phone === ana.phone)
    const late = { ...chat, waMessageId: '3EB0F1', sentAt: 0 }
    await assert.rejects(session.edit({ ...late, text: 'x' }), { reason: 'too_late' })
  })

  it('fails a refused send by its code, and says sent only when the server did', async () => {
    const account = await paired()
    server.faults.refuse = (node) => (node.attrs['id'] === '3EB0G1' ? '463' : null)
    await account.session.send([text(account.ana, '3EB0G1'), text(account.ana, '3EB0G2')])
    await until(() => told(account, '3EB0G2').includes('sent'), 'an acknowledgement')
    server.faults.refuse = () => null
    assert.deepEqual(told(account, '3EB0G1'), ['failed'])
    const failed = account.heard.receipts.find(({ status }) => status === 'failed')
    assert.equal(failed?.error?.code, 'RESTRICTED')
  })

  it('is logged out when its telephone removes it, and forgets everything', async () => {
    const account = await paired()
    for (const companion of account.own.companions.values()) server.remove(companion)
    await until(() => last(account) === 'LOGGED_OUT', 'the end')
    assert.deepEqual(account.heard.statuses.at(-1), {
      status: 'LOGGED_OUT',
      reason: 'device_removed',
    })
    assert.equal((await account.credentials.load('device')).size, 0)
    assert.equal((await account.credentials.load('pre-key')).size, 0)
  })

  it('unpairs by its own will, and WhatsApp agrees', async () => {
    const account = await paired()
    assert.equal(await account.session.logout(), true)
    assert.equal(account.own.companions.size, 0)
  })

  it('comes back after its line was cut, and loses nothing meanwhile', async () => {
    const account = await paired()
    server.cut()
    await until(() => last(account) === 'DISCONNECTED', 'the cut')
    await server.messages.write(account.ana, account.own, { conversation: 'oi' })
    await until(() => account.heard.messages.length === 1, 'the message')
    await until(() => last(account) === 'CONNECTED', 'to be back')
  })
})

describe('groups and calls on WhatsApp', () => {
  it('tells of a group that it is put into, carries messages in it both ways, and hears what changes', async () => {
    const account = await paired()
    const { session, ana, own, heard } = account
    const groupId = server.groups.create(ana, 'Vendas', [own])
    await until(() => heard.happenings.length === 2, 'the group')
    const [state, joined] = heard.happenings
    assert.ok(state?.kind === 'group' && state.group.subject === 'Vendas')
    assert.deepEqual(
      state.group.participants.map(({ phone, lid, role }) => [phone, lid, role]),
      [
        [ana.phone, ana.lidJid, 'superadmin'],
        [own.phone, own.lidJid, 'member'],
      ],
    )
    assert.ok(joined?.kind === 'participants' && joined.action === 'add')
    assert.equal(joined.participants[0]?.phone, own.phone)
    await server.messages.writeTo(ana, groupId, { conversation: 'olá, grupo' })
    await until(() => heard.messages.length === 1, 'a message in the group')
    const [first] = heard.messages
    assert.deepEqual([first?.chatType, first?.chatId], ['group', groupId])
    assert.deepEqual(first?.sender, { phone: ana.phone, lid: ana.lidJid, name: 'Ana' })
    const chat = { chatId: groupId, chatType: 'group' as const }
    await session.send([{ ...text(ana, '3EB0J1', 'oi, grupo'), ...chat }])
    await until(() => told(account, '3EB0J1').includes('delivered'), 'the delivery')
    assert.deepEqual(told(account, '3EB0J1'), ['sent', 'delivered'])
    assert.deepEqual(ana.inbox.map(shown), ['oi, grupo'])
    server.groups.change(groupId, ana, { tag: 'subject', attrs: {}, content: 'Vendas 2' })
    const gone = { tag: 'participant', attrs: { jid: own.jid } }
    server.groups.change(groupId, ana, { tag: 'remove', attrs: {}, content: [gone] })
    await until(() => heard.happenings.length === 4, 'what changed')
    const [, , renamed, removed] = heard.happenings
    assert.ok(renamed?.kind === 'group_changed' && renamed.subject === 'Vendas 2')
    assert.ok(removed?.kind === 'participants' && removed.action === 'remove')
    await session.send([{ ...text(ana, '3EB0J2'), ...chat }])
    await until(() => told(account, '3EB0J2').length > 0, 'the refusal')
    assert.equal(heard.receipts.at(-1)?.error?.code, 'NOT_A_PARTICIPANT')
  })

  it('makes, changes and leaves groups', async () => {
    const { session, ana, own } = await paired()
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

  it('tells of a call and that it was missed, and refuses one', async () => {
    const { session, ana, own, heard } = await paired()
    const callId = server.messages.call(ana, own)
    await until(() => heard.happenings.length === 1, 'the call')
    const [call] = heard.happenings
    assert.ok(call?.kind === 'call' && call.status === 'ringing' && call.callId === callId)
    assert.equal(call.from.phone, ana.phone)
    assert.equal(await session.rejectCall({ callId, from: call.from }), null)
    server.messages.call(ana, own, 'timeout', callId)
    await until(() => heard.happenings.length === 2, 'its end')
    const [, missed] = heard.happenings
    assert.ok(missed?.kind === 'call' && missed.status === 'missed')
  })

  it('tells that a contact it knows has another name', async () => {
    const { ana, own, heard } = await paired()
    await server.messages.write(ana, own, { conversation: 'um' })
    ana.name = 'Ana Souza'
    await server.messages.write(ana, own, { conversation: 'dois' })
    await until(() => heard.happenings.length === 1, 'the name')
    const [named] = heard.happenings
    assert.ok(named?.kind === 'contact')
    assert.deepEqual([named.party.phone, named.party.name], [ana.phone, 'Ana Souza'])
  })
})

describe('a busy session', () => {
  it('has every message read, three hundred each way at once, though its store is slow', async () => {
    const account = await paired()
    const { session, ana, own, heard } = account
    slowness = 20
    const ids = Array.from({ length: 300 }, (_, n) => `3EB1${n.toString(16).padStart(4, '0')}`)
    const writing = (async () => {
      for (let n = 0; n < ids.length; n++) {
        await server.messages.write(ana, own, { conversation: `de ana ${n}` })
      }
    })()
    await session.send(ids.map((id) => text(ana, id, id)))
    await writing
    await until(() => heard.messages.length === ids.length, 'all that Ana wrote')
    await until(() => ana.inbox.length === ids.length, 'all that she reads')
    await until(() => ids.every((id) => told(account, id).includes('delivered')), 'deliveries')
    slowness = 0
    assert.deepEqual(ana.inbox.map(shown), ids)
    assert.equal(server.messages.retries, 0)
  })

  it('killed again and again in the middle of it, loses nothing and sends nothing under two ids', async () => {
    const account = await paired()
    const { ana, own, heard } = account
    slowness = 30
    const ids = Array.from({ length: 300 }, (_, n) => `3EB2${n.toString(16).padStart(4, '0')}`)
    const unsent = () => ids.filter((id) => !told(account, id).includes('sent'))
    const written: string[] = []
    const writing = (async () => {
      for (let n = 0; n < ids.length; n++) {
        written.push(await server.messages.write(ana, own, { conversation: `de ana ${n}` }))
        // So that it lasts as long as the sends do.
        for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate)
      }
    })()
    for (const part of [60, 120, 200]) {
      void account.session.send(unsent().map((id) => text(ana, id, id))).catch(() => {})
      await until(() => ids.length - unsent().length >= part, `${part} sent`)
      await account.kill()
    }
    await account.session.send(unsent().map((id) => text(ana, id, id)))
    await writing
    const got = () => new Set(heard.messages.map(({ waMessageId }) => waMessageId))
    await until(() => got().size === written.length, 'all that Ana wrote')
    await until(() => unsent().length === 0, 'all that was sent')
    slowness = 0
    assert.deepEqual([...got()].toSorted(), written.toSorted())
    assert.deepEqual(new Set(ana.inbox.map(shown)), new Set(ids))
    assert.equal(ana.inbox.length, ids.length)
    assert.equal(server.messages.retries, 0)
  })
})

describe('a forged signature', () => {
  it('on the server’s certificate ends the line before anything is said', async () => {
    server.faults.forgedChain = true
    const account = await open()
    await until(() => server.connections.size > 0, 'a line')
    await until(() => server.refused > 0, 'its end')
    server.faults.forgedChain = false
    await account.session.close()
    assert.deepEqual(account.heard.codes, [])
  })

  it('on the account’s half of a pairing pairs nobody', async () => {
    const account = await open()
    await until(() => account.heard.codes.length > 0, 'a code')
    server.faults.forgedAccount = true
    server.pairing.scan(account.own, account.heard.codes[0]?.code ?? '')
    server.faults.forgedAccount = false
    await until(() => server.refused > 1, 'its end')
    assert.deepEqual(account.heard.statuses, [])
    assert.equal((await account.credentials.load('device')).size, 0)
    await account.session.close()
  })

  it('on a contact’s prekeys sends nothing to them', async () => {
    const account = await paired()
    server.faults.forgedPreKeys = true
    const sending = account.session.send([text(account.ana, '3EB0H1')])
    await assert.rejects(sending)
    server.faults.forgedPreKeys = false
    assert.deepEqual(account.ana.inbox, [])
    await account.session.send([text(account.ana, '3EB0H1')])
    await until(() => account.ana.inbox.length === 1, 'the message')
  })
})
