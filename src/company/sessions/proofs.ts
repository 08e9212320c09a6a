import type { AccountsService } from '../accounts/accounts.service.ts'
import type { EmailChangeService } from '../accounts/change-email.service.ts'
import type { SecondFactorService } from '../accounts/second-factor.service.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Caller } from '../../kernel/principal.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { MAX_CHANGE_MAILS, MAX_ATTEMPTS_PER_ACCOUNT, type Admission } from './admission.service.ts'

/** Actions for which a signed-in user must prove their identity again, by password or code (G9). */
export function createProofs(deps: {
  accounts: AccountsService
  secondFactor: SecondFactorService
  emailChange: EmailChangeService
  admission: Admission
}) {
  const { accounts, secondFactor, emailChange, admission } = deps
  const limit = (subject: string) => [{ subject, max: MAX_ATTEMPTS_PER_ACCOUNT }]

  /** Throws 400 unless this is the user's password. */
  async function requirePassword(db: Db, userId: string, password: string): Promise<void> {
    const own = await admission.hashing(`user:${userId}`, () =>
      accounts.verifyOwn(db, userId, password),
    )
    if (!own) throw fail('bad_request', (say) => say.auth.wrongOwnPassword, { field: 'password' })
  }

  /**
   * Checks a code of the second factor. Returns whether the second factor is on; throws 400 for a
   * wrong or missing code.
   */
  async function requireCode(db: Db, userId: string, code: string | undefined): Promise<boolean> {
    const factor = await secondFactor.check(db, userId, code)
    if (factor === 'wrong' || factor === 'missing') {
      throw fail('bad_request', (say) => say.auth.wrongCode, { field: 'code' })
    }
    return factor !== 'off'
  }

  return {
    /**
     * Turns a user's second factor off. Throws 400 for a wrong code, 409 if it is off already, and
     * 429 after too many wrong codes.
     */
    async endSecondFactor(db: Db, caller: Caller, code: string): Promise<void> {
      const { actor: userId } = caller
      const on = await admission.proof(limit(`factor:${userId}`), () =>
        requireCode(db, userId, code),
      )
      if (!on) throw fail('conflict', (say) => say.auth.factorOff)
      await secondFactor.end(db, caller)
    },

    /**
     * Checks the user's password and, if the second factor is on, a code. Throws 400 if either is
     * wrong and 429 after too many failures.
     */
    proveIdentity: (
      db: Db,
      userId: string,
      proof: { password: string; code?: string },
    ): Promise<void> =>
      admission.proof(limit(`proof:${userId}`), async () => {
        await requirePassword(db, userId, proof.password)
        await requireCode(db, userId, proof.code)
      }),

    /** Starts an email change. Throws 400 for a wrong password and 429 after too many failures or mails. */
    async changeEmail(
      db: Db,
      userId: string,
      input: { email: string; password: string },
    ): Promise<void> {
      await admission.proof(limit(`email:${userId}`), () =>
        requirePassword(db, userId, input.password),
      )
      admission.count([{ subject: `change-mail:${userId}`, max: MAX_CHANGE_MAILS }])
      await emailChange.begin(db, userId, input.email)
    },

    /** Turns the second factor on. Throws 400 for a wrong code and 429 after too many. */
    confirmSecondFactor: (db: Db, caller: Caller, code: string) =>
      admission.proof(limit(`factor:${caller.actor}`), () =>
        secondFactor.confirm(db, caller, code),
      ),

    /** Returns a secret for an authenticator app. Throws 400 for a wrong password and 429 after too many failures. */
    async beginSecondFactor(db: Db, userId: string, password: string) {
      await admission.proof(limit(`factor:${userId}`), () => requirePassword(db, userId, password))
      return secondFactor.begin(db, userId)
    },
  }
}
