import type { AccountsService, SignUp } from '../accounts/accounts.service.ts'
import { normalEmail } from '../../kernel/person.ts'
import type { Db } from '../../platform/db/sql.ts'
import { networkOf } from '../../kernel/attempt-limiter.ts'
import { hashToken } from '../../kernel/seal.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Language } from '../../kernel/phrases/phrases.ts'
import {
  MAX_ATTEMPTS_PER_ACCOUNT,
  MAX_ATTEMPTS_PER_ADDRESS,
  type Admission,
} from './admission.service.ts'

const RESETS_PER_ACCOUNT = 3
const CONFIRMS_PER_ACCOUNT = 5

const confirmsTo = (email: string) => ({
  subject: `confirm:${normalEmail(email)}`,
  max: CONFIRMS_PER_ACCOUNT,
})

/** Mails that unauthenticated callers may request, limited by recipient and by network (G5). */
export function createRequestedMails(deps: {
  accounts: AccountsService
  admission: Admission
  inBackground: (work: () => Promise<void>) => void
  /** Resolves with null for wrong credentials, which count as a failed sign-in. */
  checkPassword: (
    db: Db,
    input: { email: string; password: string },
    address: string,
    knownDevice: boolean,
  ) => Promise<object | null>
}) {
  const { accounts, admission, inBackground, checkPassword } = deps
  return {
    /**
     * Signs a company up and mails a confirmation link. Throws 429 after too many sign-ups with
     * this email address or from this network.
     */
    async signUp(
      db: Db,
      input: SignUp,
      from: { address: string; browser: string; language: Language },
    ): Promise<void> {
      admission.count([
        { subject: `sign-up:${normalEmail(input.email)}`, max: MAX_ATTEMPTS_PER_ACCOUNT },
        { subject: `sign-up-address:${networkOf(from.address)}`, max: MAX_ATTEMPTS_PER_ADDRESS },
      ])
      await accounts.signUp(db, input, from, (work) => admission.hashing(from.address, work))
    },

    /** Mails the link of a sign-up again. Throws 401 for wrong credentials and 429 after too many attempts. */
    async confirmAgain(
      db: Db,
      input: { email: string; password: string; address: string },
      from: { browser: string; language: Language },
    ): Promise<void> {
      // A wrong password counts as a failed sign-in; the mails have a separate limit.
      if (!(await checkPassword(db, input, input.address, false))) {
        throw fail('unauthorized', (say) => say.auth.wrongPassword)
      }
      admission.count([confirmsTo(input.email)])
      await accounts.confirmAgain(db, input.email, from)
    },

    /**
     * Mails a new link to the address of a sign-up, on request of the holder of an old link or of the browser that
     * started it. Does nothing if there is no such sign-up or it has been confirmed. Throws 429 after too many
     * requests.
     */
    async resend(
      db: Db,
      proof: { token: string | undefined; browser: string | null },
      { address, language }: { address: string; language: Language },
    ): Promise<void> {
      const network = networkOf(address)
      admission.count([{ subject: `confirm-address:${network}`, max: MAX_ATTEMPTS_PER_ADDRESS }])
      // By the proof, and whether or not it has a sign-up: a known address gets the same responses.
      const given = hashToken(proof.token ?? proof.browser ?? '').toString('base64')
      admission.count([{ subject: `confirm-proof:${given}`, max: CONFIRMS_PER_ACCOUNT }])
      const signUp = await accounts.findOpenSignUp(db, proof)
      // Every mail brings a new proof. The limit of the address drops the mail: a 429 would reveal the sign-up.
      if (signUp && admission.countIfAllowed([confirmsTo(signUp.email)]))
        inBackground(() => accounts.sendAgain(db, signUp, language))
    },

    /** Mails a password reset link. Throws 429 after too many requests for this email address or from this network. */
    async forgotPassword(
      db: Db,
      email: string,
      { address, language }: { address: string; language: Language },
    ): Promise<void> {
      admission.count([
        { subject: `reset:${normalEmail(email)}`, max: RESETS_PER_ACCOUNT },
        { subject: `reset-address:${networkOf(address)}`, max: MAX_ATTEMPTS_PER_ADDRESS },
      ])
      accounts.mailReset(db, email, language)
    },
  }
}
