import { hashToken, type Seal } from '../../kernel/seal.ts'

const CONTEXT = 'device'

/**
 * Tokens that prove that a browser has signed in to an account before (OWASP device cookies). They
 * only exempt it from the account-wide attempt limit, which others could exhaust, and grant no
 * access.
 */
export function createDeviceTokens(seal: Seal) {
  return {
    issue: (email: string): string => seal.close(hashToken(email), CONTEXT).toString('base64url'),

    isOf(token: string | null, email: string): boolean {
      if (token === null || token.length > 500) return false
      try {
        return seal.open(Buffer.from(token, 'base64url'), CONTEXT).equals(hashToken(email))
      } catch {
        // Forged, or sealed with a key that no longer exists: treat it as an unknown browser.
        return false
      }
    },
  }
}
