import type { AccountsService } from '../accounts/accounts.service.ts'
import type { EmailChangeService } from '../accounts/change-email.service.ts'
import type { SecondFactorService } from '../accounts/second-factor.service.ts'
import type { Db } from '../db/sql.ts'
import type { Caller } from '../http/principal.ts'
import { fail } from '../phrases/fail.ts'
import { TRIES_PER_ACCOUNT, type Admission } from './admission.ts'
import { uncountTry } from './sessions.sql.ts'

/** What a person does once he has proved again, with his password or a code, that it is he. Source: contract §1. */
export function proofs(deps: {
  accounts: AccountsService
  secondFactor: SecondFactorService
  emailChange: EmailChangeService
  admit: Admission
}) {
  const { accounts, secondFactor, emailChange, admit } = deps
  return {
    /** Takes a person's second factor out of force. 400 for a wrong code, 429 after too many of them. */
    async endSecondFactor(db: Db, caller: Caller, code: string): Promise<void> {
      const { actor: userId } = caller
      const subject = `factor:${userId}`
      await admit(db, [{ subject, most: TRIES_PER_ACCOUNT }])
      const factor = await secondFactor.check(db, userId, code)
      if (factor === 'wrong' || factor === 'missing') {
        throw fail('bad_request', (say) => say.auth.wrongCode)
      }
      await uncountTry(db, [subject])
      if (factor === 'off') throw fail('conflict', (say) => say.auth.factorOff)
      await secondFactor.end(db, caller)
    },

    /** Proves that it is he who asks. 400 for a wrong password or code, 429 after too many of them. */
    async proveIdentity(
      db: Db,
      userId: string,
      proof: { password: string; code?: string },
    ): Promise<void> {
      const subject = `proof:${userId}`
      await admit(db, [{ subject, most: TRIES_PER_ACCOUNT }])
      if (!(await accounts.verifyOwn(db, userId, proof.password))) throw wrongOwnPassword()
      const factor = await secondFactor.check(db, userId, proof.code)
      if (factor === 'wrong' || factor === 'missing') {
        throw fail('bad_request', (say) => say.auth.wrongCode)
      }
      await uncountTry(db, [subject])
    },

    /** Begins a change of address. 400 for a wrong password, 429 after too many tries. */
    async changeEmail(
      db: Db,
      userId: string,
      input: { email: string; password: string },
    ): Promise<void> {
      const subject = `email:${userId}`
      await admit(db, [{ subject, most: TRIES_PER_ACCOUNT }])
      if (!(await emailChange.begin(db, userId, input))) throw wrongOwnPassword()
      await uncountTry(db, [subject])
    },

    /** A secret for an app to read. 400 for a wrong password, 429 after too many of them. */
    async beginSecondFactor(db: Db, userId: string, password: string) {
      const subject = `factor:${userId}`
      await admit(db, [{ subject, most: TRIES_PER_ACCOUNT }])
      if (!(await accounts.verifyOwn(db, userId, password))) throw wrongOwnPassword()
      await uncountTry(db, [subject])
      return secondFactor.begin(db, userId)
    },
  }
}

function wrongOwnPassword() {
  return fail('bad_request', (say) => say.auth.wrongOwnPassword)
}
