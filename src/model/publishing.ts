import { fail, type Failure } from '../kernel/phrases/fail.ts'
import { parseRecipient, STATUS_CHAT, type Recipient } from './recipient.ts'
import type { ChatType } from './vocabulary.ts'
import type { MessageContent } from './kinds/index.ts'

/** A chat in which the account publishes, without responses. */
export type PublishedChat = { chatId: string; chatType: 'status' | 'channel' }

/** Parses the `to` of a post: `status@broadcast`, or a channel's `123@newsletter`. Returns null for anything else. */
export function parsePublishedChat(text: string): PublishedChat | null {
  if (text === STATUS_CHAT) return { chatId: text, chatType: 'status' }
  return /^\d{5,30}@newsletter$/.test(text) ? { chatId: text, chatType: 'channel' } : null
}

/** Parses the `to` of any send: a person or a group, like `parseRecipient`, or where the account publishes. */
export function parseTarget(text: string): Recipient | (PublishedChat & NoPerson) | null {
  const published = parsePublishedChat(text)
  return published ? { ...published, phone: null, lid: null } : parseRecipient(text)
}
type NoPerson = { phone: null; lid: null }

/** Whether this chat is a channel, whose posts are public and not encrypted. */
export const isChannel = (chatId: string): boolean =>
  parsePublishedChat(chatId)?.chatType === 'channel'

const EVERYWHERE = new Set(['text', 'image', 'video', 'audio'])
const IN_CHANNELS = new Set([...EVERYWHERE, 'document', 'poll'])

/** The failure of a message that cannot be published where it was sent to. */
export const notPublishable = (): Failure =>
  fail('bad_request', (say) => say.messages.notPublishable, { reason: 'NOT_PUBLISHABLE' })

/**
 * Returns whether a message can be sent to chats of this type. Answers, mentions, albums and view-once files cannot be
 * published: they make sense only in a chat.
 */
export const isPublishableIn =
  (chatType: ChatType) =>
  (message: { content: object; quotedWaMessageId: string | null; mentions: string[] }): boolean => {
    if (chatType !== 'status' && chatType !== 'channel') return true
    const content = message.content as MessageContent
    const once = 'viewOnce' in content && content.viewOnce
    const inChat = message.quotedWaMessageId !== null || message.mentions.length > 0 || once
    if (inChat || content.album) return false
    return (chatType === 'status' ? EVERYWHERE : IN_CHANNELS).has(content.type)
  }
