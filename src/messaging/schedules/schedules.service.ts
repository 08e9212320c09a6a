import type { BillingService } from '../../company/billing/billing.service.ts'
import { lockProjects } from '../../company/projects/projects.service.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { disposableUntilKept, type Prepared } from '../../kernel/prepared.ts'
import { newId } from '../../kernel/ids.ts'
import { fail, within } from '../../kernel/phrases/fail.ts'
import { toPage } from '../../kernel/schemas.ts'
import { parseInstant, requireFuture } from '../../kernel/validation.ts'
import type { DeferredFiles } from '../../media/deferred-files.service.ts'
import type { MediaService } from '../../media/media.service.ts'
import { kindNamed } from '../../model/kinds/index.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { anyKind } from '../messages/messages.schemas.ts'
import type { Acceptor } from '../messages/accept-sends.service.ts'
import type { MessagesService, Send } from '../messages/messages.service.ts'
import type { ListSchedulesQuery, ScheduleBody, ScheduledMessage } from './schedules.schemas.ts'
import {
  cancelSchedule,
  countScheduled,
  deleteEnded,
  findSchedule,
  insertSchedule,
  listSchedules,
  type ScheduleRow,
  type StoredSend,
} from './schedules.sql.ts'

const DAY_MS = 24 * 3600_000
const MAX_AHEAD_MS = 90 * DAY_MS
/** Maximum scheduled messages per Project and mode. */
const MAX_SCHEDULED = 10_000
/** Retention of messages that were sent, failed or canceled. */
const ENDED_RETENTION_MS = 30 * DAY_MS

/** A validated message to schedule; its file is already stored. */
export type ScheduleDraft = { message: StoredSend; mediaId: string | null; sendAt: Date }
/** Manages scheduled messages; see `createSchedulesService`. */
export type SchedulesService = ReturnType<typeof createSchedulesService>

/** Creates the service that schedules single messages; `schedules.worker` sends them (G78). */
export function createSchedulesService(deps: {
  clock: Clock
  billing: Pick<BillingService, 'requireSubscription'>
  instances: Pick<InstancesService, 'get'>
  media: Pick<MediaService, 'hold'>
  files: DeferredFiles
  messages: Pick<MessagesService, 'check'>
  acceptor: Pick<Acceptor, 'transact'>
}) {
  const { clock, billing, instances, media, files, messages } = deps
  const { transact } = deps.acceptor
  const now = () => new Date(clock.now())

  async function get(
    db: Db,
    scope: Scope,
    instanceId: string,
    scheduleId: string,
  ): Promise<ScheduleRow> {
    const row = await findSchedule(db, scope, instanceId, scheduleId, now())
    if (row) return row
    await instances.get(db, scope, instanceId)
    throw fail('not_found', (say) => say.schedules.notFound)
  }

  return {
    /**
     * Validates a message to schedule and stores its file, outside of any transaction because a file may take a while.
     * Throws 400, 402 without a subscription in production, 404 for an unknown instance or target.
     */
    async prepare(
      db: Db,
      scope: Scope,
      instanceId: string,
      body: ScheduleBody,
    ): Promise<ScheduleDraft & Prepared> {
      const sendAt = parseInstant('sendAt', body.sendAt)
      anyKind.validateField('message', body.message)
      const send = toSend({ type: 'text', ...body.message })
      await within('message', () => messages.check(db, scope, instanceId, send))
      await billing.requireSubscription(db, scope)
      const stored = { ...send.body, type: send.kind.name }
      const { message, mediaId, discard } = await within('message', () =>
        files.store(db, scope, send.kind, stored),
      )
      return disposableUntilKept({ message, mediaId, sendAt }, discard)
    },

    /**
     * Schedules a prepared message. Throws 400 if its time has passed or is too far
     * ahead, or if too many are scheduled. The time is checked here because a retried
     * request may arrive after it; the count is checked under the Project's lock.
     */
    create: (
      db: Db,
      scope: Scope,
      instanceId: string,
      { message, mediaId, sendAt }: ScheduleDraft,
    ): Promise<ScheduledMessage> =>
      transact(db, scope.projectId, async (tx) => {
        requireFuture('sendAt', sendAt, clock.now())
        if (sendAt.getTime() > clock.now() + MAX_AHEAD_MS)
          throw fail('bad_request', (say) => say.schedules.tooFar, { field: 'sendAt' })
        await lockProjects(tx, [scope.projectId])
        if ((await countScheduled(tx, scope, MAX_SCHEDULED, now())) >= MAX_SCHEDULED)
          throw fail('bad_request', (say) => say.schedules.tooMany)
        if (mediaId !== null) await media.hold(tx, scope, mediaId, false, sendAt.getTime())
        const id = newId('sch', clock.now())
        const row = { id, instanceId, message, mediaId, sendAt }
        const inserted = await insertSchedule(tx, scope, row, now())
        if (!inserted) throw new Error(`insertSchedule returned no row for ${id}`)
        return renderSchedule(inserted)
      }),

    async list(db: Db, scope: Scope, instanceId: string, query: ListSchedulesQuery) {
      const { limit, offset, status = null } = query
      const page = { limit: limit + 1, offset, now: now() }
      const rows = await listSchedules(db, scope, instanceId, status, page)
      if (rows.length === 0) await instances.get(db, scope, instanceId)
      return toPage(rows.map(renderSchedule), limit, offset)
    },

    async get(db: Db, scope: Scope, instanceId: string, scheduleId: string) {
      return renderSchedule(await get(db, scope, instanceId, scheduleId))
    },

    /** Cancels a message. Canceling again changes nothing. Throws 409 if it was sent or has failed. */
    async cancel(db: Db, scope: Scope, instanceId: string, scheduleId: string) {
      const canceled = await cancelSchedule(db, scope, instanceId, scheduleId, now())
      if (canceled) return renderSchedule(canceled)
      const row = await get(db, scope, instanceId, scheduleId)
      if (row.status !== 'canceled')
        throw fail('conflict', (say) => say.schedules.over(row.status === 'failed'))
      return renderSchedule(row)
    },

    /** Deletes messages that ended more than `ENDED_RETENTION_MS` ago. */
    sweep: (db: Db) => deleteEnded(db, new Date(clock.now() - ENDED_RETENTION_MS)),
  }
}

/** Splits a stored message into its kind and the body of the send. */
export function toSend({ type, ...body }: StoredSend): Send {
  const kind = kindNamed(type)
  if (!kind)
    throw fail('internal', (say) => say.http.internal, {
      internal: `unknown kind ${type} in a scheduled message`,
    })
  return { kind, body }
}

function renderSchedule(row: ScheduleRow): ScheduledMessage {
  const { id, instanceId, sendAt, status, message, messageId, errorCode, createdAt, endedAt } = row
  return {
    id,
    instanceId,
    sendAt: sendAt.toISOString(),
    status,
    message,
    messageId,
    error: errorCode === null ? null : { code: errorCode, message: row.errorMessage ?? '' },
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  }
}
