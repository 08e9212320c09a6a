import { createHmac } from 'node:crypto'
import type { proto } from 'baileys'
import type { MessageContent } from '../../model/kinds/index.ts'
import { VOICE_TYPE } from '../../model/media-fields.ts'
import { NetworkRejection, type OutboundMessage } from '../network.port.ts'
import { formatVcard } from '../../kernel/vcard.ts'
import type { Quoted } from '../../model/records.schemas.ts'
import type { Addressing } from './addressing.ts'
import { addressMentions, mentionedIn } from './mentions.ts'
import type { Uploaded } from './media.ts'
import type { MediaKind } from '../../model/vocabulary.ts'
import type { Preview } from './previews.ts'

type Message = proto.IMessage
/** The colors of a status post without a picture: white on green. */
const STATUS_COLORS = { backgroundArgb: 0xff0b7d6b, textArgb: 0xffffffff }
/** `MessageAssociation.AssociationType` of the parts of an album. */
// oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum is part of the engine, which is loaded later
export const MEDIA_ALBUM = 1 as proto.MessageAssociation.AssociationType
type Content<Type extends MessageContent['type']> = Extract<MessageContent, { type: Type }>

/**
 * Encodes a message for WhatsApp. `addressing` returns people's jids in this chat, `secret` derives the message's
 * secret, messages of the chat disappear after `expiration` seconds (0: never), and `uploaded` is required for kinds
 * with a file. Throws NetworkRejection `not_supported` for a poll vote and a template.
 */
export function encodeMessage(
  message: OutboundMessage,
  account: { addressing: Addressing; secret: Uint8Array; expiration: number },
  { uploaded = null, preview = null }: { uploaded?: Uploaded | null; preview?: Preview | null },
): Message {
  const { addressing, secret, expiration } = account
  const contextInfo = contextOf(message, addressing, expiration)
  const content = addressed(message, addressing)
  const encoded = encodeContent({ ...message, content }, addressing, {
    contextInfo,
    uploaded,
    preview,
  })
  // Abuse reports and votes refer to the message secret; reactions have none, and posts in channels are public.
  if (encoded.reactionMessage || message.chatType === 'channel') return encoded
  const messageSecret = secretOf(secret, message.waMessageId)
  return { ...encoded, messageContextInfo: { messageSecret, ...albumOf(message) } }
}

/** Returns the content with its mentions as the chat addresses people. */
function addressed({ content, mentions }: OutboundMessage, addressing: Addressing): MessageContent {
  if ('text' in content)
    return { ...content, text: addressMentions(content.text, mentions, addressing) }
  if (!('caption' in content) || content.caption === null) return content
  return { ...content, caption: addressMentions(content.caption, mentions, addressing) }
}

/** Returns to which album a message belongs, as its context says it. */
function albumOf({ content, chatId }: OutboundMessage): proto.IMessageContextInfo {
  if (!content.album) return {}
  const parentMessageKey = { remoteJid: chatId, fromMe: true, id: content.album.id }
  return { messageAssociation: { associationType: MEDIA_ALBUM, parentMessageKey } }
}

/** Encodes the message that begins the album of this one; null unless it is the first. */
export function encodeAlbumHeader(
  message: OutboundMessage,
  account: { addressing: Addressing; secret: Uint8Array; expiration: number },
): { id: string; header: Message } | null {
  const { id, header } = message.content.album ?? {}
  if (!id || !header) return null
  const albumMessage = {
    expectedImageCount: header.images,
    expectedVideoCount: header.videos,
    contextInfo: contextOf(message, account.addressing, account.expiration),
  }
  const messageContextInfo = { messageSecret: secretOf(account.secret, id) }
  return { id, header: { albumMessage, messageContextInfo } }
}

function encodeContent(
  message: OutboundMessage,
  addressing: Addressing,
  parts: {
    contextInfo: proto.IContextInfo | null
    uploaded: Uploaded | null
    preview: Preview | null
  },
): Message {
  const { content } = message
  const { contextInfo, uploaded, preview } = parts
  switch (content.type) {
    case 'text':
      return {
        extendedTextMessage: {
          text: content.text,
          ...preview,
          ...(message.chatType === 'status' ? STATUS_COLORS : {}),
          contextInfo,
        },
      }
    case 'location':
      return { locationMessage: { ...toLocation(content), contextInfo } }
    case 'contact':
      return toContacts(content, contextInfo)
    case 'reaction':
      return { reactionMessage: toReaction(message, content, addressing) }
    case 'poll':
      return toPoll(content, contextInfo)
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return toFile(message, content, uploaded, contextInfo)
    case 'pollVote':
    case 'template':
      throw new NetworkRejection('not_supported')
    default:
      return content satisfies never
  }
}

function contextOf(message: OutboundMessage, addressing: Addressing, expiration: number) {
  const { quoted, mentions, content } = message
  const context: proto.IContextInfo = {
    ...(expiration > 0 ? { expiration } : {}),
    ...(content.forwarded ? { isForwarded: true, forwardingScore: 1 } : {}),
    ...(mentions.length > 0 ? { mentionedJid: mentionedIn(mentions, addressing) } : {}),
    ...(quoted
      ? {
          stanzaId: quoted.waMessageId,
          participant: authorOf(message, addressing),
          quotedMessage: toQuotedMessage(quoted),
        }
      : {}),
  }
  return Object.keys(context).length > 0 ? context : null
}

