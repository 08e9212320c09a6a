/** The first `most` UTF-16 units of a text, never half a character. */
export function clip(text: string, most: number): string {
  const cut = text.slice(0, most)
  return cut.isWellFormed() ? cut : cut.slice(0, -1).toWellFormed()
}

/**
 * What a stranger wrote as a database can keep it, texts within lists and objects too: without NUL, and half
 * characters replaced.
 */
export function storable<Value>(value: Value): Value {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed() as Value
  if (Array.isArray(value)) return value.map(storable) as Value
  // Anything but a plain object (bytes, dates) holds no text of its own.
  if (value === null || typeof value !== 'object') return value
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storable(key), storable(item)]),
  ) as Value
}

/** A text without case, accents and punctuation, for comparing what people type. */
export function folded(text: string): string {
  const bare = text.normalize('NFD').replace(/\p{M}/gu, '')
  return bare
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()
}
