/** Whom a message goes to, as the network names the chat. Exactly one of phone, lid and group id is known. */
export type Recipient = {
  chatId: string
  chatType: 'direct' | 'group'
  phone: string | null
  lid: string | null
}

/** The digits of an E.164 number written with or without `+`, spaces and punctuation; null when it is not one. */
export function parsePhone(text: string): string | null {
  if (!/^\+?[\d\s().\-/]+$/.test(text)) return null
  const digits = text.replace(/\D/g, '')
  return /^[1-9]\d{6,14}$/.test(digits) ? digits : null
}

/** Reads `to` of a send: a phone, `123@lid`, `123@s.whatsapp.net` or `123@g.us`. Null when it is none of them. */
export function parseRecipient(text: string): Recipient | null {
  const lid = /^(\d{5,20})@lid$/.exec(text)?.[1]
  if (lid) return { chatId: `${lid}@lid`, chatType: 'direct', phone: null, lid: `${lid}@lid` }
  if (/^[\d-]{5,40}@g\.us$/.test(text)) {
    return { chatId: text, chatType: 'group', phone: null, lid: null }
  }
  const phone = parsePhone(text.replace(/@s\.whatsapp\.net$/, ''))
  return phone ? phoneRecipient(phone) : null
}

export function phoneRecipient(phone: string): Recipient {
  return { chatId: directChat({ phone, lid: null }), chatType: 'direct', phone, lid: null }
}

/** The chat with a person, by the name that says most: the phone, or the LID where no phone is known. */
export function directChat({ phone, lid }: { phone: string | null; lid: string | null }): string {
  return phone ? `${phone}@s.whatsapp.net` : (lid ?? '')
}

const BRAZILIAN_MOBILE = /^(55[1-9]\d)(9?)([6-9]\d{7})$/

/** The two ways to write a Brazilian mobile number, the way it was asked for first; of any other number, itself. */
export function spellings(phone: string): string[] {
  const match = BRAZILIAN_MOBILE.exec(phone)
  if (!match) return [phone]
  const [, area = '', nine = '', rest = ''] = match
  return [phone, nine === '' ? `${area}9${rest}` : `${area}${rest}`]
}

/**
 * Who somebody is, however his number is written: Brazilian mobile numbers go with and without their ninth digit. Not
 * for sending: which of the two a network knows, only it can say.
 */
export function personOf({ phone, chatId }: Pick<Recipient, 'phone' | 'chatId'>): string {
  const [, area, number] = /^55(\d{2})([6-9]\d{7})$/.exec(phone ?? '') ?? []
  return area && number ? `55${area}9${number}` : (phone ?? chatId)
}
