import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type {
  CredentialStore,
  InboundMessage,
  NetworkListener,
  NetworkSession,
  OutboundMessage,
  Receipt,
  SessionStatus,
} from './network.port.ts'

/** What a network has told, in order. */
export type Heard = {
  codes: { code: string; at: number; expiresAt: number }[]
  statuses: SessionStatus[]
  messages: InboundMessage[]
  receipts: Receipt[]
}

/** An account on the network under test, with a telephone of its own and a contact. */
export type ConformanceAccount = {
  session: NetworkSession
  heard: Heard
  credentials: CredentialStore
  phone: string
  contact: { phone: string; chatId: string }
  /** The account's telephone reads a code. */
  scan(code: string): Promise<void>
  contactWrites(text: string): Promise<void>
  contactReads(waMessageIds: string[]): Promise<void>
  contactReceived(): Promise<{ waMessageId: string; text: string | null }[]>
  removeDevice(): Promise<void>
  /** Closes the session and opens another with the same credentials. */
  reopen(): Promise<void>
  /** A number that is not on the network. */
  unknownPhone: string
  /** Resolves when the network has nothing more to tell. */
  settle(): Promise<void>
}

/** Collects what an adapter tells; for the adapters' harnesses. */
export function createHeard(): { heard: Heard; listener: NetworkListener } {
  const heard: Heard = { codes: [], statuses: [], messages: [], receipts: [] }
  return {
    heard,
    listener: {
      code: async (code) => void heard.codes.push(code),
      status: async (status) => void heard.statuses.push(status),
      received: async (messages) => void heard.messages.push(...messages),
      receipts: async (receipts) => void heard.receipts.push(...receipts),
    },
  }
}

function text(account: ConformanceAccount, waMessageId: string, said = 'oi'): OutboundMessage {
  return {
    waMessageId,
    chatId: account.contact.chatId,
    chatType: 'direct',
    content: { type: 'text', text: said },
    quoted: null,
    mentions: [],
    typingMs: 0,
    linkPreview: true,
  }
}

/** What every network adapter must do; a network is done when this passes on it. */
export function describeNetwork(
  name: string,
  openAccount: () => Promise<ConformanceAccount>,
): void {
  const statuses = ({ heard }: ConformanceAccount) => heard.statuses.map(({ status }) => status)
  const told = ({ heard }: ConformanceAccount, id: string) =>
    heard.receipts
      .filter(({ waMessageIds }) => waMessageIds.includes(id))
      .map(({ status }) => status)

  async function paired(): Promise<ConformanceAccount> {
    const account = await openAccount()
    await account.settle()
    await account.scan(account.heard.codes.at(-1)?.code ?? '')
    await account.settle()
    return account
  }

  describe(`the network ${name}`, () => {
    it('offers a code with its life to an account that is not paired', async () => {
      const account = await openAccount()
      await account.settle()
      const [code] = account.heard.codes
      assert.ok(code && code.code.length > 0)
      assert.ok(code.expiresAt > code.at)
      assert.deepEqual(account.heard.statuses, [])
    })

    it('tells PAIRED with the number, then CONNECTED', async () => {
      const account = await paired()
      const [first] = account.heard.statuses
      assert.deepEqual(statuses(account), ['PAIRED', 'CONNECTED'])
      assert.ok(first?.status === 'PAIRED' && first.phone === account.phone)
    })

    it('resumes with its credentials and asks for no code', async () => {
      const account = await paired()
      const codes = account.heard.codes.length
      await account.reopen()
      await account.settle()
      assert.equal(statuses(account).at(-1), 'CONNECTED')
      assert.equal(account.heard.codes.length, codes)
    })

    it('delivers in order, and tells sent before delivered, once each', async () => {
      const account = await paired()
      const ids = ['3EB0A1', '3EB0A2', '3EB0A3']
      await account.session.send(ids.map((id) => text(account, id, id)))
      await account.settle()
      const received = await account.contactReceived()
      assert.deepEqual(
        received.map((message) => [message.waMessageId, message.text]),
        ids.map((id) => [id, id]),
      )
      for (const id of ids) assert.deepEqual(told(account, id), ['sent', 'delivered'])
    })

    it('takes the same id again as the same message', async () => {
      const account = await paired()
      for (let count = 0; count < 2; count++) {
        await account.session.send([text(account, '3EB0B1')])
        await account.settle()
      }
      assert.equal((await account.contactReceived()).length, 1)
      assert.ok(told(account, '3EB0B1').includes('sent'))
    })

    it('tells who read a message', async () => {
      const account = await paired()
      await account.session.send([text(account, '3EB0C1')])
      await account.settle()
      await account.contactReads(['3EB0C1'])
      await account.settle()
      assert.equal(told(account, '3EB0C1').at(-1), 'read')
      assert.equal(account.heard.receipts.at(-1)?.party?.phone, account.contact.phone)
    })

    it('tells what a contact writes, with both names of the contact', async () => {
      const account = await paired()
      await account.contactWrites('tudo bem?')
      await account.settle()
      const [message] = account.heard.messages
      assert.ok(message)
      assert.deepEqual(message.content, { type: 'text', text: 'tudo bem?' })
      assert.equal(message.chatId, account.contact.chatId)
      assert.equal(message.sender.phone, account.contact.phone)
      assert.equal(message.fromMe, false)
      assert.ok(message.waMessageId)
    })

    it('keeps what was written while it was away', async () => {
      const account = await paired()
      await account.session.close()
      await account.contactWrites('está aí?')
      await account.reopen()
      await account.settle()
      assert.equal(account.heard.messages.length, 1)
    })

    it('fails a send to a number that is not there, and says so on look-up', async () => {
      const account = await paired()
      const { unknownPhone, contact } = account
      const chatId = `${unknownPhone}@s.whatsapp.net`
      await account.session.send([{ ...text(account, '3EB0D1'), chatId }])
      await account.settle()
      const [receipt] = account.heard.receipts
      assert.equal(receipt?.status, 'failed')
      assert.equal(receipt?.error?.code, 'NUMBER_NOT_ON_NETWORK')
      const found = await account.session.lookUp([unknownPhone, contact.phone])
      assert.deepEqual(
        found.map(({ input, exists, phone }) => [input, exists, phone]),
        [
          [unknownPhone, false, null],
          [contact.phone, true, contact.phone],
        ],
      )
    })

    it('tells LOGGED_OUT when the telephone removes the device, and forgets its credentials', async () => {
      const account = await paired()
      await account.removeDevice()
      await account.settle()
      const last = account.heard.statuses.at(-1)
      assert.deepEqual(last, { status: 'LOGGED_OUT', reason: 'device_removed' })
      assert.equal((await account.credentials.load('device')).size, 0)
    })

    it('unpairs on logout, and answers that the network agreed', async () => {
      const account = await paired()
      assert.equal(await account.session.logout(), true)
    })
  })
}
