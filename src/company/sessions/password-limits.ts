import { networkOf, siteOf, type AttemptLimit } from '../../kernel/attempt-limiter.ts'
import { normalEmail } from '../../kernel/person.ts'
import type { Db } from '../../platform/db/sql.ts'
import {
  MAX_ATTEMPTS_PER_ACCOUNT,
  MAX_ATTEMPTS_PER_ACCOUNT_ANYWHERE,
  MAX_ATTEMPTS_PER_ADDRESS,
  MAX_ATTEMPTS_PER_SITE,
  type Admission,
} from './admission.service.ts'
import { hasSignedInFrom } from './sessions.sql.ts'

/** The sessions whose networks count as those of their user. */
const RECENT_SESSIONS = 20

/** Creates the function that returns the limits of failed sign-ins to an account from an address (G8). */
export function createPasswordLimits(admission: Pick<Admission, 'isExhausted'>) {
  return async (
    db: Db,
    { email, address, knownDevice }: { email: string; address: string; knownDevice: boolean },
  ): Promise<AttemptLimit[]> => {
    const account = normalEmail(email)
    const network = networkOf(address)
    const site = siteOf(address)
    // Limits distributed guessing. Browsers and networks that have signed in are exempt, so others cannot lock them out.
    const shared: AttemptLimit[] = [
      { subject: `account:${account}`, max: MAX_ATTEMPTS_PER_ACCOUNT_ANYWHERE },
      ...(site === network ? [] : [{ subject: `site:${site}`, max: MAX_ATTEMPTS_PER_SITE }]),
    ]
    const isExempt =
      knownDevice ||
      (shared.some((limit) => admission.isExhausted(limit)) &&
        (await hasSignedInFrom(db, account, { network, among: RECENT_SESSIONS })))
    return [
      { subject: `account:${account} ${network}`, max: MAX_ATTEMPTS_PER_ACCOUNT },
      { subject: `address:${network}`, max: MAX_ATTEMPTS_PER_ADDRESS },
      ...(isExempt ? [] : shared),
    ]
  }
}
