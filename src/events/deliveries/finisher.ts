import { isDatabaseAway } from '../../platform/db/database-errors.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { LeasedDelivery } from '../events.service.ts'
import type { Activity } from '../../kernel/activity.ts'
import { retryDelayMs } from '../../kernel/backoff.ts'
import { createBatcher } from '../../kernel/batcher.ts'
import { delay, type Clock } from '../../kernel/clock.ts'
import { random } from '../../kernel/ids.ts'
import type { AttemptOutcome } from './attempt.ts'
import { finishAttempts, type FinishedAttempt } from './deliveries.sql.ts'

export const MOST_ATTEMPTS = 6
/** Retries this near are timed in memory; the lease outlives them, in case this node does not. */
const LOCAL_RETRIES = 2
const LEASE_BEYOND_MS = 30_000
const DATABASE_RETRY_MS = 500
const MOST_TRIES = 20

/** A retry that this node has to time itself. */
type LocalRetry = { delivery: LeasedDelivery; inMs: number }

export type Finisher = {
  /** Resolves when the attempt's end is committed; with the retry that this node times, if there is one. */
  finish(delivery: LeasedDelivery, outcome: AttemptOutcome): Promise<LocalRetry | null>
}

/** Ends attempts in batches. While the database is away they wait here, and nothing new is dispatched. */
export function createFinisher(deps: {
  db: Db
  clock: Clock
  activity: Activity
  lease: { node: string; epoch: number }
  onFenced: (count: number) => void
  onError: (error: unknown, task?: string) => void
}): Finisher {
  const { db, clock, activity, lease, onFenced, onError } = deps

  /** Answers for each attempt whether its row was still ours. */
  async function flush(attempts: FinishedAttempt[]): Promise<boolean[]> {
    for (let tries = 1; ; tries++) {
      try {
        const touched = await finishAttempts(db, lease, attempts)
        if (touched.size < attempts.length) onFenced(attempts.length - touched.size)
        return attempts.map((attempt) => touched.has(attempt.id))
      } catch (error) {
        // The results of requests that were made are not thrown away for an error of the database.
        if (!isDatabaseAway(error)) {
          const ids = attempts.map(({ id }) => id).slice(0, 5)
          onError(error, `results of deliveries ${ids.join(', ')}`)
          if (attempts.length > 1) return flushHalves(attempts)
          if (tries === MOST_TRIES) throw error
        }
        await delay(clock, DATABASE_RETRY_MS)
      }
    }
  }

  /** Finds the attempt that the statement cannot take, so that the others are kept. */
  async function flushHalves(attempts: FinishedAttempt[]): Promise<boolean[]> {
    const middle = attempts.length >> 1
    const halves = [attempts.slice(0, middle), attempts.slice(middle)]
    const results = await Promise.allSettled(halves.map(flush))
    return results.flatMap((result, index) =>
      result.status === 'fulfilled' ? result.value : (halves[index] ?? []).map(() => false),
    )
  }

  const batcher = createBatcher({ flush, maxItems: 256, maxInFlight: 1, activity })
  return {
    async finish(delivery, outcome) {
      const now = clock.now()
      const { attempt, event } = delivery
      const over = outcome.success || outcome.cancelled || attempt >= MOST_ATTEMPTS
      const nextDueAt = over ? null : now + retryDelayMs(attempt, random())
      const local = nextDueAt !== null && attempt <= LOCAL_RETRIES
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
        leasedUntil: local ? new Date(nextDueAt + LEASE_BEYOND_MS) : null,
      })
      // What has moved on is timed by whoever has it now.
      if (!local || !ours) return null
      const inMs = Math.max(0, nextDueAt - clock.now())
      return { delivery: { ...delivery, attempt: attempt + 1, dueAt: nextDueAt }, inMs }
    },
  }
}
