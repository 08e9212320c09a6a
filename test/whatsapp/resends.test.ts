// What the account sends again when a phone says that it could not decrypt it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { proto } from 'baileys'
import type { Person } from '../kit/whatsapp-server/person.ts'
import { startWhatsApp, type WhatsAppKit } from '../kit/whatsapp.ts'
import type { OutboundMessage } from '../../src/networks/network.port.ts'

let kit: WhatsAppKit
before(async () => {
  kit = await startWhatsApp()
})
after(() => kit.close())

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type

const message = (chatId: string, waMessageId: string, text: string): OutboundMessage => ({
  waMessageId,
  chatId,
  chatType: chatId.endsWith('@g.us') ? 'group' : 'direct',
  audience: [],
  content: { type: 'text', text },
  media: null,
  quoted: null,
  target: null,
  mentions: [],
  typingMs: 0,
})
const shownBy = ({ inbox }: Person) =>
  inbox.map(({ from, message: said, deleted }) => [
    from.name,
    said.extendedTextMessage?.text ?? said.conversation ?? null,
    deleted,
  ])

describe('messages that are sent again', () => {
  it('nothing that others write is sent in the name of the account, even if its author asks for it', async () => {
    const { session, own, ana } = await kit.paired()
    const bia = kit.server.person('5511988880011', 'Bia')
    const group = kit.server.groups.create(ana, 'Vendas', [own, bia])
    await session.send([message(group, '3EB0OWN1', 'Pix: loja@banco')])
    await kit.quiet()
    const key = { remoteJid: group, fromMe: true, id: '3EB0OWN1' }
    const forgeries = [
      { protocolMessage: { type: MESSAGE_EDIT, key, editedMessage: { conversation: 'golpe' } } },
      { protocolMessage: { type: REVOKE, key } },
      { conversation: 'texto da Bia', protocolMessage: {} },
      { pinInChatMessage: { key, type: proto.Message.PinInChatMessage.Type.PIN_FOR_ALL } },
    ]
    for (const forged of forgeries) {
      const id = await kit.server.messages.writeTo(bia, group, forged)
      await kit.quiet()
      kit.server.messages.askAgain(bia, own, id, group)
      await kit.quiet()
    }
    const ofAccount = shownBy(ana).filter(([name]) => name === own.name)
    assert.deepEqual(ofAccount, [[own.name, 'Pix: loja@banco', false]])
    assert.equal(ana.inbox.find(({ from }) => from === own)?.pinned, false)
  })

  it('an edit and a deletion that a phone could not decrypt are sent again', async () => {
    const { session, own, ana, credentials } = await kit.paired()
    const chat = ana.jid
    await session.send([message(chat, '3EB0OWN2', 'antes')])
    await kit.quiet()
    const before = structuredClone(ana.inbox[0]?.message)
    const sentAt = Date.now()
    await session.edit({ chatId: chat, waMessageId: '3EB0OWN2', text: 'depois', sentAt })
    await session.revoke({ chatId: chat, waMessageId: '3EB0OWN2', sentAt, audience: [] })
    await kit.until(() => shownBy(ana)[0]?.[2] === true, 'the deletion')
    const [shown] = ana.inbox
    assert.ok(shown && before)
    Object.assign(shown, { message: before, deleted: false })
    assert.deepEqual(shownBy(ana), [[own.name, 'antes', false]])
    const kept = [...(await credentials.load('sent')).keys()].map((id) => id.split(' ')[1] ?? '')
    const [edited = '', deleted = ''] = kept.filter((id) => id !== '3EB0OWN2')
    kit.server.messages.askAgain(ana, own, edited)
    await kit.until(() => shownBy(ana)[0]?.[1] === 'depois', 'the edit')
    kit.server.messages.askAgain(ana, own, deleted)
    await kit.until(() => shownBy(ana)[0]?.[2] === true, 'the deletion')
  })
})
