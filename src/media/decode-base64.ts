import { fail } from '../phrases/fail.ts'

const LONGEST_PREFIX = 300
const PREFIX = /^data:([\w.+/-]+)?(?:;[\w=.-]+)*;base64,/

/** The bytes of base64, bare or as a data URL, and the type that the latter claims. Throws 400. */
export function decodeBase64(text: string): { bytes: Buffer; claimed: string | null } {
  const [prefix = '', claimed = null] = PREFIX.exec(text.slice(0, LONGEST_PREFIX)) ?? []
  const bare = text.slice(prefix.length).replace(/\s+/g, '')
  if (/[^A-Za-z0-9+/_-]/.test(bare.replace(/={1,2}$/, '')))
    throw fail('bad_request', (say) => say.media.base64)
  return { bytes: Buffer.from(bare, 'base64'), claimed }
}
