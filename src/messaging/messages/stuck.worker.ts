import type { Logger } from 'pino'
import type { Db } from '../../platform/db/sql.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import type { ReceiptRecorder } from './receipts.service.ts'
import { findDueSince, findOverdueQueueHeads } from './stuck.sql.ts'

const POLL_INTERVAL_MS = 60_000
/** A queue whose first message has not changed for this long while its instance is connected is stuck. */
const STUCK_MS = 600_000
const FAIL_BATCH_SIZE = 500
/** Maximum batches that are failed per instance and poll. */
const MAX_BATCHES_PER_POLL = 200

/**
 * Starts the worker that guarantees a final status for messages of stuck queues. If an instance counts as connected
 * but its queue has not advanced for ten minutes, the worker fails the messages that have been due for that long, and
 * counts and logs them. A long queue that advances is left alone.
 */
export function startStuckWorker(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  receipts: ReceiptRecorder
  metrics: Metrics
  logger: Logger
  onError: (error: unknown, task?: string) => void
}): { stop(): Promise<void> } {
  const { db, clock, activity, receipts, metrics, logger, onError } = deps
  const ended = metrics.counter(
    'messages_stuck_total',
    'Messages of connected instances that were ended because their queue did not move',
  )
  /**
   * The first message of each overdue queue and when it was first seen there, in milliseconds of the monotonic clock.
   */
  let heads = new Map<string, { messageId: string; since: number }>()

  /** Fails the messages that have been due since `before`, in batches. */
  async function failMessages(instanceId: string, before: Date): Promise<void> {
    const due = { instanceId, before, limit: FAIL_BATCH_SIZE }
    for (let part = 0; part < MAX_BATCHES_PER_POLL; part++) {
      const stuck = await findDueSince(db, due)
      if (stuck.length === 0) return
      logger.error({ instanceId, messages: stuck.length }, 'queue is stuck: failing its messages')
      await receipts.failWaiting(stuck, (tx, among) => findDueSince(tx, { ...due, among }))
      ended.inc(stuck.length)
    }
  }

  async function poll(): Promise<boolean> {
    const now = clock.monotonic()
    const before = new Date(clock.now() - STUCK_MS)
    const found = await findOverdueQueueHeads(db, before)
    heads = new Map(
      found.map(({ instanceId, messageId }) => {
        const known = heads.get(instanceId)
        const since = known?.messageId === messageId ? known.since : now
        return [instanceId, { messageId, since }]
      }),
    )
    for (const [instanceId, { since }] of heads) {
      if (now - since < STUCK_MS) continue
      await failMessages(instanceId, before).catch((error: unknown) =>
        onError(error, `failing stuck messages: instance ${instanceId}`),
      )
    }
    return false
  }

  return createLoop({
    task: 'failing stuck messages',
    clock,
    activity,
    everyMs: () => POLL_INTERVAL_MS,
    run: poll,
    onError,
  })
}
