/**
 * Returns the digits of an E.164 number written with or without `+`, spaces and punctuation; null for any other text.
 */
export function parsePhone(text: string): string | null {
  if (!/^\+?[\d\s().\-/]+$/.test(text)) return null
  const digits = text.replace(/\D/g, '')
  return /^[1-9]\d{6,14}$/.test(digits) ? digits : null
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
