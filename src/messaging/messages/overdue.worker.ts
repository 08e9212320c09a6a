import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createLoop, type Loop } from '../../kernel/loop.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { createSemaphore } from '../../kernel/semaphore.ts'
import { findOverdue, MAX_OVERDUE, releaseOrphaned } from './outbox.sql.ts'
import type { ReceiptRecorder } from './receipts.service.ts'

const OVERDUE_POLL_MS = 5000
/** A message fails this long after its first attempt. */
const SEND_TIMEOUT_MS = 600_000
/** A message that waits because of its instance's pace fails this long after its acceptance. */
const PACE_TIMEOUT_MS = 7 * 24 * 3600_000
/** Maximum instances whose overdue messages are failed concurrently; each holds a connection. */
const FAILING_CONCURRENCY = 2

/** Starts the worker that fails overdue messages, so that each reaches a final status. */
export function startOverdueWorker(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  bus: BusTopics
  receipts: ReceiptRecorder
  onError: (error: unknown, task?: string) => void
}): Loop {
  const { db, clock, activity, bus, receipts, onError } = deps
  const failing = createSemaphore(FAILING_CONCURRENCY)

  async function failOverdue(): Promise<boolean> {
    const released = await releaseOrphaned(db, new Date(clock.now()))
    for (const instanceId of released) bus.publish('outbound', { instanceId })
    const before = new Date(clock.now() - SEND_TIMEOUT_MS)
    const waitedSince = new Date(clock.now() - PACE_TIMEOUT_MS)
    const times = { before, waitedSince }
    const overdue = await findOverdue(db, times)
    const groups = [...Map.groupBy(overdue, ({ instanceId }) => instanceId)]
    const failed = await Promise.all(
      groups.map(([instanceId, messages]) =>
        failing(() =>
          receipts.failWaiting(messages, (tx, among) => findOverdue(tx, { ...times, among })),
        ).then(
          () => 0,
          (error: unknown) => {
            onError(error, `failing overdue messages: instance ${instanceId}`)
            return messages.length
          },
        ),
      ),
    )
    // Failures that cannot be stored now are retried at the next poll.
    return overdue.length === MAX_OVERDUE && failed.every((count) => count === 0)
  }

  return createLoop({
    task: 'failing overdue messages',
    clock,
    activity,
    everyMs: () => OVERDUE_POLL_MS,
    run: failOverdue,
    onError,
  })
}
