import { fail } from '../kernel/phrases/fail.ts'

const MAX_PREFIX_LENGTH = 300
const PREFIX = /^data:([\w.+/-]+)?(?:;[\w=.-]+)*;base64,/

/** Decodes base64, bare or as a data URL; `claimed` is the type that a data URL declares. Throws 400. */
export function decodeBase64(text: string): { bytes: Buffer; claimed: string | null } {
  const [prefix = '', claimed = null] = PREFIX.exec(text.slice(0, MAX_PREFIX_LENGTH)) ?? []
  const encoded = text.slice(prefix.length)
  const bytes = Buffer.from(encoded, 'base64')
  // The result is shorter if the decoder has skipped line breaks or invalid characters.
  if (bytes.length === lengthOf(encoded)) return { bytes, claimed }
  const bare = encoded.replace(/\s+/g, '')
  if (/[^A-Za-z0-9+/_-]/.test(bare.replace(/={1,2}$/, '')))
    throw fail('bad_request', (say) => say.media.base64, { field: 'media.base64' })
  return { bytes: Buffer.from(bare, 'base64'), claimed }
}

/** Returns the decoded length of pure base64. */
function lengthOf(encoded: string): number {
  const padding = encoded.endsWith('==') ? 2 : encoded.endsWith('=') ? 1 : 0
  return Math.floor(((encoded.length - padding) * 3) / 4)
}
