// Status posts and channels over WhatsApp's protocol, against the server in test/kit/whatsapp-server.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Person } from '../kit/whatsapp-server/person.ts'
import { startWhatsApp, type WhatsAppKit } from '../kit/whatsapp.ts'
import type { MessageContent } from '../../src/model/kinds/index.ts'
import { STATUS_CHAT } from '../../src/model/recipient.ts'
import { exampleFile } from '../../src/networks/conformance.ts'
import type { OutboundMessage } from '../../src/networks/network.port.ts'

let kit: WhatsAppKit
before(async () => {
  kit = await startWhatsApp()
})
after(() => kit.close())

const CHANNEL = '120363000000000002@newsletter'

function post(
  chatType: 'status' | 'channel',
  waMessageId: string,
  content: MessageContent,
  audience: Person[] = [],
): OutboundMessage {
  return {
    waMessageId,
    chatId: chatType === 'status' ? STATUS_CHAT : CHANNEL,
    chatType,
    audience: audience.map(({ phone }) => ({ phone, lid: null, name: null })),
    content,
    media: null,
    quoted: null,
    target: null,
    mentions: [],
    typingMs: 0,
  }
}
const text = (said: string): MessageContent => ({ type: 'text', text: said })
const textsOf = ({ inbox }: Person) =>
  inbox.map(({ message }) => message.extendedTextMessage?.text ?? null)

describe('publishing on WhatsApp', () => {
  it("a status post respects the account's own settings: all but some people, or only those named", async () => {
    const { session, own, ana } = await kit.paired()
    const bia = kit.server.person('5511955550001', 'Bia')
    const carla = kit.server.person('5511955550002', 'Carla')
    const audience = [ana, bia]
    await session.send([post('status', '3EB0SA', text('todos'), audience)])
    own.statusPrivacy = { type: 'blacklist', people: [ana] }
    await session.send([post('status', '3EB0SB', text('menos Ana'), audience)])
    own.statusPrivacy = { type: 'whitelist', people: [carla] }
    await session.send([post('status', '3EB0SC', text('só Carla'), audience)])
    await kit.quiet()
    assert.deepEqual(textsOf(ana), ['todos'])
    assert.deepEqual(textsOf(bia), ['todos', 'menos Ana'])
    assert.deepEqual(textsOf(carla), ['só Carla'])
    assert.deepEqual(
      own.sent.map(({ waMessageId }) => waMessageId),
      ['3EB0SA', '3EB0SB', '3EB0SC'],
    )
  })

  it('a contact that could not decrypt a status post gets it again', async () => {
    const { session, own, ana } = await kit.paired()
    await session.send([post('status', '3EB0SD', text('de novo'), [ana])])
    await kit.quiet()
    ana.inbox.length = 0
    kit.server.messages.askAgain(ana, own, '3EB0SD', STATUS_CHAT)
    await kit.until(() => ana.inbox.length === 1, 'the status post to arrive again')
    assert.deepEqual(textsOf(ana), ['de novo'])
  })

  it('a status post is deleted and sent again for those who received it, and for them only', async () => {
    const { session, own, ana } = await kit.paired()
    const bia = kit.server.person('5511955550003', 'Bia')
    await session.send([post('status', '3EB0SE', text('Aberto'), [ana])])
    await session.send([post('status', '3EB0SF', text('Fechado'), [bia])])
    await kit.quiet()
    assert.deepEqual([textsOf(ana), textsOf(bia)], [['Aberto'], ['Fechado']])
    ana.inbox.length = 0
    kit.server.messages.askAgain(bia, own, '3EB0SE', STATUS_CHAT)
    kit.server.messages.askAgain(ana, own, '3EB0SE', STATUS_CHAT)
    await kit.until(() => ana.inbox.length === 1, 'the status post to arrive again')
    assert.deepEqual(textsOf(bia), ['Fechado'])
    // The people to whom the account would publish now are others.
    own.statusPrivacy = { type: 'whitelist', people: [bia] }
    const audience = [{ phone: bia.phone, lid: null, name: null }]
    const sentAt = Date.now()
    await session.revoke({ chatId: STATUS_CHAT, waMessageId: '3EB0SE', sentAt, audience })
    await kit.until(() => ana.inbox[0]?.deleted === true, 'the deletion')
  })

  it('a post in a channel is public, and its owner edits and deletes it', async () => {
    const { session, own, heard } = await kit.paired()
    const { channels, media } = kit.server
    channels.owners.set(CHANNEL, own)
    const file = exampleFile()
    await session.send([
      post('channel', '3EB0NA', text('Promoção')),
      {
        ...post('channel', '3EB0NB', { type: 'image', caption: 'Hoje', viewOnce: false }),
        media: file,
      },
    ])
    await kit.quiet()
    const [first, photo] = channels.postsOf(CHANNEL)
    assert.equal(first?.message.extendedTextMessage?.text, 'Promoção')
    assert.equal(first.message.messageContextInfo, null)
    const image = photo?.message.imageMessage
    assert.deepEqual(
      [photo?.mediaType, image?.caption, image?.mediaKey ?? null],
      ['image', 'Hoje', null],
    )
    assert.match(photo?.mediaId ?? '', /^handle-/)
    assert.equal(
      media.files.get(image?.directPath ?? '')?.length,
      file.sizeBytes,
      'the file is not encrypted',
    )

    const sentAt = heard.receipts[0]?.at ?? 0
    await session.edit({ chatId: CHANNEL, waMessageId: '3EB0NA', text: 'Última hora', sentAt })
    await session.revoke({ chatId: CHANNEL, waMessageId: '3EB0NB', sentAt, audience: [] })
    await kit.quiet()
    assert.deepEqual(
      channels.postsOf(CHANNEL).map(({ edited, deleted }) => [edited, deleted]),
      [
        [true, false],
        [false, true],
      ],
    )
    assert.equal(first.message.extendedTextMessage?.text, 'Última hora')
  })

  it('a post in a channel of someone else fails', async () => {
    const { session, ana, heard } = await kit.paired()
    kit.server.channels.owners.set(CHANNEL, ana)
    await session.send([post('channel', '3EB0NC', text('Invasão'))])
    await kit.until(() => heard.receipts.length > 0, 'the rejection')
    const [receipt] = heard.receipts
    assert.deepEqual([receipt?.status, receipt?.error?.code], ['failed', 'NOT_A_PARTICIPANT'])
    assert.equal(receipt?.chatId, CHANNEL)
  })
})
