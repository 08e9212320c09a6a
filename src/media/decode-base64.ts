import { fail } from '../kernel/phrases/fail.ts'

const MAX_PREFIX_LENGTH = 300
const PREFIX = /^data:([\w.+/-]+)?(?:;[\w=.-]+)*;base64,/

/** The bytes of base64, bare or as a data URL, and the type that the latter claims. Throws 400. */
export function decodeBase64(text: string): { bytes: Buffer; claimed: string | null } {
  const [prefix = '', claimed = null] = PREFIX.exec(text.slice(0, MAX_PREFIX_LENGTH)) ?? []
  const encoded = text.slice(prefix.length)
  const bytes = Buffer.from(encoded, 'base64')
  // What the decoder skips makes the result shorter: line breaks, or what is no base64.
  if (bytes.length === lengthOf(encoded)) return { bytes, claimed }
  const bare = encoded.replace(/\s+/g, '')
  if (/[^A-Za-z0-9+/_-]/.test(bare.replace(/={1,2}$/, '')))
    throw fail('bad_request', (say) => say.media.base64)
  return { bytes: Buffer.from(bare, 'base64'), claimed }
}

/** How many bytes a text of nothing but base64 stands for. */
function lengthOf(encoded: string): number {
  const padding = encoded.endsWith('==') ? 2 : encoded.endsWith('=') ? 1 : 0
  return Math.floor(((encoded.length - padding) * 3) / 4)
}
