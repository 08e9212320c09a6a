import type { proto, WAMessage, WAMessageKey } from 'baileys'
import { truncate } from '../../kernel/text.ts'
import { directChatId } from '../../model/recipient.ts'
import { parseVcards } from '../../kernel/vcard.ts'
import type { MessageContent } from '../../model/kinds/index.ts'
import type { Party, Quoted } from '../../model/records.schemas.ts'
import type {
  InboundChange,
  InboundMessage,
  ReportedNetworkEvent,
  InboundMedia,
} from '../network-events.port.ts'
import { albumOf, isSecondCopy } from './associations.ts'
import type { Baileys } from './baileys.ts'
import { DEFAULT_HOST, isPlaceholder, type MediaSource } from './media.ts'
import { MEDIA_KINDS } from '../../model/vocabulary.ts'
import { extrasOf } from './details.ts'
import { nameMentions } from './mentions.ts'
import { readMark } from './message-marks.ts'
import { isDisplayed, simplifyMessage } from './simplify-message.ts'
import { pollOf, toVote, type EncryptedVote } from './votes.ts'
import { authorOf, changeIdOf, chatKeyOf, nameIn, peerOf, toParty } from './people.ts'

const MAX_QUOTE_LENGTH = 1024
/** In characters; the same as the limit of outbound texts (G35). */
const MAX_TEXT_LENGTH = 65_536
const MAX_CONTACTS = 50
const UNDECRYPTABLE = { type: 'undecryptable' as const }
type FileMessage = proto.Message.IImageMessage & {
  seconds?: number | null
  fileName?: string | null
}

/** What a WhatsApp message decodes to; null if it has nothing to store or report. */
export type DecodedMessage =
  | { kind: 'message'; message: InboundMessage }
  | { kind: 'happening'; happening: ReportedNetworkEvent }
  /** The chosen options can be decrypted only with the poll. */
  | { kind: 'vote'; vote: EncryptedVote; message: InboundMessage }
  | null

/**
 * Decodes a WhatsApp message. `complete` fills in the missing phone or LID of a party, where the account knows it;
 * `late` marks a message that waited for the account to connect.
 */
export function decodeMessage(
  baileys: Baileys,
  wa: WAMessage,
  self: Party,
  complete: (party: Party) => Party = (party) => party,
  late = false,
): DecodedMessage {
  const key = chatKeyOf(wa.key)
  if (!key) return null
  const { id: waMessageId, remoteJid, fromMe = false } = key
  const sealed = wa.messageStubType === baileys.proto.WebMessageInfo.StubType.CIPHERTEXT
  if (wa.messageStubType && !sealed) return null
  const opened = baileys.normalizeMessageContent(wa.message)
  if (isSecondCopy(baileys, wa.message, opened)) return null
  // Companion devices do not receive a view-once file, only a notice of it.
  const withheld = !opened && !sealed && wa.key.isViewOnce === true
  if (!opened && !sealed && !withheld) return null
  // An undecryptable message may have decrypted parts, such as sender keys, which are no content.
  const content = sealed ? {} : nameMentions(simplifyMessage(opened ?? {}), complete)
  const group = remoteJid.endsWith('@g.us')
  const peer = group ? null : complete(peerOf(key))
  const chatId = peer ? directChatId(peer) : remoteJid
  const sender = fromMe ? self : complete(authorOf(key, nameIn(wa.pushName)))
  const at = Number(wa.messageTimestamp ?? 0) * 1000
  const { protocolMessage } = content
  const place = { chatId, by: sender, fromMe: fromMe ?? false, at, carriedBy: waMessageId }
  if (protocolMessage) {
    const happening = toNetworkEvent(baileys, protocolMessage, place, complete)
    return happening && { kind: 'happening', happening: { ...happening, id: changeIdOf(key) } }
  }
  const mark = readMark(baileys, wa.message, opened, at)
  if (mark) {
    return { kind: 'happening', happening: { ...mark, ...place, id: changeIdOf(key) } }
  }
  const vote = content.pollUpdateMessage
  const read = sealed
    ? UNDECRYPTABLE
    : withheld
      ? { type: 'unsupported' as const }
      : vote
        ? toVote(vote)
        : toContent(content)
  if (read === null) return null
  const context = contextOf(content)
  const extras = fromMe || sealed ? {} : extrasOf(opened ?? {}, context)
  const message: InboundMessage = {
    waMessageId,
    chatId,
    sender,
    fromMe: fromMe ?? false,
    content: {
      ...read,
      ...extras,
      ...albumOf(wa.message, opened),
      ...(late && !fromMe ? { recovered: true } : {}),
    },
    at,
    chatType: group ? 'group' : 'direct',
    chatName: null,
    type: read.type,
    media: mediaOf(content, key),
    quoted: toQuoted(baileys, context, self, complete),
    mentions: (context?.mentionedJid ?? []).flatMap((jid) => complete(toParty([jid])).phone ?? []),
    alreadyCounted: false,
  }
  if (read.type !== 'pollVote' || !vote?.vote) return { kind: 'message', message }
  const creatorJid = vote.pollCreationMessageKey?.participant ?? null
  return {
    kind: 'vote',
    vote: { pollId: read.waMessageId, creatorJid, encrypted: vote.vote },
    message,
  }
}

