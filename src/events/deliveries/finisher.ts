import { isDatabaseUnavailable } from '../../platform/db/database-errors.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { LeasedDelivery } from '../events.service.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { retryDelayMs } from '../../kernel/backoff.ts'
import { createBatcher } from '../../kernel/batcher.ts'
import { delay, type Clock } from '../../kernel/clock.ts'
import { random } from '../../kernel/ids.ts'
import type { AttemptOutcome } from './attempt.ts'
import { finishAttempts, type FinishedAttempt } from './deliveries.sql.ts'

/** Maximum attempts per delivery, the first one included. */
export const MAX_ATTEMPTS = 6
/**
 * The first two retries are scheduled in memory. Their lease extends beyond the due time, so that another node takes
 * over if this one crashes.
 */
const MAX_LOCAL_RETRIES = 2
const LEASE_MARGIN_MS = 30_000
const DATABASE_RETRY_MS = 500
const MAX_STORE_TRIES = 20

/** A retry that this node schedules in memory, `inMs` from now. */
type LocalRetry = { delivery: LeasedDelivery; inMs: number }

/** Stores the outcomes of attempts. */
export type Finisher = {
  /** Resolves after the commit, with the retry to schedule in memory, or null if there is none. */
  finish(delivery: LeasedDelivery, outcome: AttemptOutcome): Promise<LocalRetry | null>
}

/**
 * Creates the finisher, which stores outcomes in batches. While the database is unavailable it keeps retrying; the
 * dispatcher stops sending once too many results are unstored.
 */
export function createFinisher(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  lease: { node: string; epoch: number }
  onFenced: (count: number) => void
  onError: (error: unknown, task?: string) => void
}): Finisher {
  const { db, clock, activity, lease, onFenced, onError } = deps

  /** Returns for each attempt whether this node still held its lease. */
  async function flush(attempts: FinishedAttempt[]): Promise<boolean[]> {
    for (let tries = 1; ; tries++) {
      try {
        const touched = await finishAttempts(db, lease, attempts)
        if (touched.size < attempts.length) onFenced(attempts.length - touched.size)
        return attempts.map((attempt) => touched.has(attempt.id))
      } catch (error) {
        // The requests have been made: retry, so that a database error does not discard their results.
        if (!isDatabaseUnavailable(error)) {
          const ids = attempts.map(({ id }) => id).slice(0, 5)
          onError(error, `storing the results of ${attempts.length} deliveries: ${ids.join(', ')}`)
          if (attempts.length > 1) return flushHalves(attempts)
          if (tries === MAX_STORE_TRIES) throw error
        }
        await delay(clock, DATABASE_RETRY_MS)
      }
    }
  }

  /** Bisects a failing batch, so that one attempt that cannot be stored does not affect the others. */
  async function flushHalves(attempts: FinishedAttempt[]): Promise<boolean[]> {
    const middle = attempts.length >> 1
    const halves = [attempts.slice(0, middle), attempts.slice(middle)]
    const results = await Promise.allSettled(halves.map(flush))
    return results.flatMap((result, index) =>
      result.status === 'fulfilled' ? result.value : (halves[index] ?? []).map(() => false),
    )
  }

  const batcher = createBatcher({
    flush,
    maxItems: 256,
    keyOf: ({ webhookId }) => webhookId,
    maxInFlight: 1,
    activity,
  })
  return {
    async finish(delivery, outcome) {
      const now = clock.now()
      const { attempt, event } = delivery
      const over = outcome.success || outcome.cancelled || attempt >= MAX_ATTEMPTS
      const nextDueAt = over ? null : now + retryDelayMs(attempt, random())
      const local = nextDueAt !== null && attempt <= MAX_LOCAL_RETRIES
      const ours = await batcher.add({
        id: delivery.id,
        webhookId: delivery.webhookId,
        eventId: event.id,
        event: event.name,
        attempt,
        success: outcome.success,
        statusCode: outcome.statusCode,
        reason: outcome.reason,
        durationMs: outcome.durationMs,
        endedAt: new Date(now),
        nextDueAt: nextDueAt === null ? null : new Date(nextDueAt),
        leasedUntil: local ? new Date(nextDueAt + LEASE_MARGIN_MS) : null,
      })
      // A delivery whose lease was lost is retried by the node that holds it now.
      if (!local || !ours) return null
      const inMs = Math.max(0, nextDueAt - clock.now())
      return { delivery: { ...delivery, attempt: attempt + 1, dueAt: nextDueAt }, inMs }
    },
  }
}
