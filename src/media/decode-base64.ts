import { restAfter } from '../kernel/clock.ts'
import { fail } from '../kernel/phrases/fail.ts'

const MAX_PREFIX_LENGTH = 300
const PREFIX = /^data:([\w.+/-]+)?(?:;[\w=.-]+)*;base64,/
/** Characters that are decoded at once, so that other work runs in between: whole groups of four. */
const SLICE_CHARACTERS = 384 * 1024
/** One or two characters; a line break may come between them. */
const PADDING = /=(?:\s*=)?$/
const MAX_PADDING_LENGTH = 10
const FOREIGN = /[^A-Za-z0-9+/_-]/

/**
 * Reads base64, bare or as a data URL; `claimed` is the type that a data URL declares. The chunks are decoded while they are
 * consumed, which throws 400 for other text.
 */
export function decodeBase64(text: string): {
  chunks: AsyncIterable<Buffer>
  claimed: string | null
} {
  const [prefix = '', claimed = null] = PREFIX.exec(text.slice(0, MAX_PREFIX_LENGTH)) ?? []
  const encoded = text.slice(prefix.length).trimEnd()
  const [padding = ''] = PADDING.exec(encoded.slice(-MAX_PADDING_LENGTH)) ?? []
  return { chunks: decodeSlices(encoded.slice(0, encoded.length - padding.length)), claimed }
}

/** Decodes base64 without padding. */
async function* decodeSlices(encoded: string): AsyncGenerator<Buffer> {
  // Characters of a group whose rest is in the next slice.
  let pending = ''
  for (let from = 0; from < encoded.length; from += SLICE_CHARACTERS) {
    const startedAt = performance.now()
    const slice = pending + encoded.slice(from, from + SLICE_CHARACTERS)
    pending = ''
    const isLast = from + SLICE_CHARACTERS >= encoded.length
    const decoded = Buffer.from(slice, 'base64')
    // Fewer bytes mean that the decoder has skipped line breaks or invalid characters.
    const isAscii = Buffer.byteLength(slice) === slice.length
    const isPure = isAscii && decoded.length === Math.floor((slice.length * 3) / 4)
    if (isPure && (slice.length % 4 === 0 || (isLast && slice.length % 4 !== 1))) {
      await restAfter(startedAt)
      yield decoded
      continue
    }
    const bare = slice.replace(/\s+/g, '')
    // A single character is less than a byte.
    if (FOREIGN.test(bare) || (isLast && bare.length % 4 === 1))
      throw fail('bad_request', (say) => say.media.base64, { field: 'media.base64' })
    const whole = isLast ? bare.length : bare.length - (bare.length % 4)
    pending = bare.slice(whole)
    const rest = Buffer.from(bare.slice(0, whole), 'base64')
    await restAfter(startedAt)
    yield rest
  }
}