type Author = Omit<InboundChange, 'waMessageId'>

/** Reads an edit or a revocation, which are sent as protocol messages; null for any other protocol message. */
function toNetworkEvent(
  baileys: Baileys,
  { type, key, editedMessage, timestampMs }: proto.Message.IProtocolMessage,
  author: Author,
  complete: (party: Party) => Party,
) {
  const { Type } = baileys.proto.Message.ProtocolMessage
  const waMessageId = key?.id
  if (!waMessageId) return null
  if (type === Type.REVOKE) return { kind: 'deleted' as const, waMessageId, ...author }
  if (type !== Type.MESSAGE_EDIT) return null
  const text = textOf(nameMentions(baileys.normalizeMessageContent(editedMessage) ?? {}, complete))
  if (text === null) return null
  // The server's time has a resolution of seconds; the author's milliseconds order edits within the same second.
  const ms = Number(timestampMs ?? 0)
  const at = ms - author.at >= 0 && ms - author.at < 1000 ? ms : author.at
  return {
    kind: 'edited' as const,
    waMessageId,
    text: truncate(text, MAX_TEXT_LENGTH),
    ...author,
    at,
  }
}

function textOf(message: proto.IMessage): string | null {
  return (
    message.conversation ??
    message.extendedTextMessage?.text ??
    message.imageMessage?.caption ??
    message.videoMessage?.caption ??
    message.documentMessage?.caption ??
    null
  )
}

/** Returns the content of a message; `unsupported` for an unknown kind, null if it has no visible content. */
function toContent(message: proto.IMessage): MessageContent | { type: 'unsupported' } | null {
  const text = message.conversation ?? message.extendedTextMessage?.text
  if (text !== null && text !== undefined)
    return { type: 'text', text: truncate(text, MAX_TEXT_LENGTH) }
  const file = toFile(message)
  if (file) return file
  const { locationMessage: place, reactionMessage: reaction } = message
  if (place) {
    const { degreesLatitude, degreesLongitude, name, address } = place
    return {
      type: 'location',
      latitude: degreesLatitude ?? 0,
      longitude: degreesLongitude ?? 0,
      name: name || null,
      address: address || null,
    }
  }
  if (reaction?.key?.id) {
    return { type: 'reaction', waMessageId: reaction.key.id, emoji: reaction.text ?? '' }
  }
  const cards = message.contactsArrayMessage?.contacts ?? [message.contactMessage ?? {}]
  const people = cards
    .slice(0, MAX_CONTACTS)
    .flatMap(({ vcard }) => parseVcards(truncate(vcard ?? '', MAX_TEXT_LENGTH)) ?? [])
    .slice(0, MAX_CONTACTS)
  if (people.length > 0) return { type: 'contact', contacts: people }
  const poll = pollOf(message)
  if (poll) {
    return {
      type: 'poll',
      question: poll.name ?? '',
      options: (poll.options ?? []).flatMap(({ optionName }) => optionName ?? []),
      maxSelections: poll.selectableOptionsCount ?? 0,
    }
  }
  return isDisplayed(message) ? { type: 'unsupported' } : null
}

