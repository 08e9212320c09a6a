import { availableParallelism } from 'node:os'
import {
  createAttemptLimiter,
  networkOf,
  type Attempt,
  type AttemptLimit,
} from '../../kernel/attempt-limiter.ts'
import { delay, type Clock } from '../../kernel/clock.ts'
import { createFairSemaphore, SemaphoreTimeout } from '../../kernel/fair-semaphore.ts'
import { Failure, fail } from '../../kernel/phrases/fail.ts'

/** Failed sign-ins to one account from one network in 15 minutes. */
export const MAX_ATTEMPTS_PER_ACCOUNT = 10
/** Failed sign-ins from one network in 15 minutes, to any account. */
export const MAX_ATTEMPTS_PER_ADDRESS = 50
/**
 * Failed sign-ins to one account from all networks in 15 minutes. Browsers and networks that have signed in to it
 * before are exempt.
 */
export const MAX_ATTEMPTS_PER_ACCOUNT_ANYWHERE = 100
/** Failed sign-ins from one IPv6 site (/48) in 15 minutes: it has 65,536 networks. */
export const MAX_ATTEMPTS_PER_SITE = 200
const ATTEMPT_WINDOW_MS = 15 * 60_000
/** Email change mails that one user may request in 15 minutes. */
export const MAX_CHANGE_MAILS = 3
/** Invitations that an account may send in 15 minutes. */
export const MAX_INVITATIONS = 20
/** Invitations that one recipient may receive in 15 minutes. */
export const MAX_INVITATIONS_PER_RECIPIENT = 3
/** Hashing uses half of the cores; further requests queue, round-robin by network. */
const HASH_CONCURRENCY = Math.max(1, Math.floor(availableParallelism() / 2))
const MAX_WAITING_HASHES = 500
const HASH_WAIT_MS = 30_000
const BUSY_SECONDS = 5

/** Limits attempts; see `createAdmission`. */
export type Admission = ReturnType<typeof createAdmission>

/** Limits login attempts, mails and concurrent password hashing (G8). Counts are per process. */
export function createAdmission(clock: Clock) {
  const limiter = createAttemptLimiter({ clock, windowMs: ATTEMPT_WINDOW_MS })
  // A separate limiter: sign-ups and mails are cheap to request, and could evict the counts of failed sign-ins.
  const actions = createAttemptLimiter({ clock, windowMs: ATTEMPT_WINDOW_MS })
  const gate = createFairSemaphore({
    clock,
    max: HASH_CONCURRENCY,
    maxPerKey: Math.max(1, HASH_CONCURRENCY - 1),
    maxWaiting: MAX_WAITING_HASHES,
    timeoutMs: HASH_WAIT_MS,
  })

  const refuse = (seconds: number) =>
    fail('rate_limited', (say) => say.auth.tooManyAttempts(seconds), { retryAfter: seconds })

  let waiting = 0
  /** Starts an attempt; one beyond the limit waits for those in progress, which may succeed. */
  async function start(limits: AttemptLimit[]): Promise<Attempt> {
    const deadline = clock.monotonic() + HASH_WAIT_MS
    for (;;) {
      const started = limiter.start(limits)
      if ('fail' in started) return started
      if (!started.whenOneEnds) throw refuse(started.retryAfter)
      const leftMs = deadline - clock.monotonic()
      if (waiting >= MAX_WAITING_HASHES || leftMs <= 0) throw refuse(BUSY_SECONDS)
      waiting++
      await Promise.race([started.whenOneEnds(), delay(clock, leftMs)])
      waiting--
    }
  }

  return {
    /**
     * Runs an attempt and counts it as failed when it resolves with null or false. An attempt that throws is not counted.
     * Throws 429 when a subject has too many failures.
     */
    async attempt<T>(limits: AttemptLimit[], work: () => Promise<T>): Promise<T> {
      const started = await start(limits)
      try {
        const result = await work()
        if (result === null || result === false) started.fail()
        return result
      } finally {
        started.succeed()
      }
    },

    /**
     * Runs a proof of identity and counts it as failed when it throws 400; a busy server is no failed proof. Throws 429
     * as `attempt` does.
     */
    async proof<T>(limits: AttemptLimit[], work: () => Promise<T>): Promise<T> {
      const started = await start(limits)
      try {
        return await work()
      } catch (error) {
        if (error instanceof Failure && error.kind === 'bad_request') started.fail()
        throw error
      } finally {
        started.succeed()
      }
    },

    /** Counts an action regardless of its outcome, such as a mail. Throws 429 beyond the limit. */
    count(limits: AttemptLimit[]): void {
      const started = actions.start(limits)
      if ('retryAfter' in started) throw refuse(started.retryAfter)
      started.fail()
    },

    /** Counts an action as `count` does, but returns false beyond the limit instead of throwing. */
    countIfAllowed(limits: AttemptLimit[]): boolean {
      const started = actions.start(limits)
      if ('retryAfter' in started) return false
      started.fail()
      return true
    },

    /** Whether a subject has no attempt left. */
    isExhausted: (limit: AttemptLimit): boolean => limiter.isExhausted(limit),

    /**
     * Runs work that hashes a password, round-robin by network. Throws 429 if the queue is full or
     * the wait times out.
     */
    async hashing<T>(address: string, work: () => Promise<T>): Promise<T> {
      try {
        return await gate(networkOf(address), work)
      } catch (error) {
        throw error instanceof SemaphoreTimeout ? refuse(BUSY_SECONDS) : error
      }
    },
  }
}