/** Returns the jid of the quoted message's author, which clients display if they do not have that message. */
function authorOf({ quoted, chatId, chatType }: OutboundMessage, addressing: Addressing): string {
  if (quoted?.fromMe) return addressing.self
  if (chatType === 'direct') return chatId
  return quoted?.sender ? addressing.of(quoted.sender) : ''
}

/** Returns the visible part of the quoted message: its kind and text. */
function toQuotedMessage({ type, text }: Quoted): Message {
  const caption = text
  switch (type) {
    case 'image':
      return { imageMessage: { caption } }
    case 'video':
      return { videoMessage: { caption } }
    case 'audio':
      return { audioMessage: {} }
    case 'document':
      return { documentMessage: { caption } }
    case 'sticker':
      return { stickerMessage: {} }
    case 'location':
      return { locationMessage: { name: text } }
    case 'contact':
      return { contactMessage: { displayName: text } }
    case 'poll':
      return { pollCreationMessage: { name: text, options: [] } }
    default:
      return { conversation: text ?? '' }
  }
}

function toFile(
  { media }: OutboundMessage,
  content: Content<MediaKind>,
  uploaded: Uploaded | null,
  contextInfo: proto.IContextInfo | null,
): Message {
  if (!media || !uploaded)
    throw new Error(`cannot encode ${content.type}: its file is not uploaded`)
  const { width, height, durationSeconds, fileName } = media
  const preview = media.preview ? Buffer.from(media.preview, 'base64') : null
  const { handle: _, ...place } = uploaded
  const file = { ...place, contextInfo }
  const size = { width, height }
  const seconds = durationSeconds === null ? null : Math.round(durationSeconds)
  switch (content.type) {
    case 'image': {
      const { caption, viewOnce } = content
      const photo = { ...file, ...size, caption, viewOnce, jpegThumbnail: preview }
      return wrapViewOnce(viewOnce, { imageMessage: photo })
    }
    case 'video': {
      const { caption, viewOnce, gif: gifPlayback = false } = content
      const videoMessage = { ...file, ...size, seconds, caption, viewOnce, gifPlayback }
      return wrapViewOnce(viewOnce, { videoMessage })
    }
    case 'audio': {
      const { voice: ptt, viewOnce } = content
      const voice = ptt ? { mimetype: VOICE_TYPE, waveform: preview } : {}
      const audioMessage = { ...file, seconds, ptt, viewOnce, ...voice }
      return wrapViewOnce(viewOnce, { audioMessage })
    }
    case 'document': {
      const { caption } = content
      const documentMessage = { ...file, fileName, title: fileName, caption }
      // Clients expect a document with a caption inside another message.
      return caption === null
        ? { documentMessage }
        : { documentWithCaptionMessage: { message: { documentMessage } } }
    }
    case 'sticker':
      return { stickerMessage: { ...file, width: width ?? 512, height: height ?? 512 } }
    default:
      return content satisfies never
  }
}

function wrapViewOnce(viewOnce: boolean, message: Message): Message {
  return viewOnce ? { viewOnceMessageV2: { message } } : message
}

function toLocation({ latitude, longitude, name, address }: Content<'location'>) {
  return { degreesLatitude: latitude, degreesLongitude: longitude, name, address }
}

function toContacts(
  { contacts }: Content<'contact'>,
  contextInfo: proto.IContextInfo | null,
): Message {
  const cards = contacts.map((contact) => ({
    displayName: contact.name,
    vcard: formatVcard(contact),
  }))
  const [only] = cards
  if (cards.length === 1 && only) return { contactMessage: { ...only, contextInfo } }
  const displayName = contacts.map(({ name }) => name).join(', ')
  return { contactsArrayMessage: { displayName, contacts: cards, contextInfo } }
}

function toReaction(
  { target, chatId, chatType }: OutboundMessage,
  { waMessageId, emoji }: Content<'reaction'>,
  addressing: Addressing,
): proto.Message.IReactionMessage {
  const { fromMe = false, sender = null } = target ?? {}
  const participant = fromMe ? addressing.self : sender && addressing.of(sender)
  const key = { remoteJid: chatId, fromMe, id: waMessageId }
  return { key: chatType === 'group' ? { ...key, participant } : key, text: emoji }
}

/** Derives the secret from the message id: a resent message keeps it, so that votes on both polls can be decrypted. */
function secretOf(secret: Uint8Array, waMessageId: string): Buffer {
  return createHmac('sha256', secret).update(`poll ${waMessageId}`).digest()
}

function toPoll(
  { question, options, maxSelections }: Content<'poll'>,
  contextInfo: proto.IContextInfo | null,
): Message {
  const poll = {
    name: question,
    options: options.map((optionName) => ({ optionName })),
    selectableOptionsCount: maxSelections,
    contextInfo,
  }
  // Clients display a single-choice poll only in version 3.
  return maxSelections === 1 ? { pollCreationMessageV3: poll } : { pollCreationMessage: poll }
}
