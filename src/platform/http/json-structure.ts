/** Maximum nesting depth: deeper than any documented request, and shallow enough for every recursive function. */
export const MAX_DEPTH = 64
const MAX_CONTAINERS = 100_000
const MAX_VALUES = 500_000

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Checks the size of a JSON text's structure before it is parsed; returns null if it is within the limits. A single
 * linear scan that skips strings, because a parser would need seconds and hundreds of megabytes for a body of brackets.
 */
export function findStructureFault(bytes: Buffer): 'too_deep' | 'too_large' | null {
  let depth = 0
  let containers = 0
  let commas = 0
  for (let index = 0; index < bytes.length; index++) {
    switch (bytes[index]) {
      case QUOTE:
        index = endOfString(bytes, index)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > MAX_DEPTH) return 'too_deep'
        if (++containers > MAX_CONTAINERS) return 'too_large'
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
      case COMMA:
        if (++commas > MAX_VALUES) return 'too_large'
        break
      default:
    }
  }
  return null
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
