import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import type { MessageExtras } from '../model/details.schemas.ts'
import type { StoredContent } from '../model/message.ts'
import type { Party } from '../model/records.schemas.ts'
import { allKinds, kindNamed, type MessageContent } from '../model/kinds/index.ts'
import type {
  HistoricMessage,
  NetworkEvent,
  InboundMessage,
  NetworkListener,
  Receipt,
  Restriction,
  SessionStatus,
} from './network-events.port.ts'
import { STATUS_CHAT } from '../model/recipient.ts'
import {
  NetworkRejection,
  type Capability,
  type CredentialStore,
  type NetworkSession,
  type OutboundMedia,
  type OutboundMessage,
} from './network.port.ts'

/** Everything that a network has reported to its listener, in order. */
export type ReportedEvents = {
  codes: { code: string; at: number; expiresAt: number }[]
  statuses: SessionStatus[]
  restrictions: (Restriction | null)[]
  messages: InboundMessage[]
  history: HistoricMessage[]
  receipts: Receipt[]
  happenings: NetworkEvent[]
}

/** An account on the network under test, with its own phone and a contact. */
export type ConformanceAccount = {
  session: NetworkSession
  reported: ReportedEvents
  credentials: CredentialStore
  phone: string
  contact: { phone: string; chatId: string }
  /** Scans a pairing code with the account's phone. */
  scan(code: string): Promise<void>
  contactWrites(text: string): Promise<void>
  /** The contact wrote this before the account is paired, and the account's phone still has it. */
  contactWroteBefore(texts: string[]): Promise<void>
  contactReads(waMessageIds: string[]): Promise<void>
  /** The contact views a status post of the account. */
  contactViews(waMessageId: string): Promise<void>
  contactSends(content: MessageContent): Promise<void>
  contactEdits(waMessageId: string, text: string): Promise<void>
  contactRevokes(waMessageId: string): Promise<void>
  /** The contact pins a message of the account in their chat for a day. */
  contactPins(waMessageId: string): Promise<void>
  /** The contact keeps a message of the account although messages of their chat disappear. */
  contactKeeps(waMessageId: string): Promise<void>
  /** Stars or unstars a message of the contact on the account's own phone. */
  phoneStars(waMessageId: string, starred: boolean): Promise<void>
  /** Whether the account's own phone shows a star on a message of the contact. */
  isStarredOnPhone(waMessageId: string): Promise<boolean>
  contactRenames(name: string): Promise<void>
  /** The contact continues with another phone. */
  contactChangesDevice(): Promise<void>
  /** The contact writes about themselves, and sets their picture (JPEG) or removes it. */
  contactShows(profile: { about: string; picture: Buffer | null }): Promise<void>
  contactCalls(): Promise<void>
  /** The contact creates a group with the account in it; returns the group's id. */
  contactCreatesGroup(subject: string): Promise<string>
  contactWritesTo(groupId: string, text: string): Promise<void>
  /** The contact forms a community of groups with the account in them; returns the community's id. */
  contactFormsCommunity(subject: string, groupIds: string[]): Promise<string>
  /** The contact takes a group out of its community. */
  contactReleases(groupId: string, communityId: string): Promise<void>
  /** Returns the code of the invitation to a group of the contact. */
  contactInvites(groupId: string): Promise<string>
  /** The contact asks to join the group that a code invites to. */
  contactAsksToJoin(code: string): Promise<void>
  /** The contact lets only admins write in its group. */
  contactSilences(groupId: string): Promise<void>
  /** Returns the messages that the contact's phone shows, oldest first. */
  contactReceived(): Promise<
    {
      waMessageId: string
      content: MessageContent
      sha256: string | null
      deleted: boolean
      pinned: boolean
    }[]
  >
  removeDevice(): Promise<void>
  /** Closes the session and opens another with the same credentials. */
  reopen(): Promise<void>
  /** A number that is not on the network. */
  unknownPhone: string
  /** Resolves when the network has nothing more to report. */
  whenIdle(): Promise<void>
}

/** Creates a listener that collects what an adapter reports, for the adapters' test harnesses. */
export function createRecordingListener(): {
  reportedEvents: ReportedEvents
  listener: NetworkListener
} {
  const reportedEvents: ReportedEvents = {
    codes: [],
    statuses: [],
    restrictions: [],
    messages: [],
    history: [],
    receipts: [],
    happenings: [],
  }
  return {
    reportedEvents: reportedEvents,
    listener: {
      onCode: async (code) => void reportedEvents.codes.push(code),
      onStatus: async (status) => void reportedEvents.statuses.push(status),
      onRestriction: async (restriction) => void reportedEvents.restrictions.push(restriction),
      onMessages: async (messages) => void reportedEvents.messages.push(...messages),
      onHistory: async (messages) => void reportedEvents.history.push(...messages),
      onReceipts: async (receipts) => void reportedEvents.receipts.push(...receipts),
      onEvents: async (happenings) => void reportedEvents.happenings.push(...happenings),
    },
  }
}

