import { hashToken, type Seal } from '../../kernel/seal.ts'

const CONTEXT = 'device'

/**
 * Tokens that prove that a browser has signed in to an account before. They only lift the limit that strangers could use up;
 * they open nothing. Source: OWASP, device cookies.
 */
export function createDeviceTokens(seal: Seal) {
  return {
    issue: (email: string): string => seal.close(hashToken(email), CONTEXT).toString('base64url'),

    isOf(token: string | null, email: string): boolean {
      if (token === null || token.length > 500) return false
      try {
        return seal.open(Buffer.from(token, 'base64url'), CONTEXT).equals(hashToken(email))
      } catch {
        // Forged, or sealed with a key that is gone: a browser like any other.
        return false
      }
    },
  }
}