function toFile(message: proto.IMessage): MessageContent | null {
  const { imageMessage, videoMessage, audioMessage, documentMessage, stickerMessage } = message
  if (imageMessage) {
    const { caption, viewOnce } = imageMessage
    return {
      type: 'image',
      caption: truncate(caption ?? '', MAX_TEXT_LENGTH) || null,
      viewOnce: viewOnce ?? false,
    }
  }
  if (videoMessage) {
    const { caption, viewOnce, gifPlayback } = videoMessage
    return {
      type: 'video',
      caption: truncate(caption ?? '', MAX_TEXT_LENGTH) || null,
      viewOnce: viewOnce ?? false,
      ...(gifPlayback ? { gif: true } : {}),
    }
  }
  if (audioMessage) {
    const { ptt, viewOnce } = audioMessage
    return { type: 'audio', voice: ptt ?? false, viewOnce: viewOnce ?? false }
  }
  if (documentMessage)
    return {
      type: 'document',
      caption: truncate(documentMessage.caption ?? '', MAX_TEXT_LENGTH) || null,
    }
  return stickerMessage ? { type: 'sticker' } : null
}

/** Returns the metadata of a message's file and the source to download it from. */
function mediaOf(message: proto.IMessage, key: WAMessageKey): InboundMedia | null {
  const { id, remoteJid, fromMe, participant } = key
  for (const kind of MEDIA_KINDS) {
    // The fields of an image exist in every media message, except for those that do not apply to its kind.
    const file: FileMessage | null | undefined = message[`${kind}Message`]
    if (!file?.mediaKey) continue
    const path = file.directPath?.startsWith('/') ? `https://${DEFAULT_HOST}${file.directPath}` : ''
    const source: MediaSource = {
      kind,
      // Web clients send stickers with an address that leads nowhere, and the path apart.
      url: file.url && !isPlaceholder(file.url) ? file.url : path,
      mediaKey: Buffer.from(file.mediaKey).toString('base64'),
      ...(id && remoteJid
        ? { key: { id, remoteJid, fromMe: fromMe ?? false, participant: participant ?? null } }
        : {}),
    }
    return {
      mimeType: file.mimetype ?? 'application/octet-stream',
      fileName: file.fileName ?? null,
      sizeBytes: countOf(Number(file.fileLength ?? 0), Number.MAX_SAFE_INTEGER) ?? 0,
      sha256: Buffer.from(file.fileSha256 ?? []).toString('hex'),
      durationSeconds: countOf(file.seconds),
      width: countOf(file.width),
      height: countOf(file.height),
      source,
    }
  }
  return null
}

const MAX_COUNT = 2 ** 31 - 1
/** Null for a value that is not a number or that the database cannot store, because senders control it. */
const countOf = (value: number | null | undefined, most = MAX_COUNT): number | null =>
  typeof value === 'number' && value >= 0 && value <= most ? value : null

/** Returns the context of a message apart from its content: quote, mentions and expiration. */
export function contextOf(message: proto.IMessage): proto.IContextInfo | null {
  for (const part of Object.values(message) as ({ contextInfo?: proto.IContextInfo } | null)[]) {
    if (part && typeof part === 'object' && part.contextInfo) return part.contextInfo
  }
  return null
}

function toQuoted(
  baileys: Baileys,
  context: proto.IContextInfo | null,
  self: Party,
  complete: (party: Party) => Party,
): Quoted | null {
  if (!context?.stanzaId) return null
  const normalized = baileys.normalizeMessageContent(context.quotedMessage) ?? {}
  const quoted = nameMentions(simplifyMessage(normalized), complete)
  const text = textOf(quoted)
  const content = toContent(quoted)
  const author = toParty([context.participant])
  const fromMe =
    (author.phone !== null && author.phone === self.phone) ||
    (author.lid !== null && author.lid === self.lid)
  return {
    waMessageId: context.stanzaId,
    type: content?.type ?? null,
    text: text === null ? null : truncate(text, MAX_QUOTE_LENGTH),
    fromMe,
  }
}
