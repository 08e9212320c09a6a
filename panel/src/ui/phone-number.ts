const BRAZILIAN = /^55([1-9]{2})(\d{4,5})(\d{4})$/
const LOOKS_LIKE_NUMBER = /^\+?[\d\s().-]{4,}$/

/** A phone number as people write it: `+55 (11) 98038-0700`, or `+` and its digits elsewhere. Other texts stay as they are. */
export function formatPhone(given: string): string {
  const phone = /^\+[\d\s().-]+$/.test(given) ? given.replaceAll(/\D/g, '') : given
  if (!/^\d{8,15}$/.test(phone)) return given
  const [, area, first, last] = BRAZILIAN.exec(phone) ?? []
  return area ? `+55 (${area}) ${first}-${last}` : `+${phone}`
}

/** What to search for: only the digits of a text that is a phone number in some notation. */
export const searchTextOf = (typed: string): string =>
  LOOKS_LIKE_NUMBER.test(typed.trim()) ? typed.replaceAll(/\D/g, '') : typed

/** The numbers of a text, one per line or separated by commas or semicolons: a number may contain spaces. */
export const splitPhones = (text: string): string[] =>
  text
    .split(/[\n,;]+/)
    .map((one) => one.trim())
    .filter(Boolean)
