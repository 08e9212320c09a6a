import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import { createPendingWork, type PendingWork } from '../../kernel/pending-work.ts'
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
/** Delay before due messages are selected again, all of which other nodes were sending. */
const TAKEN_RETRY_MS = 1000
/** Maximum time spent on one Project before others that wait have its place. */
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
  /** The Projects whose messages are being sent. */
  const busy = new Set<string>()
  const turns = createPendingWork()
  let isStopped = false
  /** Projects with due messages in the order in which they had their last turn. */
  let served: string[] = []
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

  /** Sends a due message; returns whether it was still due, and not being sent by another node. */
  async function trySend({ id, projectId, mode, instanceId, to }: DueSchedule): Promise<boolean> {
    try {
      // Resolved here, because the transaction must not wait for a network or a second connection.
      if (to !== null)
        await messages.prepareRecipient(db, { projectId, mode, keyId: null }, instanceId, to)
      return await db.transaction(async (tx) => {
        const row = await claimSchedule(tx, id, now())
        if (!row) return false
        await send(tx, row)
        tx.afterCommit(() => announce(row))
        return true
      })
    } catch (error) {
      const failure = error instanceof Failure ? error : accessFailure(error)
      const code = failure && errorOf(failure)
      if (code) {
        const failed = await markFailed(db, id, { code, message: failure.message }, now())
        if (failed) announce(failed)
        return failed !== null
      }
      onError(error, `scheduled message ${id}`)
      await postponeSchedule(db, id, new Date(clock.now() + RETRY_DELAY_MS))
      return true
    }
  }

  /** Sends the messages of one Project in order, until its turn has ended. */
  async function sendInOrder(projectId: string, due: DueSchedule[]): Promise<void> {
    const end = clock.monotonic() + PROJECT_TIME_SLICE_MS
    let anyDone = false
    for (const one of due) {
      if (clock.monotonic() > end || isStopped) break
      try {
        anyDone = (await trySend(one)) || anyDone
      } catch (error) {
        onError(error, `scheduled message ${one.id}`)
      }
    }
    busy.delete(projectId)
    // Without progress, an immediate retry would only repeat itself.
    if (anyDone) loop.wake()
    else clock.after(TAKEN_RETRY_MS, () => loop.wake())
  }

  /** Starts to send what is due. It waits for no Project: a slow one holds one of the places. */
  async function run(): Promise<boolean> {
    // The next one that ends wakes the loop.
    if (busy.size >= CONCURRENCY || isStopped) {
      nextAt = Infinity
      return false
    }
    const until = new Date(clock.now() + LOOKAHEAD_MS)
    const found = await findDueSchedules(db, until, { most: DUE_BATCH_SIZE, except: [...busy] })
    const due = found.filter(({ dueAt }) => dueAt <= now())
    const later = found.filter(({ dueAt }) => dueAt > now()).map(({ dueAt }) => dueAt.getTime())
    nextAt = Math.min(...later, Infinity)
    const byProject = Map.groupBy(due, (one) => one.projectId)
    served = served.filter((id) => busy.has(id) || byProject.has(id))
    // Those that had no turn yet come first.
    const waiting = [...byProject].toSorted(([a], [b]) => served.indexOf(a) - served.indexOf(b))
    for (const [projectId, messages] of waiting.slice(0, CONCURRENCY - busy.size)) {
      busy.add(projectId)
      served = [...served.filter((id) => id !== projectId), projectId]
      void activity.run(() => turns.run(() => sendInOrder(projectId, messages)))
    }
    return false
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
    (at) =>
      busy.size >= CONCURRENCY
        ? null
        : anyScheduleDue(db, new Date(at.getTime() + LOOKAHEAD_MS), [...busy]),
    loop.wake,
  )
  return {
    async stop() {
      isStopped = true
      unwatch()
      await loop.stop()
      await turns.idle()
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
