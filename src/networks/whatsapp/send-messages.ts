import type { proto } from 'baileys'
import type { Logger } from 'pino'
import { delay, type Clock } from '../../kernel/clock.ts'
import { withDeadline } from '../../kernel/deadline.ts'
import type { MessageErrorCode } from '../../model/records.schemas.ts'
import { parsePublishedChat } from '../../model/publishing.ts'
import { NetworkRejection, type DeferredMessage, type OutboundMessage } from '../network.port.ts'
import type { NumberLookup } from '../number-lookup.ts'
import { POLL_CREATION } from './binary-node.ts'
import { addressingIn } from './addressing.ts'
import { recipientsToStore, sentId } from './stored-messages.ts'
import { STORED_MESSAGES } from './auth-state.ts'
import { createChatBackoff } from './chat-backoff.ts'
import { encodeAlbumHeader, encodeMessage } from './encode.ts'
import { rejectionOf } from './groups.ts'
import type { WhatsAppMedia } from './media.ts'
import type { MediaKind } from '../../model/vocabulary.ts'
import { toParty } from './people.ts'
import type { Previews } from './previews.ts'
import type { OpenConnection } from './open-connection.ts'
import { publishInChannel, statusRecipients } from './publish.ts'
import { createUploads, UploadUnfinished } from './uploads.ts'

const MAX_KNOWN_CHATS = 10_000
/** Messages that are encrypted in one turn; about as many as one statement stores the keys of. */
const MESSAGES_PER_TURN = 8
/** An attempt that takes longer counts as failed, so that a request without a response delays only its chat. */
const ATTEMPT_TIMEOUT_MS = 60_000

/** Returns the error code of a message that can never be sent; null if a retry may succeed. */
function finalCodeOf({ chatType }: OutboundMessage, error: unknown): MessageErrorCode | null {
  if (error instanceof NetworkRejection) return 'UNKNOWN'
  const refusal = chatType === 'group' ? rejectionOf(error) : null
  if (!refusal) return null
  return refusal.reason === 'not_a_participant' ? 'NOT_A_PARTICIPANT' : 'UNKNOWN'
}

/**
 * Creates the sender of one account. A message that fails for a reason of its own delays only itself and later messages
 * of its chat; only a connection failure aborts a batch.
 */
