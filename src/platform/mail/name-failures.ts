import { fail } from '../../kernel/phrases/fail.ts'
import type { Mailer } from './mail.port.ts'

/** The mail server's final "no" to an address (RFC 5321 §4.2.1), unlike one to this server's login. */
function isRefused(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  return code === 'EENVELOPE' && typeof responseCode === 'number' && responseCode >= 550
}

/** A mailer whose failures name their cause to the caller: an address that is refused, or a server that is not available. */
export const nameFailures = (mailer: Mailer): Mailer => ({
  ...mailer,
  async send(mail) {
    try {
      await mailer.send(mail)
    } catch (cause) {
      if (isRefused(cause))
        throw fail('bad_request', (say) => say.accounts.mailRefused, { field: 'email', cause })
      throw fail('unavailable', (say) => say.accounts.mailAway, { cause })
    }
  },
})
