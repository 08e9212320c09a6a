import { isUtf8 } from 'node:buffer'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Phrases } from '../../kernel/phrases/spoken.ts'
import { findStructureFault, MAX_DEPTH } from './json-structure.ts'

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const BACKSLASH = '\\'
/** Escapes that JSON allows but PostgreSQL's text type cannot store: NUL and surrogates. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/i

/** Throws 400 for a JSON text that would take too long to parse. To be called before it is parsed. */
export function requireSoundStructure(bytes: Buffer): void {
  const fault = findStructureFault(bytes)
  if (fault === 'too_deep') throw fail('bad_request', (say) => say.http.tooDeep(MAX_DEPTH))
  if (fault === 'too_large') throw fail('bad_request', (say) => say.http.tooManyValues)
}

/**
 * Parses a JSON body: strict UTF-8, no text that PostgreSQL cannot store, and without nulls, because `null` for an
 * optional field means the same as omitting it (G17). Returns undefined for an empty body; throws 400.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) {
    throw fail('bad_request', (say) => say.http.invalidJson(say.http.notUtf8))
  }
  requireSoundStructure(bytes)
  // A byte order mark is no part of JSON, but many editors and spreadsheets write one.
  const text = bytes.toString(
    'utf8',
    bytes.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0,
  )
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const fault = error instanceof SyntaxError ? error.message : ''
    // The engine's message quotes the body, which must not appear in logs.
    throw fail('bad_request', (say) => say.http.invalidJson(explain(fault, say)))
  }
  if (bytes.includes(BACKSLASH) && SUSPICIOUS_ESCAPE.test(text)) refuseBadText(value, '')
  return text.includes('null') ? withoutNulls(value) : value
}

/** Explains the engine's message about a JSON text, which is English, in the caller's language. */
function explain(fault: string, { http }: Phrases): string {
  const [, position, line, column] =
    /at position (\d+)(?: \(line (\d+) column (\d+)\))?/.exec(fault) ?? []
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

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (item === null ? null : withoutNulls(item)))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, withoutNulls(item)]),
  )
}
