import { parsePhone } from '../kernel/phone-number.ts'

/** The chat of an account's status posts. */
export const STATUS_CHAT = 'status@broadcast'

/** How the address of a person's direct chat ends that is known by phone number. */
export const PHONE_ADDRESS = '@s.whatsapp.net'

/** The recipient of a message, with the chat id the network uses. Exactly one of phone, LID and group id is known. */
export type Recipient = {
  chatId: string
  chatType: 'direct' | 'group'
  phone: string | null
  lid: string | null
}

/**
 * Parses the `to` of a send: a phone number, `123@lid`, `123@s.whatsapp.net` or `123@g.us`. Returns null for anything
 * else.
 */
export function parseRecipient(text: string): Recipient | null {
  const lid = /^(\d{1,20})@lid$/.exec(text)?.[1]
  if (lid) return { chatId: `${lid}@lid`, chatType: 'direct', phone: null, lid: `${lid}@lid` }
  if (/^[\d-]{5,40}@g\.us$/.test(text)) {
    return { chatId: text, chatType: 'group', phone: null, lid: null }
  }
  const phone = parsePhone(text.replace(/@s\.whatsapp\.net$/, ''))
  return phone ? phoneRecipient(phone) : null
}

/** Whether a chat is with one person, known by phone number or LID. */
export const isDirectChat = (chatId: string): boolean => /@(s\.whatsapp\.net|lid)$/.test(chatId)

/** The recipient with this phone number (digits of an E.164 number). */
export function phoneRecipient(phone: string): Recipient {
  return { chatId: directChatId({ phone, lid: null }), chatType: 'direct', phone, lid: null }
}

/** The id of the direct chat with a contact: by phone number, or by LID when no phone number is known. */
export function directChatId({ phone, lid }: { phone: string | null; lid: string | null }): string {
  return phone ? phone + PHONE_ADDRESS : (lid ?? '')
}

/**
 * A stable key for a contact that does not depend on how the number is written: Brazilian mobile numbers occur with and
 * without their ninth digit. Not for sending, because only the network knows which spelling is registered.
 */
export function contactKeyOf({ phone, chatId }: Pick<Recipient, 'phone' | 'chatId'>): string {
  const [, area, number] = /^55(\d{2})([6-9]\d{7})$/.exec(phone ?? '') ?? []
  return area && number ? `55${area}9${number}` : (phone ?? chatId)
}

/** Whether the key of a person is a LID rather than a phone number. */
export const isLid = (key: string): boolean => key.endsWith('@lid')
