/** An object that is not validated: Meta adds fields, and an app secret may leak. */
export type Unknown = Record<string, unknown>

/** Whether a value is an object with fields. */
export const isUnknownRecord = (value: unknown): value is Unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text of a value; null if it is none, or an empty one. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** The number of a value, which Meta writes as a number or as text; null if it is none. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** The object in a field; an empty one if there is none. */
export function recordOf(value: unknown, field: string): Unknown {
  const found = isUnknownRecord(value) ? value[field] : null
  return isUnknownRecord(found) ? found : {}
}

/** The objects of a list in a field. */
export function listOf(value: unknown, field: string): Unknown[] {
  const found = isUnknownRecord(value) ? value[field] : null
  return Array.isArray(found) ? found.filter(isUnknownRecord) : []
}
