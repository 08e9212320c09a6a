import { isUtf8 } from 'node:buffer'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Phrases } from '../../kernel/phrases/spoken.ts'
import {
  LONG_LISTS,
  MAX_DEPTH,
  scanStructure,
  USUAL,
  type Structure,
  type StructureLimits,
} from './json-structure.ts'
import { cutLongStrings } from './long-strings.ts'

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
/** Where the engine found a fault; wrong once strings have been cut out. */
const POSITION = / at position (\d+)(?: \(line (\d+) column (\d+)\))?/
/** Escapes that JSON allows but PostgreSQL's text type cannot store: NUL and surrogates. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/i

/** Throws 400 for a JSON text that would take too long to parse. To be called before it is parsed. */
export function requireSoundStructure(
  bytes: Buffer,
  limits: StructureLimits = LONG_LISTS,
): Structure {
  const structure = scanStructure(bytes, limits)
  if (structure.fault === 'too_deep')
    throw fail('bad_request', (say) => say.http.tooDeep(MAX_DEPTH))
  if (structure.fault === 'too_large') throw fail('bad_request', (say) => say.http.tooManyValues)
  return structure
}

/**
 * Parses a JSON body: strict UTF-8, no text that PostgreSQL cannot store, and without nulls, because `null` for an
 * optional field means the same as omitting it (G17). Files in base64 do not keep other requests waiting. Returns undefined
 * for an empty body; throws 400.
 */
export async function parseJsonBody(
  bytes: Buffer,
  limits: StructureLimits = USUAL,
): Promise<unknown> {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) {
    throw fail('bad_request', (say) => say.http.invalidJson(say.http.notUtf8))
  }
  const { longStrings } = requireSoundStructure(bytes, limits)
  // A byte order mark is no part of JSON, but many editors and spreadsheets write one.
  const marked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  const start = marked ? BYTE_ORDER_MARK.length : 0
  const { text, restore } = cutLongStrings(bytes, start, longStrings)
  let value: unknown
  try {
    value = JSON.parse(text)
    if (text.includes('null')) removeNulls(value)
    value = await restore(value)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const fault = error.message
    // The engine's message quotes the body, which must not appear in logs.
    const where = longStrings.length > 0 ? fault.replace(POSITION, '') : fault
    throw fail('bad_request', (say) => say.http.invalidJson(explain(where, say)))
  }
  const escaped = longStrings.some(({ start, end }) => bytes.subarray(start, end).includes('\\u'))
  if (escaped || (text.includes('\\') && SUSPICIOUS_ESCAPE.test(text))) refuseBadText(value, '')
  return value
}

/** Explains the engine's message about a JSON text, which is English, in the caller's language. */
function explain(fault: string, { http }: Phrases): string {
  const [, position, line, column] = POSITION.exec(fault) ?? []
  if (fault.startsWith('Unexpected end')) return http.jsonCut
  if (line && column) return http.jsonAt(Number(line), Number(column))
  if (position) return http.jsonAt(1, Number(position) + 1)
  const [, token] = /^Unexpected token '([^\p{Cc}])'/u.exec(fault) ?? []
  return token === undefined ? http.jsonSyntax : http.jsonToken(token)
}

/** Throws 400 for a string, at any depth, that PostgreSQL could not store. `path` names the value in the error. */
export function refuseBadText(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      const field = path
      throw fail('bad_request', (say) => say.http.badText(path || say.http.body), { field })
    }
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => refuseBadText(item, `${path}[${index}]`))
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      refuseBadText(key, path)
      refuseBadText(item, path ? `${path}.${key}` : key)
    }
  }
}

/** Removes the fields that are null, at any depth; in place, because a copy of a large body takes longer than parsing it. */
function removeNulls(value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) removeNulls(item)
  } else if (typeof value === 'object' && value !== null) {
    const fields = value as Record<string, unknown>
    for (const key of Object.keys(fields)) {
      if (fields[key] === null) delete fields[key]
      else removeNulls(fields[key])
    }
  }
}
