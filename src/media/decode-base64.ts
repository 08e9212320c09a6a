import { fail } from '../phrases/fail.ts'

/** The bytes of base64, bare or as a data URL, and the type that the latter claims. Throws 400. */
export function decodeBase64(text: string): { bytes: Buffer; claimed: string | null } {
  const [, claimed = null, encoded = text] =
    /^data:([\w.+/-]+)?(?:;[\w=.-]+)*;base64,([^]*)$/.exec(text) ?? []
  const bare = encoded.replace(/\s/g, '')
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(bare)) throw fail('bad_request', (say) => say.media.base64)
  return { bytes: Buffer.from(bare, 'base64'), claimed }
}
