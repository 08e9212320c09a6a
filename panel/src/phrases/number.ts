/** The minutes of a day. */
export const DAY_MINUTES = 24 * 60

const formats = new Map<string, Intl.NumberFormat>()

/**
 * Formats a number for a language (a BCP 47 tag). Small integers look the same in every language, so they are formatted
 * without `Intl`, whose first use takes 60 ms on a slow phone, while a page is about to appear.
 */
export function formatNumber(value: number, language: string): string {
  if (Number.isInteger(value) && Math.abs(value) < 1000) return String(value)
  const format = formats.get(language) ?? new Intl.NumberFormat(language)
  formats.set(language, format)
  return format.format(value)
}
