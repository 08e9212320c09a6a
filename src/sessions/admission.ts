import type { Db } from '../db/sql.ts'
import type { Clock } from '../lib/clock.ts'
import { fail } from '../phrases/fail.ts'
import { countTry, uncountTry } from './sessions.sql.ts'

/** Failures of one person before he has to wait. */
export const TRIES_PER_ACCOUNT = 10
export const TRY_WINDOW_MS = 15 * 60_000

export type Admission = ReturnType<typeof createAdmission>

/** Counts tries, each as failed until it is taken back. Source: contract §1. */
export function createAdmission(clock: Clock) {
  /** Throws 429 when this account or address has failed too often. */
  return async function admit(
    db: Db,
    subjects: { subject: string; most: number }[],
  ): Promise<void> {
    const exceeded = await countTry(
      db,
      subjects,
      new Date(clock.now()),
      new Date(clock.now() + TRY_WINDOW_MS),
    )
    if (exceeded.length === 0) return
    await uncountTry(
      db,
      subjects.map((limit) => limit.subject),
    )
    const ends = Math.max(...exceeded.map((limit) => limit.windowEndsAt.getTime()))
    const seconds = Math.max(1, Math.ceil((ends - clock.now()) / 1000))
    const retryAfter = seconds
    throw fail('rate_limited', (say) => say.auth.tooManyAttempts(seconds), { retryAfter })
  }
}
