/** The recipient of a message, with the chat id the network uses. Exactly one of phone, LID and group id is known. */
export type Recipient = {
  chatId: string
  chatType: 'direct' | 'group'
  phone: string | null
  lid: string | null
}

/**
 * Returns the digits of an E.164 number written with or without `+`, spaces and punctuation; null for any other text.
 */
export function parsePhone(text: string): string | null {
  if (!/^\+?[\d\s().\-/]+$/.test(text)) return null
  const digits = text.replace(/\D/g, '')
  return /^[1-9]\d{6,14}$/.test(digits) ? digits : null
}

/**
 * Parses the `to` of a send: a phone number, `123@lid`, `123@s.whatsapp.net` or `123@g.us`. Returns null for anything
 * else.
 */
export function parseRecipient(text: string): Recipient | null {
  const lid = /^(\d{5,20})@lid$/.exec(text)?.[1]
  if (lid) return { chatId: `${lid}@lid`, chatType: 'direct', phone: null, lid: `${lid}@lid` }
  if (/^[\d-]{5,40}@g\.us$/.test(text)) {
    return { chatId: text, chatType: 'group', phone: null, lid: null }
  }
  const phone = parsePhone(text.replace(/@s\.whatsapp\.net$/, ''))
  return phone ? phoneRecipient(phone) : null
}

/** The recipient with this phone number (digits of an E.164 number). */
export function phoneRecipient(phone: string): Recipient {
  return { chatId: directChatId({ phone, lid: null }), chatType: 'direct', phone, lid: null }
}

/** The id of the direct chat with a contact: by phone number, or by LID when no phone number is known. */
export function directChatId({ phone, lid }: { phone: string | null; lid: string | null }): string {
  return phone ? `${phone}@s.whatsapp.net` : (lid ?? '')
}

const BRAZILIAN_MOBILE = /^(55[1-9]\d)(9?)([6-9]\d{7})$/

/**
 * The two spellings of a Brazilian mobile number, with and without its ninth digit, starting with the given one. Any
 * other number has a single spelling.
 */
export function phoneSpellings(phone: string): string[] {
  const match = BRAZILIAN_MOBILE.exec(phone)
  if (!match) return [phone]
  const [, area = '', nine = '', rest = ''] = match
  return [phone, nine === '' ? `${area}9${rest}` : `${area}${rest}`]
}

/**
 * A stable key for a contact that does not depend on how the number is written: Brazilian mobile numbers occur with and
 * without their ninth digit. Not for sending, because only the network knows which spelling is registered.
 */
export function contactKeyOf({ phone, chatId }: Pick<Recipient, 'phone' | 'chatId'>): string {
  const [, area, number] = /^55(\d{2})([6-9]\d{7})$/.exec(phone ?? '') ?? []
  return area && number ? `55${area}9${number}` : (phone ?? chatId)
}
