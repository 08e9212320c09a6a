/** The first `maxLength` UTF-16 code units of a text, without splitting a surrogate pair. */
export function truncate(text: string, maxLength: number): string {
  const cut = text.slice(0, maxLength)
  return cut.isWellFormed() ? cut : cut.slice(0, -1).toWellFormed()
}

/**
 * Deep-copies an untrusted value and replaces text that PostgreSQL cannot store: NUL characters
 * are removed and lone surrogates replaced.
 */
export function toStorable<Value>(value: Value): Value {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed() as Value
  if (Array.isArray(value)) return value.map(toStorable) as Value
  // Other objects (bytes, dates) contain no text.
  if (value === null || typeof value !== 'object') return value
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [toStorable(key), toStorable(item)]),
  ) as Value
}

/** A text without case, accents and punctuation, for comparing user input. */
export function foldText(text: string): string {
  const bare = text.normalize('NFD').replace(/\p{M}/gu, '')
  return bare
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()
}