export function createSender(deps: {
  clock: Clock
  logger: Logger
  media: WhatsAppMedia
  previews: Previews
  /** The current connection; null while there is none. */
  line: () => OpenConnection | null
  /** Resolves when the account may encrypt its next messages. */
  takeTurn: () => Promise<void>
  lookUp: (input: { phones: string[] }) => Promise<NumberLookup[]>
}) {
  const { clock, logger, media, previews, takeTurn, lookUp } = deps
  const backoff = createChatBackoff(clock)
  const uploads = createUploads({ clock, media })
  /**
   * The chats of existing numbers, by the number as it was typed: Brazilian ones may have another spelling on WhatsApp. For
   * any other number the engine sends to no device and reports success.
   */
  const existingChats = new Map<string, string>()

  /** The messages whose file is still being uploaded, by chat. */
  const slowUploads = new Map<string, { waMessageId: string; until: number }>()

  /** Returns until when a message waits for the file of an earlier one of its chat; null if it does not. */
  function uploadingUntil({ chatId, waMessageId }: OutboundMessage): number | null {
    const slow = slowUploads.get(chatId)
    const isHeld = slow && slow.waMessageId !== waMessageId && slow.until > clock.now()
    return isHeld ? slow.until : null
  }

  function getConnection(): OpenConnection {
    const connection = deps.line()
    if (!connection?.state.paired()) throw new Error('cannot send: not connected to WhatsApp')
    return connection
  }

  /** Whether this connection still works, so that a failure on it concerns only the message. */
  const isOpen = ({ socket }: OpenConnection) => deps.line()?.socket === socket && socket.ws.isOpen

  async function sendOne(line: OpenConnection, message: OutboundMessage): Promise<void> {
    const { baileys, socket, state, barrier, keyGuard } = line
    const { waMessageId: messageId, chatId, quoted, target, mentions } = message
    const namesOthers = quoted !== null || target !== null || mentions.length > 0
    const addressing = await addressingIn(line, chatId, { namesOthers })
    const secret = Buffer.from(state.creds.advSecretKey, 'base64')
    const { media: file, content: said } = message
    const inChannel = message.chatType === 'channel'
    const uploaded = file
      ? await uploads.get(socket, messageId, file, said.type as MediaKind, inChannel)
      : null
    const linked = said.type === 'text' && said.linkPreview !== false && !inChannel
    const preview = linked ? await previews.find(said.text) : null
    const account = { addressing, secret, expiration: state.timerOf(chatId) }
    const content = encodeMessage(message, account, { uploaded, preview })
    if (inChannel) return publishInChannel(line, message, content, uploaded?.handle)
    const recipients =
      message.chatType === 'status' ? await statusRecipients(line, message.audience) : null
    const album = encodeAlbumHeader(message, account)
    // Stored before they leave, because a contact that cannot decrypt one requests it again.
    const bytesOf = (one: proto.IMessage) => Buffer.from(baileys.proto.Message.encode(one).finish())
    barrier.saveKeys({
      [STORED_MESSAGES]: {
        [sentId(chatId, messageId)]: bytesOf(content),
        ...(album ? { [sentId(chatId, album.id)]: bytesOf(album.header) } : {}),
        ...(recipients ? recipientsToStore(messageId, recipients) : {}),
      },
    })
    const relay = async () => {
      if (album) await socket.relayMessage(chatId, album.header, { messageId: album.id })
      const statusJidList = recipients && keyGuard.withoutExcludedJids(recipients)
      await socket.relayMessage(chatId, content, {
        messageId,
        ...(message.content.type === 'poll' ? { additionalNodes: [POLL_CREATION] } : {}),
        ...(statusJidList ? { statusJidList } : {}),
      })
    }
    try {
      await relay()
    } catch (error) {
      // If the engine failed on rejected devices that still need the group's key, a second attempt leaves them out.
      if (message.chatType === 'direct' || !line.keyGuard.hasExcluded() || !isOpen(line))
        throw error
      await relay()
    }
  }

  function fail(
    { waMessageId, chatId }: OutboundMessage,
    code: MessageErrorCode,
    retryable = false,
  ): void {
    getConnection().translator.report({
      waMessageIds: [waMessageId],
      chatId,
      status: 'failed',
      at: clock.now(),
      party: null,
      error: {
        code,
        retryable,
      },
    })
  }

  /** Returns the chat of a number as WhatsApp spells it, null if there is none; looks up a number that is not known. */
  async function findChat(chatId: string): Promise<string | null> {
    const { phone } = toParty([chatId])
    if (!phone) return chatId
    const known = existingChats.get(chatId)
    const [found] = known === undefined ? await lookUp({ phones: [phone] }) : []
    const spelling = known === undefined ? found?.phone : toParty([known]).phone
    if (!spelling) return null
    if (spelling !== phone)
      getConnection().translator.tell([
        { kind: 'number', typed: phone, phone: spelling, at: clock.now(), id: null },
      ])
    return `${spelling}@s.whatsapp.net`
  }

  /** Looks up all unknown numbers of a batch in one query; if it fails, `findChat` looks each up individually. */
  async function lookUpAll(messages: OutboundMessage[]): Promise<void> {
    const unknown = messages.flatMap(({ chatId }) => {
      const { phone } = toParty([chatId])
      return phone && !existingChats.has(chatId) && backoff.blockedUntil(chatId) === null
        ? [phone]
        : []
    })
    if (unknown.length < 2) return
    const line = getConnection()
    await lookUp({ phones: [...new Set(unknown)] }).catch((error: unknown) => {
      if (!isOpen(line)) throw error
    })
  }

  /** Sends a message; returns when to retry it, or null once it was sent or has failed permanently. */
  async function attempt(message: OutboundMessage): Promise<number | null> {
    const { chatId, typingMs } = message
    const heldUntil = backoff.blockedUntil(chatId) ?? uploadingUntil(message)
    if (heldUntil !== null) return heldUntil
    const isRetried = slowUploads.get(chatId)?.waMessageId === message.waMessageId
    slowUploads.delete(chatId)
    const line = getConnection()
    try {
      const found = await findChat(chatId)
      if (found === null) {
        fail(message, 'NUMBER_NOT_ON_NETWORK')
        return null
      }
      // Once for a message whose file takes several attempts to upload.
      if (typingMs > 0 && !isRetried && !parsePublishedChat(chatId)) {
        await line.socket.sendPresenceUpdate('composing', found)
        await delay(clock, typingMs)
      }
      const sending = sendOne(getConnection(), { ...message, chatId: found })
      const late = () =>
        new Error(`message ${message.waMessageId} was not sent in ${ATTEMPT_TIMEOUT_MS} ms`)
      await withDeadline(clock, ATTEMPT_TIMEOUT_MS, sending, late)
      backoff.succeeded(chatId)
      return null
    } catch (error) {
      if (error instanceof UploadUnfinished) {
        if (slowUploads.size >= MAX_KNOWN_CHATS) slowUploads.clear()
        slowUploads.set(chatId, { waMessageId: message.waMessageId, until: error.retryAt })
        return error.retryAt
      }
      const final = finalCodeOf(message, error)
      if (final) {
        fail(message, final)
        return null
      }
      if (!isOpen(line)) throw error
      const retryAt = backoff.failed(chatId)
      const { waMessageId } = message
      logger.warn({ waMessageId, chatId, retryAt, reason: String(error) }, 'cannot send message')
      if (retryAt === null) fail(message, 'UNKNOWN', true)
      return retryAt
    }
  }

  return {
    /** Records that the number of a chat exists, and its chat as WhatsApp spells it. */
    markExisting(typed: string, chatId: string): void {
      if (existingChats.size >= MAX_KNOWN_CHATS) existingChats.clear()
      existingChats.set(typed, chatId)
    },

    /** Implements NetworkSession's `send`. */
    async send(messages: OutboundMessage[], until = Infinity): Promise<DeferredMessage[]> {
      await lookUpAll(messages)
      const deferred: DeferredMessage[] = []
      /** The chats of deferred messages, which later messages must not overtake. */
      const held = new Map<string, number>()
      for (const [index, message] of messages.entries()) {
        const { waMessageId, chatId } = message
        const now = clock.now()
        const heldUntil = held.get(chatId)
        // The first is always attempted, so that every batch makes progress.
        if (index > 0 && now >= until && heldUntil === undefined) {
          deferred.push({ waMessageId, retryAt: now, notAttempted: true })
          continue
        }
        // Sending awaits no I/O: without turns, full batches of many sessions would block the event loop.
        if (index % MESSAGES_PER_TURN === 0) await takeTurn()
        const retryAt = heldUntil ?? (await attempt(message))
        if (retryAt !== null) {
          deferred.push({ waMessageId, retryAt })
          held.set(chatId, retryAt)
        }
      }
      return deferred
    },
  }
}
