import { randomUUID } from 'node:crypto'
import { restAfter } from '../../kernel/clock.ts'
import type { Range } from './json-structure.ts'

/** Bytes of a string that are parsed before other work runs. */
const BYTES_PER_TURN = 256 * 1024
/** Anything but printable ASCII without quotes and backslashes, which is left to the JSON parser. */
const NOT_PLAIN = /[^ !#-[\]-~]/
const BACKSLASH = 0x5c
const UNICODE_ESCAPE = 0x75
/** Digits after the `u` of an escape. */
const ESCAPE_DIGITS = 4

/** A JSON text in which placeholders stand for long strings. */
export type CutText = {
  text: string
  /** Replaces the placeholders in the parsed text, in place. Throws SyntaxError for a malformed string. */
  restore(value: unknown): Promise<unknown>
}

/**
 * Cuts long strings out of a JSON text, from `start`. They are parsed in slices, because the parser would block for as
 * long as it takes to copy a file in base64.
 */
export function cutLongStrings(bytes: Buffer, start: number, longStrings: Range[]): CutText {
  // The author of a body cannot know its placeholders.
  const token = longStrings.length > 0 ? randomUUID() : ''
  const pieces: string[] = []
  let position = start
  for (const [index, range] of longStrings.entries()) {
    pieces.push(bytes.toString('utf8', position, range.start), token, String(index))
    position = range.end
  }
  pieces.push(bytes.toString('utf8', position))
  return {
    text: pieces.join(''),
    async restore(value) {
      if (longStrings.length === 0) return value
      const strings: string[] = []
      for (const { start: from, end } of longStrings)
        strings.push(await parseString(bytes.subarray(from, end)))
      return replacePlaceholders(value, token, strings)
    },
  }
}

function replacePlaceholders(value: unknown, token: string, strings: string[]): unknown {
  if (typeof value === 'string')
    return value.startsWith(token) ? strings[Number(value.slice(token.length))] : value
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Record<string, unknown>
  for (const [key, item] of Object.entries(fields)) {
    if (typeof item === 'string' || typeof item === 'object')
      fields[key] = replacePlaceholders(item, token, strings)
  }
  return value
}

/** Parses what is between the quotes of a JSON string, in slices. */
async function parseString(bytes: Buffer): Promise<string> {
  const slices: string[] = []
  for (let from = 0; from < bytes.length;) {
    const startedAt = performance.now()
    const to = sliceEnd(bytes, from, from + BYTES_PER_TURN)
    const slice = bytes.toString('latin1', from, to)
    slices.push(
      NOT_PLAIN.test(slice)
        ? (JSON.parse(`"${bytes.toString('utf8', from, to)}"`) as string)
        : slice,
    )
    from = to
    await restAfter(startedAt)
  }
  return slices.join('')
}

/** The last position up to `to` that is not inside a character or an escape. */
function sliceEnd(bytes: Buffer, from: number, to: number): number {
  if (to >= bytes.length) return bytes.length
  while (((bytes[to] ?? 0) & 0xc0) === 0x80) to--
  if (endsInBackslash(bytes, from, to)) return to - 1
  for (let digits = 0; digits < ESCAPE_DIGITS; digits++) {
    const letter = to - 1 - digits
    if (bytes[letter] === UNICODE_ESCAPE && endsInBackslash(bytes, from, letter)) return letter - 1
  }
  return to
}

/** Whether the bytes before `end` end in a backslash that is not itself escaped. */
function endsInBackslash(bytes: Buffer, from: number, end: number): boolean {
  let backslashes = 0
  while (end - 1 - backslashes >= from && bytes[end - 1 - backslashes] === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}
