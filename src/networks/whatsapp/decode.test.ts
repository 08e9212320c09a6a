import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { proto } from 'baileys'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { loadBaileys, type Baileys } from './baileys.ts'
import { decodeMessage } from './decode.ts'
import type { MediaSource } from './media.ts'

const ANA = '5511988887777@s.whatsapp.net'
const SELF = { phone: '5511999990000', lid: null, name: null }
let baileys: Baileys
before(async () => {
  baileys = await loadBaileys(null, createManualClock())
})

function decode(message: proto.IMessage, pushName = 'Ana') {
  const key = { remoteJid: ANA, fromMe: false, id: '3EB0A1' }
  return decodeMessage(baileys, { key, message, pushName, messageTimestamp: 1 }, SELF)
}

function received(message: proto.IMessage, pushName?: string) {
  const decoded = decode(message, pushName)
  assert.ok(decoded?.kind === 'message')
  return decoded.message
}

describe('decoding messages of WhatsApp', () => {
  it('a photo that arrives again in a better quality is one message', () => {
    const { AssociationType } = proto.MessageAssociation
    for (const associationType of [
      AssociationType.HD_IMAGE_DUAL_UPLOAD,
      AssociationType.HD_VIDEO_DUAL_UPLOAD,
      AssociationType.MOTION_PHOTO,
    ]) {
      const parentMessageKey = { remoteJid: ANA, fromMe: false, id: '3EB0A0' }
      const messageContextInfo = { messageAssociation: { associationType, parentMessageKey } }
      const copy = { imageMessage: { caption: 'HD' }, messageContextInfo }
      assert.equal(decode({ associatedChildMessage: { message: copy } }), null)
    }
    assert.equal(received({ imageMessage: { caption: 'SD' } }).type, 'image')
  })

  it('a sticker of a web client is downloaded from its path, because its address leads nowhere', () => {
    const mediaKey = Buffer.alloc(32)
    const sourceOf = (url: string, directPath: string) => {
      const { media } = received({ stickerMessage: { url, directPath, mediaKey } })
      assert.ok(media)
      return (media.source as MediaSource).url
    }
    const path = '/v/t62.15575-24/1.enc?oh=1'
    assert.equal(sourceOf('https://web.whatsapp.net', path), `https://mmg.whatsapp.net${path}`)
    const address = 'https://media-gru1.cdn.whatsapp.net/1.enc'
    assert.equal(sourceOf(address, path), address)
    // The sender of the path chooses no host.
    assert.equal(sourceOf('https://web.whatsapp.net', '.example.com/1'), '')
  })

  it('a hyphen is the name of a client that has announced none', () => {
    assert.equal(received({ conversation: 'oi' }, '-').sender.name, null)
    assert.equal(received({ conversation: 'oi' }, 'Ana').sender.name, 'Ana')
  })

  it('texts for a bot, with a mentioned group, and polls of later versions are readable', () => {
    const text = { extendedTextMessage: { text: '@IA resume' } }
    assert.equal(received({ botInvokeMessage: { message: text } }).type, 'text')
    assert.equal(received({ groupMentionedMessage: { message: text } }).type, 'text')
    const poll = { name: 'Quando?', options: [{ optionName: 'hoje' }] }
    assert.equal(received({ pollCreationMessageV5: poll }).type, 'poll')
    const wrapped = { message: { pollCreationMessage: poll } }
    assert.equal(received({ pollCreationMessageV4: wrapped }).type, 'poll')
  })

  it('a sealed edit is no message of its own', () => {
    const secretEncryptedMessage = { encPayload: Buffer.alloc(8), encIv: Buffer.alloc(12) }
    assert.equal(decode({ secretEncryptedMessage }), null)
  })
})
