/** The minutes of a day. */
export const DAY_MINUTES = 24 * 60

const formats = new Map<string, Intl.NumberFormat>()

/**
 * Returns a number in the notation of a language (a BCP 47 tag). Small whole numbers are alike in all of them: they do
 * without `Intl`, whose first use takes a slow phone 60 ms, while a page is about to appear.
 */
export function formatNumber(value: number, language: string): string {
  if (Number.isInteger(value) && Math.abs(value) < 1000) return String(value)
  const format = formats.get(language) ?? new Intl.NumberFormat(language)
  formats.set(language, format)
  return format.format(value)
}