/** Creates an in-memory credential store, for the adapters' test harnesses. */
export function createMemoryCredentials(): CredentialStore {
  const kinds = new Map<string, Map<string, Buffer>>()
  return {
    load: async (kind) => new Map(kinds.get(kind)),
    read: async (kind, id) => kinds.get(kind)?.get(id) ?? null,
    readMany: async (kind, ids) =>
      new Map([...(kinds.get(kind) ?? [])].filter(([id]) => ids.includes(id))),
    async save(entries) {
      for (const { kind, id, value } of entries) {
        const values = kinds.get(kind) ?? new Map()
        kinds.set(kind, values)
        if (value) values.set(id, value)
        else values.delete(id)
      }
    },
    clear: async () => kinds.clear(),
  }
}

function text(account: ConformanceAccount, waMessageId: string, said = 'oi'): OutboundMessage {
  return {
    waMessageId,
    chatId: account.contact.chatId,
    chatType: 'direct',
    audience: [],
    content: { type: 'text', text: said },
    quoted: null,
    mentions: [],
    media: null,
    target: null,
    typingMs: 0,
  }
}

/**
 * Registers the tests that every network adapter must pass, and those for its capabilities. `openAccount` opens an
 * account that is not paired yet.
 */
export function describeNetwork(
  name: string,
  capabilities: ReadonlySet<Capability>,
  openAccount: () => Promise<ConformanceAccount>,
): void {
  /** Registers a test that runs only if the network has a capability. */
  function whenIt(has: Capability, title: string, test: () => Promise<void>): void {
    if (capabilities.has(has)) it(title, test)
  }
  const statuses = ({ reported: events }: ConformanceAccount) =>
    events.statuses.map(({ status }) => status)
  const receiptStatuses = ({ reported: events }: ConformanceAccount, id: string) =>
    events.receipts
      .filter(({ waMessageIds }) => waMessageIds.includes(id))
      .map(({ status }) => status)

  async function openPairedAccount(): Promise<ConformanceAccount> {
    const account = await openAccount()
    await account.whenIdle()
    await account.scan(account.reported.codes.at(-1)?.code ?? '')
    await account.whenIdle()
    return account
  }

  describe(`the network ${name}`, () => {
    whenIt('codes', 'an unpaired account receives a pairing code with an expiry time', async () => {
      const account = await openAccount()
      await account.whenIdle()
      const [code] = account.reported.codes
      assert.ok(code && code.code.length > 0)
      assert.ok(code.expiresAt > code.at)
      assert.deepEqual(account.reported.statuses, [])
    })

    it('scanning the code reports PAIRED with the phone number, then CONNECTED', async () => {
      const account = await openPairedAccount()
      const [first] = account.reported.statuses
      assert.deepEqual(statuses(account), ['PAIRED', 'CONNECTED'])
      assert.ok(first?.status === 'PAIRED' && first.phone === account.phone)
    })

    it('a reopened session resumes with its credentials and requests no code', async () => {
      const account = await openPairedAccount()
      const codes = account.reported.codes.length
      await account.reopen()
      await account.whenIdle()
      assert.equal(statuses(account).at(-1), 'CONNECTED')
      assert.equal(account.reported.codes.length, codes)
    })

    it('messages are delivered in order, each reported once as sent and then once as delivered', async () => {
      const account = await openPairedAccount()
      const ids = ['3EB0A1', '3EB0A2', '3EB0A3']
      await account.session.send(ids.map((id) => text(account, id, id)))
      await account.whenIdle()
      const received = await account.contactReceived()
      assert.deepEqual(
        received.map(({ waMessageId, content }) => [waMessageId, content]),
        ids.map((id) => [id, { type: 'text', text: id }]),
      )
      for (const id of ids) assert.deepEqual(receiptStatuses(account, id), ['sent', 'delivered'])
    })

    it('sending the same id twice delivers one message', async () => {
      const account = await openPairedAccount()
      for (let count = 0; count < 2; count++) {
        await account.session.send([text(account, '3EB0B1')])
        await account.whenIdle()
      }
      assert.equal((await account.contactReceived()).length, 1)
      assert.ok(receiptStatuses(account, '3EB0B1').includes('sent'))
    })

    it('a read receipt identifies the contact that read the message', async () => {
      const account = await openPairedAccount()
      await account.session.send([text(account, '3EB0C1')])
      await account.whenIdle()
      await account.contactReads(['3EB0C1'])
      await account.whenIdle()
      assert.equal(receiptStatuses(account, '3EB0C1').at(-1), 'read')
      assert.equal(account.reported.receipts.at(-1)?.party?.phone, account.contact.phone)
    })

    it('a message from a contact carries the phone and the chat of the contact', async () => {
      const account = await openPairedAccount()
      await account.contactWrites('tudo bem?')
      await account.whenIdle()
      const [message] = account.reported.messages
      assert.ok(message)
      assert.deepEqual(message.content, { type: 'text', text: 'tudo bem?' })
      assert.equal(message.chatId, account.contact.chatId)
      assert.equal(message.sender.phone, account.contact.phone)
      assert.equal(message.fromMe, false)
      assert.ok(message.waMessageId)
    })

    it('a message written while the session is closed arrives after it reopens, and says so', async () => {
      const account = await openPairedAccount()
      await account.session.close()
      await account.contactWrites('está aí?')
      await account.reopen()
      await account.whenIdle()
      await account.contactWrites('oi')
      await account.whenIdle()
      const contents = account.reported.messages.map(({ content }) => content)
      assert.deepEqual(contents, [
        { type: 'text', text: 'está aí?', recovered: true },
        { type: 'text', text: 'oi' },
      ])
    })

    it('a send to a number that does not exist fails', async () => {
      const account = await openPairedAccount()
      const { unknownPhone } = account
      const chatId = `${unknownPhone}@s.whatsapp.net`
      await account.session.send([{ ...text(account, '3EB0D1'), chatId }])
      await account.whenIdle()
      const [receipt] = account.reported.receipts
      assert.equal(receipt?.status, 'failed')
      assert.equal(receipt?.error?.code, 'NUMBER_NOT_ON_NETWORK')
    })

    whenIt('lookups', 'looking up a number that does not exist reports it as missing', async () => {
      const account = await openPairedAccount()
      const { unknownPhone, contact } = account
      const found = await account.session.lookUp({ phones: [unknownPhone, contact.phone] })
      assert.deepEqual(
        found.map(({ input, exists, phone }) => [input, exists, phone]),
        [
          [unknownPhone, false, null],
          [contact.phone, true, contact.phone],
        ],
      )
    })

    whenIt(
      'codes',
      'removing the device on the phone reports LOGGED_OUT and clears the credentials',
      async () => {
        const account = await openPairedAccount()
        await account.removeDevice()
        await account.whenIdle()
        const last = account.reported.statuses.at(-1)
        assert.deepEqual(last, { status: 'LOGGED_OUT', reason: 'device_removed' })
        assert.equal((await account.credentials.load('device')).size, 0)
      },
    )

    it('logout returns true once the network has confirmed the unpairing', async () => {
      const account = await openPairedAccount()
      assert.equal(await account.session.logout(), true)
    })

    it('every message kind arrives unchanged in both directions', async () => {
      const account = await openPairedAccount()
      const ids: string[] = []
      const sendable = everyKind(capabilities)
      // Contacts cannot send templates.
      const receivable = sendable.filter(({ type }) => type !== 'template')
      for (const [index, content] of sendable.entries()) {
        const id = `3EB0E${index}`
        ids.push(id)
        const media = kindNamed(content.type)?.media ? exampleFile() : null
        await account.session.send([{ ...text(account, id), content, media }])
        await account.whenIdle()
      }
      const received = await account.contactReceived()
      assert.deepEqual(
        received.map(({ content }) => content),
        sendable,
      )
      for (const { content, sha256 } of received) {
        const carries = kindNamed(content.type)?.media !== undefined
        assert.equal(sha256, carries ? exampleFile().sha256 : null, content.type)
      }
      for (const content of receivable) await account.contactSends(content)
      await account.whenIdle()
      assert.deepEqual(
        account.reported.messages.map(({ content }) => content),
        receivable,
      )
      for (const { media } of account.reported.messages) {
        if (!media) continue
        const bytes = await buffer(await account.session.download(media.source))
        assert.equal(createHash('sha256').update(bytes).digest('hex'), media.sha256)
      }
    })

    whenIt('albums', 'photos of an album arrive as one album in both directions', async () => {
      const account = await openPairedAccount()
      const photo = (album: { id: string; header?: { images: number; videos: number } }) =>
        ({ type: 'image', caption: null, viewOnce: false, album }) satisfies MessageContent
      const albumsOf = (contents: StoredContent[]) =>
        contents.map((content) => (content as MessageExtras).album?.id)
      const header = { images: 2, videos: 0 }
      const [first, second] = [text(account, '3EB0L1'), text(account, '3EB0L2')]
      await account.session.send([
        { ...first, content: photo({ id: '3EB0L0', header }), media: exampleFile() },
        { ...second, content: photo({ id: '3EB0L0' }), media: exampleFile() },
      ])
      await account.whenIdle()
      const received = await account.contactReceived()
      assert.deepEqual(albumsOf(received.map(({ content }) => content)), ['3EB0L0', '3EB0L0'])
      for (const album of [{ id: 'A1', header }, { id: 'A1' }])
        await account.contactSends(photo(album))
      await account.whenIdle()
      const { messages } = account.reported
      assert.deepEqual(albumsOf(messages.map(({ content }) => content)), ['A1', 'A1'])
    })

    whenIt('changes', 'a forwarded message arrives as forwarded in both directions', async () => {
      const account = await openPairedAccount()
      const content: MessageContent = { type: 'text', text: 'repasse', forwarded: true }
      await account.session.send([{ ...text(account, '3EB0J1'), content }])
      await account.contactSends(content)
      await account.whenIdle()
      const [received] = await account.contactReceived()
      assert.deepEqual(received?.content, content)
      assert.deepEqual(account.reported.messages[0]?.content, content)
    })

    whenIt(
      'publishing',
      'a status post reaches its audience alone, reports who viewed it, and can be deleted',
      async () => {
        const account = await openPairedAccount()
        const { phone } = account.contact
        const viewer = { phone, lid: null, name: null }
        const chat = { chatId: STATUS_CHAT, chatType: 'status' as const }
        const photo = { type: 'image' as const, caption: 'Loja nova', viewOnce: false }
        await account.session.send([
          { ...text(account, '3EB0S1', 'Bom dia'), ...chat, audience: [viewer] },
          {
            ...text(account, '3EB0S2'),
            ...chat,
            audience: [viewer],
            content: photo,
            media: exampleFile(),
          },
        ])
        await account.whenIdle()
        await account.session.send([{ ...text(account, '3EB0S3', 'Para ninguém'), ...chat }])
        await account.whenIdle()
        const received = await account.contactReceived()
        assert.deepEqual(
          received.map(({ content }) => content),
          [{ type: 'text', text: 'Bom dia' }, photo],
        )
        await account.contactViews('3EB0S1')
        await account.whenIdle()
        assert.deepEqual(receiptStatuses(account, '3EB0S1'), ['sent', 'delivered', 'read'])
        assert.deepEqual(receiptStatuses(account, '3EB0S3'), ['sent'])
        const view = account.reported.receipts.at(-1)
        assert.deepEqual([view?.chatId, view?.party?.phone], [STATUS_CHAT, phone])

        await account.session.revoke({
          chatId: STATUS_CHAT,
          waMessageId: '3EB0S2',
          audience: [viewer],
          sentAt: view?.at ?? 0,
        })
        await account.whenIdle()
        const shown = await account.contactReceived()
        assert.deepEqual(
          shown.map(({ deleted }) => deleted),
          [false, true],
        )
        assert.deepEqual(account.reported.messages, [])
      },
    )

    whenIt('publishing', 'a post in a channel is reported as sent', async () => {
      const account = await openPairedAccount()
      const chat = { chatId: '120363000000000001@newsletter', chatType: 'channel' as const }
      await account.session.send([{ ...text(account, '3EB0N1', 'Novidades'), ...chat }])
      await account.whenIdle()
      assert.deepEqual(receiptStatuses(account, '3EB0N1'), ['sent'])
      assert.deepEqual(await account.contactReceived(), [])
    })

    whenIt(
      'changes',
      'an account can edit and delete its messages, and receives the edits and deletions of a contact',
      async () => {
        const account = await openPairedAccount()
        const { chatId } = account.contact
        await account.session.send([text(account, '3EB0F1'), text(account, '3EB0F2')])
        await account.whenIdle()
        const sentAt = account.reported.receipts[0]?.at ?? 0
        await account.session.edit({ chatId, waMessageId: '3EB0F1', text: 'novo', sentAt })
        await account.session.revoke({ chatId, waMessageId: '3EB0F2', sentAt, audience: [] })
        await account.whenIdle()
        const [edited, revoked] = await account.contactReceived()
        assert.deepEqual(edited?.content, { type: 'text', text: 'novo' })
        assert.equal(revoked?.deleted, true)

        const content = { type: 'image' as const, caption: 'R$ 100', viewOnce: false }
        const photo = { ...text(account, '3EB0F3'), content, media: exampleFile() }
        await account.session.send([photo])
        await account.whenIdle()
        const price = { chatId, waMessageId: '3EB0F3', text: 'R$ 90', sentAt, kind: 'image' }
        await account.session.edit(price)
        await account.whenIdle()
        const [, , shown] = await account.contactReceived()
        assert.deepEqual(shown?.content, { ...content, caption: 'R$ 90' })

        await account.contactWrites('um')
        await account.contactWrites('dois')
        await account.whenIdle()
        const [first, second] = account.reported.messages.map(({ waMessageId }) => waMessageId)
        await account.contactEdits(first ?? '', 'primeiro')
        await account.contactRevokes(second ?? '')
        await account.whenIdle()
        const [edit, deletion] = account.reported.happenings
        assert.ok(edit?.kind === 'edited' && edit.waMessageId === first && edit.text === 'primeiro')
        assert.ok(deletion?.kind === 'deleted' && deletion.waMessageId === second)
        for (const change of [edit, deletion]) {
          assert.equal(change.by.phone, account.contact.phone)
          assert.equal(change.fromMe, false)
          assert.equal(change.chatId, chatId)
        }
      },
    )

    whenIt(
      'changes',
      'a message is pinned and unpinned by the account, and pinned by a contact',
      async () => {
        const account = await openPairedAccount()
        const { chatId, phone } = account.contact
        await account.session.send([text(account, '3EB0N1')])
        await account.contactWrites('oi')
        await account.whenIdle()
        const [received] = account.reported.messages
        const { waMessageId = '', sender } = received ?? {}
        assert.ok(sender)
        const pin = (seconds: number | null) =>
          account.session.pin({ chatId, waMessageId: '3EB0N1', fromMe: true, sender, seconds })
        const isPinned = async () => {
          await account.whenIdle()
          return (await account.contactReceived())[0]?.pinned
        }
        await pin(86_400)
        assert.equal(await isPinned(), true)
        await pin(null)
        assert.equal(await isPinned(), false)
        await account.session.pin({ chatId, waMessageId, fromMe: false, sender, seconds: 604_800 })
        await account.contactPins('3EB0N1')
        await account.whenIdle()
        const [change] = account.reported.happenings
        assert.ok(change?.kind === 'pinned' && change.waMessageId === '3EB0N1')
        assert.deepEqual([change.chatId, change.by.phone, change.fromMe], [chatId, phone, false])
        assert.equal(change.until, change.at + 86_400_000)
      },
    )

    whenIt(
      'changes',
      'a message is starred by the account on all of its devices, and kept by a contact',
      async () => {
        const account = await openPairedAccount()
        const { chatId, phone } = account.contact
        await account.session.send([text(account, '3EB0K1')])
        await account.contactWrites('oi')
        await account.whenIdle()
        const [received] = account.reported.messages
        const { waMessageId = '', sender } = received ?? {}
        assert.ok(sender)
        for (const starred of [true, false]) {
          await account.session.star({ chatId, waMessageId, fromMe: false, sender, starred })
          await account.whenIdle()
          assert.equal(await account.isStarredOnPhone(waMessageId), starred)
        }
        assert.equal(account.reported.happenings.length, 0)
        for (const starred of [true, false]) {
          await account.phoneStars(waMessageId, starred)
          await account.whenIdle()
          const star = account.reported.happenings.shift()
          assert.ok(star?.kind === 'starred' && star.starred === starred)
          assert.deepEqual([star.chatId, star.waMessageId], [chatId, waMessageId])
        }
        await account.contactKeeps('3EB0K1')
        await account.whenIdle()
        const [change] = account.reported.happenings
        assert.ok(change?.kind === 'kept' && change.kept && change.waMessageId === '3EB0K1')
        assert.deepEqual([change.chatId, change.by.phone, change.fromMe], [chatId, phone, false])
      },
    )

    whenIt(
      'changes',
      'editing or deleting a message after its time limit is rejected',
      async () => {
        const account = await openPairedAccount()
        const message = { chatId: account.contact.chatId, waMessageId: '3EB0G1', sentAt: 0 }
        const late = (error: unknown) =>
          error instanceof NetworkRejection && error.reason === 'too_late'
        await assert.rejects(account.session.edit({ ...message, text: 'x' }), late)
        await assert.rejects(account.session.revoke({ ...message, audience: [] }), late)
      },
    )

    whenIt('phone', 'a name change of a known contact is reported', async () => {
      const account = await openPairedAccount()
      await account.contactWrites('oi')
      await account.contactRenames('Ana Souza')
      await account.whenIdle()
      const named = account.reported.happenings.find((one) => one.kind === 'contact')
      assert.equal(named?.party.name, 'Ana Souza')
      assert.equal(named?.party.phone, account.contact.phone)
    })

    whenIt(
      'phone',
      'a new phone of a known contact is reported as another security code',
      async () => {
        const account = await openPairedAccount()
        await account.contactWrites('oi')
        await account.whenIdle()
        await account.contactChangesDevice()
        await account.whenIdle()
        const [change] = account.reported.happenings
        assert.ok(change?.kind === 'identity')
        assert.equal(change.party.phone, account.contact.phone)
      },
    )

    whenIt(
      'groups',
      'an account added to a group receives its state and exchanges messages in it',
      async () => {
        const account = await openPairedAccount()
        const groupId = await account.contactCreatesGroup('Vendas')
        await account.whenIdle()
        const [state, joined] = account.reported.happenings
        assert.ok(state?.kind === 'group' && state.group.subject === 'Vendas')
        assert.ok(joined?.kind === 'participants' && joined.action === 'add')
        assert.deepEqual(
          joined.participants.map(({ phone }) => phone),
          [account.phone],
        )
        await account.contactWritesTo(groupId, 'olá, grupo')
        await account.whenIdle()
        const [received] = account.reported.messages
        assert.equal(received?.chatType, 'group')
        assert.equal(received?.chatId, groupId)
        assert.equal(received?.sender.phone, account.contact.phone)
        const message = { ...text(account, '3EB0H1'), chatId: groupId, chatType: 'group' as const }
        await account.session.send([message])
        await account.whenIdle()
        assert.deepEqual(receiptStatuses(account, '3EB0H1'), ['sent', 'delivered'])
        assert.equal((await account.contactReceived()).length, 1)
      },
    )

    whenIt(
      'groups',
      'an account can create, change and leave a group, and cannot send to it afterwards',
      async () => {
        const account = await openPairedAccount()
        const { session, contact } = account
        const input = { subject: 'Obras', description: null, participants: [contact.phone] }
        const { groupId, participants } = await session.createGroup(input)
        assert.deepEqual(
          new Map(participants.map(({ phone, role }) => [phone, role])),
          new Map([
            [account.phone, 'superadmin'],
            [contact.phone, 'member'],
          ]),
        )
        await session.changeGroup({ groupId, subject: 'Obras 2', description: 'Só obras' })
        const promoted = await session.changeParticipants({
          groupId,
          action: 'promote',
          participants: [contact.phone],
        })
        assert.deepEqual(
          promoted.map(({ phone, role }) => [phone, role]),
          [[contact.phone, 'admin']],
        )
        await session.leaveGroup({ groupId })
        await session.send([
          { ...text(account, '3EB0I1'), chatId: groupId, chatType: 'group' as const },
        ])
        await account.whenIdle()
        assert.deepEqual(receiptStatuses(account, '3EB0I1'), ['failed'])
      },
    )

    whenIt(
      'groups',
      "an account changes its group's settings and invitation, and receives changes of others",
      async () => {
        const account = await openPairedAccount()
        const { session, contact } = account
        const input = { subject: 'Obras', description: null, participants: [contact.phone] }
        const { groupId, settings } = await session.createGroup(input)
        const initial = {
          onlyAdminsSend: false,
          onlyAdminsEdit: false,
          joinApproval: false,
          disappearingSeconds: 0,
        }
        assert.deepEqual(settings, initial)
        const next = {
          onlyAdminsEdit: true,
          joinApproval: true,
          disappearingSeconds: 604_800 as const,
        }
        await session.changeGroupSettings({ groupId, settings: next })
        const { code } = await session.groupInvite({ groupId, reset: false })
        assert.equal((await session.groupInvite({ groupId, reset: false })).code, code)
        assert.notEqual((await session.groupInvite({ groupId, reset: true })).code, code)
        const theirs = await account.contactCreatesGroup('Vizinhos')
        await account.contactSilences(theirs)
        await account.whenIdle()
        const change = account.reported.happenings.find((one) => one.kind === 'group_changed')
        assert.ok(change?.kind === 'group_changed' && change.groupId === theirs)
        assert.deepEqual(change.settings, { onlyAdminsSend: true })
        const notAdmin = (error: unknown) =>
          error instanceof NetworkRejection && error.reason === 'not_admin'
        await assert.rejects(session.groupInvite({ groupId: theirs, reset: false }), notAdmin)
      },
    )

    whenIt('groups', 'the groups of a community are reported with their place in it', async () => {
      const account = await openPairedAccount()
      const groupId = await account.contactCreatesGroup('Bloco A')
      const id = await account.contactFormsCommunity('Condomínio', [groupId])
      await account.whenIdle()
      // The existing group is reported as changed; the community and its announcements, as new groups.
      const places = () =>
        new Map(
          account.reported.happenings.flatMap((one) =>
            one.kind === 'group'
              ? [[one.group.groupId, one.group.community] as const]
              : one.kind === 'group_changed' && one.community !== undefined
                ? [[one.groupId, one.community] as const]
                : [],
          ),
        )
      assert.deepEqual(places().get(groupId), { id, part: 'group' })
      assert.deepEqual(places().get(id), { id, part: 'community' })
      const announcements = [...places().values()].filter((one) => one?.part === 'announcements')
      assert.deepEqual(announcements, [{ id, part: 'announcements' }])
      await account.contactReleases(groupId, id)
      await account.whenIdle()
      assert.equal(places().get(groupId), null)
    })

    whenIt(
      'groups',
      'only admins write in a group that says so, and no one in a community',
      async () => {
        const account = await openPairedAccount()
        const groupId = await account.contactCreatesGroup('Avisos da rua')
        const id = await account.contactFormsCommunity('Rua', [groupId])
        const write = async (waMessageId: string, chatId: string) => {
          const message = { ...text(account, waMessageId), chatId, chatType: 'group' as const }
          await account.session.send([message])
          await account.whenIdle()
          return receiptStatuses(account, waMessageId)
        }
        assert.deepEqual(await write('3EB0W1', groupId), ['sent', 'delivered'])
        await account.contactSilences(groupId)
        await account.whenIdle()
        assert.deepEqual(await write('3EB0W2', groupId), ['failed'])
        assert.deepEqual(await write('3EB0W3', id), ['failed'])
        const codes = account.reported.receipts.flatMap(({ error }) => error?.code ?? [])
        assert.deepEqual(codes, ['NOT_A_PARTICIPANT', 'NOT_A_PARTICIPANT'])
      },
    )

    whenIt(
      'groups',
      'an account joins a group by its invitation, and an unknown one is rejected',
      async () => {
        const account = await openPairedAccount()
        const { session } = account
        const groupId = await account.contactCreatesGroup('Bairro')
        const code = await account.contactInvites(groupId)
        await session.leaveGroup({ groupId })
        const joined = await session.joinGroup({ code })
        assert.equal(joined?.groupId, groupId)
        assert.ok(joined?.participants.some(({ phone }) => phone === account.phone))
        const unknown = (error: unknown) =>
          error instanceof NetworkRejection && error.reason === 'unknown'
        await assert.rejects(session.joinGroup({ code: 'Desconhecido' }), unknown)
      },
    )

    whenIt(
      'groups',
      'an account approves and rejects requests to join a group of which it is an admin',
      async () => {
        const account = await openPairedAccount()
        const { session, contact } = account
        const input = { subject: 'Clientes', description: null, participants: [] }
        const { groupId } = await session.createGroup(input)
        await session.changeGroupSettings({ groupId, settings: { joinApproval: true } })
        const { code } = await session.groupInvite({ groupId, reset: false })
        assert.deepEqual(await session.listJoinRequests({ groupId }), [])
        const ask = async () => {
          await account.contactAsksToJoin(code)
          await account.whenIdle()
          const [request, ...others] = await session.listJoinRequests({ groupId })
          assert.deepEqual([request?.phone, others], [contact.phone, []])
          assert.ok(request && request.requestedAt > 0)
          return { phone: request.phone, lid: request.lid, name: null }
        }
        const answer = (action: 'approve' | 'reject', request: Party) =>
          session.answerJoinRequests({ groupId, action, requests: [request] })
        const rejected = await ask()
        assert.equal((await answer('reject', rejected))[0]?.phone, contact.phone)
        assert.deepEqual(await session.listJoinRequests({ groupId }), [])
        assert.deepEqual(await answer('approve', rejected), [])
        const approved = await answer('approve', await ask())
        assert.equal(approved[0]?.phone, contact.phone)
        await account.whenIdle()
        await account.contactWritesTo(groupId, 'cheguei')
        await account.whenIdle()
        assert.equal(account.reported.messages.at(-1)?.chatId, groupId)
        const theirs = await account.contactCreatesGroup('Vizinhos')
        await assert.rejects(
          session.listJoinRequests({ groupId: theirs }),
          (error: unknown) => error instanceof NetworkRejection && error.reason === 'not_admin',
        )
      },
    )

    whenIt(
      'blocking',
      'messages of a blocked contact do not arrive, until it is unblocked',
      async () => {
        const account = await openPairedAccount()
        const { session, contact } = account
        await account.contactWrites('um')
        await account.whenIdle()
        assert.deepEqual(await session.listBlocked({}), [])
        await session.setBlocked({ phone: contact.phone, lid: null, blocked: true })
        const blocked = await session.listBlocked({})
        assert.deepEqual(
          blocked.map(({ phone }) => phone),
          [contact.phone],
        )
        await account.contactWrites('dois')
        await account.whenIdle()
        const [{ phone, lid } = { phone: null, lid: null }] = blocked
        await session.setBlocked({ phone, lid, blocked: false })
        await account.contactWrites('três')
        await account.whenIdle()
        assert.deepEqual(
          account.reported.messages.map(({ content }) => 'text' in content && content.text),
          ['um', 'três'],
        )
        assert.deepEqual(await session.listBlocked({}), [])
      },
    )

    whenIt(
      'history',
      'messages from before the pairing are reported as history, and older ones again on request',
      async () => {
        const account = await openAccount()
        await account.whenIdle()
        await account.contactWroteBefore(['um', 'dois', 'três'])
        await account.scan(account.reported.codes.at(-1)?.code ?? '')
        await account.whenIdle()
        const { history, messages } = account.reported
        const texts = (list: InboundMessage[]) =>
          list
            .toSorted((one, other) => one.at - other.at)
            .map(({ content }) => 'text' in content && content.text)
        assert.deepEqual(texts(history), ['um', 'dois', 'três'])
        assert.deepEqual(messages, [])
        const last = history.toSorted((one, other) => one.at - other.at).at(-1)
        assert.ok(last)
        const { chatId, waMessageId, at, sender, fromMe, status } = last
        assert.deepEqual([chatId, fromMe, status], [account.contact.chatId, false, 'received'])
        assert.equal(sender.phone, account.contact.phone)
        history.length = 0
        const before = { waMessageId, fromMe, at }
        await account.session.requestHistory({ chatId, before, count: 1 })
        await account.whenIdle()
        assert.deepEqual(texts(account.reported.history), ['dois'])
      },
    )

    whenIt(
      'phone',
      'what a contact and the account show about themselves is read, and a changed picture reported',
      async () => {
        const account = await openPairedAccount()
        const { session, contact } = account
        const { chatId } = contact
        const show = async () => {
          const { about } = await session.findProfile({ chatId })
          const full = await session.findPicture({ chatId, preview: false })
          return { about, picture: full && Buffer.from(full, 'base64').toString() }
        }
        // The account knows the contact, so it receives their changes.
        await account.contactWrites('oi')
        assert.deepEqual(await show(), { about: null, picture: null })
        await account.contactShows({
          about: 'Atendo de segunda a sexta',
          picture: Buffer.from('foto'),
        })
        await account.whenIdle()
        const changes = account.reported.happenings.filter(({ kind }) => kind === 'picture')
        assert.deepEqual(
          changes.map((change) => 'chatId' in change && change.chatId),
          [chatId],
        )
        assert.deepEqual(await show(), { about: 'Atendo de segunda a sexta', picture: 'foto' })
        assert.ok(await session.findPicture({ chatId, preview: true }))
        await account.contactShows({ about: '', picture: null })
        assert.deepEqual(await show(), { about: null, picture: null })

        await session.changeProfile({ about: 'Padaria do bairro' })
        assert.equal((await session.findProfile({ chatId: null })).about, 'Padaria do bairro')
        const picture = Buffer.from('fachada').toString('base64')
        await session.setPicture({ groupId: null, picture })
        assert.equal(await session.findPicture({ chatId: null, preview: false }), picture)
        await session.setPicture({ groupId: null, picture: null })
        assert.equal(await session.findPicture({ chatId: null, preview: false }), null)
      },
    )

    whenIt('groups', 'only those who may edit a group set its picture', async () => {
      const account = await openPairedAccount()
      const { session, contact } = account
      const picture = Buffer.from('time').toString('base64')
      const input = { subject: 'Time', description: null, participants: [contact.phone] }
      const { groupId } = await session.createGroup(input)
      await session.setPicture({ groupId, picture })
      assert.equal(await session.findPicture({ chatId: groupId, preview: false }), picture)
      await assert.rejects(
        session.setPicture({ groupId: '120363999999999999@g.us', picture }),
        NetworkRejection,
      )
    })

    whenIt('phone', 'an incoming call is reported and can be rejected', async () => {
      const account = await openPairedAccount()
      await account.contactCalls()
      await account.whenIdle()
      const [call] = account.reported.happenings
      assert.ok(call?.kind === 'call' && call.status === 'ringing')
      assert.equal(call.from.phone, account.contact.phone)
      const { callId, from } = call
      assert.equal(await account.session.rejectCall({ callId, from }), null)
    })

    whenIt(
      'phone',
      'saving a label is rejected for an account that is not a business',
      async () => {
        const account = await openPairedAccount()
        await assert.rejects(
          account.session.saveLabel({ networkId: null, name: 'Pago', color: '#00a884' }),
          (error: unknown) => error instanceof NetworkRejection && error.reason === 'not_business',
        )
      },
    )
  })
}

const BYTES = Buffer.from('um arquivo qualquer')

/** Returns the file that every media kind carries in these tests. */
export function exampleFile(): OutboundMedia {
  return {
    id: 'med_conformance',
    mimeType: 'application/octet-stream',
    fileName: 'arquivo.bin',
    sizeBytes: BYTES.length,
    sha256: createHash('sha256').update(BYTES).digest('hex'),
    durationSeconds: null,
    width: null,
    height: null,
    preview: null,
    open: async () => Readable.from([BYTES]),
  }
}

/** Returns one example content per kind that the network has, except for kinds that only refer to another message. */
function everyKind(capabilities: ReadonlySet<Capability>): MessageContent[] {
  const missing: MessageContent['type'][] = [
    ...(capabilities.has('polls') ? [] : ['poll' as const]),
    ...(capabilities.has('templates') ? [] : ['template' as const]),
  ]
  return allKinds.flatMap(({ example }) => {
    const content: MessageContent | null = example
    if (!content || missing.includes(content.type)) return []
    if (capabilities.has('viewOnce') || !('viewOnce' in content)) return [content]
    const { gif: _, ...plain } = { gif: false, ...content }
    return [{ ...plain, viewOnce: false }]
  })
}
