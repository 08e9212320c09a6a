import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { Failure } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { BusTopics } from '../../platform/bus/bus.port.ts'
import { accessFailure } from '../../platform/db/access-failure.ts'
import { UNWATCHED_POLL_MS, type DueWatch } from '../../platform/db/due-watch.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { MessagesService } from '../messages/messages.service.ts'
import type { ScheduleError } from './schedules.schemas.ts'
import { toSend } from './schedules.service.ts'
import {
  anyScheduleDue,
  claimSchedule,
  findDueSchedules,
  markFailed,
  markSent,
  postponeSchedule,
  type DueSchedule,
  type ScheduleRow,
} from './schedules.sql.ts'

/** Messages due within this time are sent on time by a timer. */
const LOOKAHEAD_MS = 2000
const MIN_POLL_MS = 10
const DUE_BATCH_SIZE = 256
/** Maximum Projects served concurrently; each send holds a connection. */
const CONCURRENCY = 4
/** Maximum time spent on one Project before due messages are selected again. */
const PROJECT_TIME_SLICE_MS = 2000
/** Delay before a message is retried after a server fault. */
const RETRY_DELAY_MS = 60_000
/** A message overdue by more than this fails instead of being sent at the wrong time of day. */
const MAX_LATE_MS = 24 * 3600_000

/**
 * Starts the worker that sends scheduled messages when they are due. The message, its charge and the end of the
 * schedule commit together, so it is sent once despite crashes. A refused send ends the schedule with its reason;
 * after a server fault it is retried. Every node runs a worker; a row lock gives each message to one of them.
 */
export function startSchedulesWorker(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  dueWatch: DueWatch
  messages: Pick<MessagesService, 'send' | 'prepareRecipient'>
  publish: BusTopics['publish']
  onError: (error: unknown, task?: string) => void
}): { stop(): Promise<void> } {
  const { db, clock, activity, dueWatch, messages, publish, onError } = deps
  const now = () => new Date(clock.now())
  let nextAt = Infinity

  const announce = ({ projectId, mode }: Pick<ScheduleRow, 'projectId' | 'mode'>) =>
    publish('changes', { projectId, mode, what: 'schedules' })

  async function send(tx: Db, row: ScheduleRow): Promise<void> {
    const { id, projectId, mode, keyId, instanceId, sendAt } = row
    if (clock.now() - sendAt.getTime() > MAX_LATE_MS) {
      await markFailed(tx, id, { code: 'TOO_LATE', message: say.schedules.tooLate }, now())
      return
    }
    const scope = { projectId, mode, keyId }
    const message = await messages.send(tx, scope, instanceId, toSend(row.message))
    await markSent(tx, id, message.id, now())
  }

  async function trySend({ id, projectId, mode, instanceId, to }: DueSchedule): Promise<void> {
    try {
      // Resolved here, because the transaction must not wait for a network or a second connection.
      if (to !== null)
        await messages.prepareRecipient(db, { projectId, mode, keyId: null }, instanceId, to)
      await db.transaction(async (tx) => {
        const row = await claimSchedule(tx, id, now())
        if (!row) return
        await send(tx, row)
        tx.afterCommit(() => announce(row))
      })
    } catch (error) {
      const failure = error instanceof Failure ? error : accessFailure(error)
      const code = failure && errorOf(failure)
      if (code) {
        const failed = await markFailed(db, id, { code, message: failure.message }, now())
        if (failed) announce(failed)
        return
      }
      onError(error, `scheduled message ${id}`)
      await postponeSchedule(db, id, new Date(clock.now() + RETRY_DELAY_MS))
    }
  }

  /** Sends the messages of one Project in order, until its turn has ended. Returns whether all were sent. */
  async function sendInOrder(due: DueSchedule[]): Promise<boolean> {
    const end = clock.monotonic() + PROJECT_TIME_SLICE_MS
    for (const one of due) {
      if (clock.monotonic() > end) return false
      await trySend(one).catch((error: unknown) => onError(error, `scheduled message ${one.id}`))
    }
    return true
  }

  async function run(): Promise<boolean> {
    const found = await findDueSchedules(db, new Date(clock.now() + LOOKAHEAD_MS), DUE_BATCH_SIZE)
    const due = found.filter(({ dueAt }) => dueAt <= now())
    const later = found.filter(({ dueAt }) => dueAt > now()).map(({ dueAt }) => dueAt.getTime())
    nextAt = Math.min(...later, Infinity)
    const waiting = [...Map.groupBy(due, ({ projectId }) => projectId).values()]
    let isMore = due.length > 0 && found.length === DUE_BATCH_SIZE
    const worker = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        if (!(await sendInOrder(next))) isMore = true
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
    return isMore
  }

  const everyMs = () => Math.min(UNWATCHED_POLL_MS, Math.max(MIN_POLL_MS, nextAt - clock.now()))
  const loop = createLoop({
    task: 'sending scheduled messages',
    clock,
    activity,
    everyMs,
    run,
    onError,
  })
  const unwatch = dueWatch.watch(
    (at) => anyScheduleDue(db, new Date(at.getTime() + LOOKAHEAD_MS)),
    loop.wake,
  )
  return {
    async stop() {
      unwatch()
      await loop.stop()
    },
  }
}

/** Returns the error of a schedule for a refused send, or null if the send may succeed later. */
function errorOf({ kind, details }: Failure): ScheduleError | null {
  switch (details.reason) {
    case 'INSTANCE_NOT_CONNECTED':
    case 'SUBSCRIPTION_REQUIRED':
    case 'INSUFFICIENT_CREDITS':
    case 'DAILY_CAP_REACHED':
    case 'PACE_LIMIT':
    case 'API_NOT_ENABLED':
      return details.reason
    default:
  }
  switch (kind) {
    case 'unauthorized':
      return 'KEY_REFUSED'
    case 'forbidden':
      return 'PROJECT_INACTIVE'
    case 'payment_required':
      return 'PANEL_NOT_ENABLED'
    case 'not_found':
      return 'NOT_FOUND'
    case 'conflict':
    case 'bad_request':
    case 'payload_too_large':
    case 'unsupported_media_type':
      return 'INVALID'
    default:
      return null
  }
}
