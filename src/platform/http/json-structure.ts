/** Maximum nesting depth: deeper than any documented request, and shallow enough for every recursive function. */
export const MAX_DEPTH = 64
/** Maximum distinct keys of all objects: a parser spends most of its time on keys that it has not seen. */
const MAX_KEYS = 1000
/** Longer keys count as distinct without being compared. */
const MAX_COMPARED_KEY = 200

/** How many objects, arrays and values a JSON text may have. */
export type StructureLimits = { containers: number; values: number }
/** More than any request needs that is not about a list of people. */
export const USUAL: StructureLimits = { containers: 10_000, values: 20_000 }
/** Enough for ten thousand recipients with fifty variables each. */
export const LONG_LISTS: StructureLimits = { containers: 25_000, values: 550_000 }

/** Strings from this length on are reported: a parser would keep other requests waiting while it copies one. */
export const LONG_STRING = 256 * 1024

/** Where a string begins and ends in the bytes, without its quotes. */
export type Range = { start: number; end: number }

/** The structure of a JSON text. After a fault, the list of long strings is incomplete. */
export type Structure = {
  fault: 'too_deep' | 'too_large' | null
  /** Long strings that are values, in order. */
  longStrings: Range[]
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Checks the size of a JSON text's structure before it is parsed; `fault` is null if it is within the limits. A single
 * linear scan that skips strings, because a parser would need seconds and hundreds of megabytes for a body of brackets.
 */
export function scanStructure(bytes: Buffer, limits: StructureLimits): Structure {
  const longStrings: Range[] = []
  const found = (fault: Structure['fault']): Structure => ({ fault, longStrings })
  let depth = 0
  let containers = 0
  let commas = 0
  let longKeys = 0
  const keys = new Set<string>()
  let string: Range = { start: 0, end: 0 }
  for (let index = 0; index < bytes.length; index++) {
    switch (bytes[index]) {
      case QUOTE:
        string = { start: index + 1, end: endOfString(bytes, index) }
        index = string.end
        if (string.end - string.start >= LONG_STRING) longStrings.push(string)
        break
      case COLON:
        if (longStrings.at(-1) === string) longStrings.pop()
        if (string.end - string.start > MAX_COMPARED_KEY) longKeys++
        else keys.add(bytes.toString('latin1', string.start, string.end))
        if (keys.size + longKeys > MAX_KEYS) return found('too_large')
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > MAX_DEPTH) return found('too_deep')
        if (++containers > limits.containers) return found('too_large')
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
      case COMMA:
        if (++commas > limits.values) return found('too_large')
        break
      default:
    }
  }
  return found(null)
}

/** The index of the closing quote of a string, or the end of the text for an unterminated string. */
function endOfString(bytes: Buffer, start: number): number {
  let index = start
  for (;;) {
    index = bytes.indexOf(QUOTE, index + 1)
    if (index < 0) return bytes.length
    let backslashes = 0
    while (bytes[index - 1 - backslashes] === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return index
  }
}
