import type { proto, WAMessage, WAMessageKey } from 'baileys'
import { directChatId, isDirectChat } from '../../model/recipient.ts'
import type { CredentialStore } from '../network.port.ts'
import type { Party } from '../../model/records.schemas.ts'
import { decodeStored, STORED_MESSAGES } from './auth-state.ts'
import type { Baileys } from './baileys.ts'
import { authorOf, peerOf, toParty } from './people.ts'
import { pollOf } from './votes.ts'

/**
 * The id under which a sent message is stored. It contains the chat, because any contact who knows the id of a
 * message may request it again, and only its own chat may receive it.
 */
export const sentId = (chatId: string, waMessageId: string): string => `${chatId} ${waMessageId}`

/**
 * The id under which a received poll is stored. It contains the author, because another person may not replace the poll,
 * and is apart from those of sent messages.
 */
const pollId = (chatId: string, author: Party, waMessageId: string): string =>
  `poll ${chatId} ${author.lid ?? author.phone} ${waMessageId}`

/** Longer than the id that any client gives a message. */
const MAX_ID_LENGTH = 200
/** Whether a row can have this id, which its sender chooses. One that cannot be stored would end every connection. */
const isStorable = (id: string): boolean => id.length <= MAX_ID_LENGTH && !id.includes('\0')

/** Returns the id under which the recipients of a status post are stored. */
const recipientsId = (waMessageId: string): string => `recipients ${waMessageId}`

/** Returns the recipients of a status post as they are stored, by id. */
export const recipientsToStore = (waMessageId: string, jids: string[]): Record<string, Buffer> => ({
  [recipientsId(waMessageId)]: Buffer.from(JSON.stringify(jids)),
})

/** Returns a received poll as it is stored, and the id under which; null for any other message. */
export function pollToStore(
  baileys: Baileys,
  { key, message }: WAMessage,
  { self, complete }: { self: Party; complete: (party: Party) => Party },
): { id: string; bytes: Buffer } | null {
  const content = baileys.normalizeMessageContent(message)
  const messageSecret = message?.messageContextInfo?.messageSecret
  const poll = content && pollOf(content)
  if (!key.id || !key.remoteJid || !messageSecret || !poll || !isStorable(key.id)) return null
  const kept = { pollCreationMessage: poll, messageContextInfo: { messageSecret } }
  const author = key.fromMe ? self : complete(authorOf(key, null))
  const group = key.remoteJid.endsWith('@g.us')
  const chatId = group ? key.remoteJid : directChatId(complete(peerOf(key)))
  return {
    id: pollId(chatId, author, key.id),
    bytes: Buffer.from(baileys.proto.Message.encode(kept).finish()),
  }
}

const MAX_LATEST_POLLS = 64

/** The messages that are kept for later requests; see `createStoredMessages`. */
export type StoredMessages = ReturnType<typeof createStoredMessages>

/** Reads the messages that a session keeps: sent ones, which a contact may request again, and polls, for their votes. */
export function createStoredMessages(deps: {
  baileys: Baileys
  credentials: CredentialStore
  complete: (party: Party) => Party
}) {
  const { baileys, credentials, complete } = deps

  /** The latest polls, by id: votes that arrive with their poll come before it is stored. */
  const latest = new Map<string, Buffer>()

  async function read(...ids: string[]): Promise<proto.IMessage | undefined> {
    for (const id of ids) {
      const bytes = latest.get(id) ?? (await credentials.read(STORED_MESSAGES, id))
      if (bytes) return decodeStored(baileys, bytes)
    }
    return undefined
  }

  /** The ids that a chat may have had: a message may be older than what is known of its contact's addresses. */
  function chatsOf(chatId: string): string[] {
    if (!isDirectChat(chatId)) return [chatId]
    const party = complete(toParty([chatId]))
    return [...new Set([directChatId(party), directChatId({ ...party, phone: null })])]
  }

  return {
    /** Returns a message that was sent to the chat of this key. */
    async findSent({ remoteJid, id }: WAMessageKey): Promise<proto.IMessage | undefined> {
      if (!remoteJid || !id) return undefined
      return read(...chatsOf(remoteJid).map((chatId) => sentId(chatId, id)))
    },

    /** Returns the jids to which a status post was sent; null if that is unknown. */
    async findRecipients(waMessageId: string): Promise<string[] | null> {
      const bytes = await credentials.read(STORED_MESSAGES, recipientsId(waMessageId))
      return bytes && (JSON.parse(Buffer.from(bytes).toString()) as string[])
    },

    /** Keeps a poll in memory until it is certainly stored. */
    addPoll({ id, bytes }: { id: string; bytes: Buffer }): void {
      if (latest.size >= MAX_LATEST_POLLS) latest.clear()
      latest.set(id, bytes)
    },

    /** Returns a poll that was sent to a chat, or received there from one of the authors. */
    findPoll(
      chatId: string,
      authors: readonly Party[],
      waMessageId: string,
    ): Promise<proto.IMessage | undefined> {
      const places = chatsOf(chatId).flatMap((chat) => [
        sentId(chat, waMessageId),
        ...authors.flatMap((author) => [
          pollId(chat, author, waMessageId),
          pollId(chat, { ...author, lid: null }, waMessageId),
        ]),
      ])
      // The last place is that of earlier versions.
      return read(...new Set(places), waMessageId)
    },
  }
}
