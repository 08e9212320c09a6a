import type { Mode } from '../../kernel/config/config.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { movingProjects, accessGranted, ownerOf, scopedTo } from '../../platform/db/sql.ts'
import type { ScheduleError, ScheduleStatus } from './schedules.schemas.ts'

/** The body of a send, with its `type`; a file is replaced by its media id. */
export type StoredSend = { type: string }
/** A stored scheduled message. */
export type ScheduleRow = {
  id: string
  projectId: string
  mode: Mode
  instanceId: string
  keyId: string | null
  message: StoredSend
  sendAt: Date
  status: ScheduleStatus
  messageId: string | null
  errorCode: ScheduleError | null
  errorMessage: string | null
  createdAt: Date
  endedAt: Date | null
}

const columns = (
  db: Db,
) => db.sql`id, project_id, mode, instance_id, key_id, message, send_at, status,
  message_id, error_code, error_message, created_at, ended_at`

/** Counts the pending scheduled messages of a scope, up to `most`. */
export async function countScheduled(
  db: Db,
  scope: Scope,
  most: number,
  now: Date,
): Promise<number> {
  const [row] = await db.scoped<{ count: number }[]>`
    select count(*)::int as count from (
      select 1 from scheduled_message
      where ${scopedTo(db, scope, now)} and status = 'scheduled' limit ${most}) t`
  return row?.count ?? 0
}

/** Inserts a scheduled message. */
export async function insertSchedule(
  db: Db,
  scope: Scope,
  row: Pick<ScheduleRow, 'id' | 'instanceId' | 'message' | 'sendAt'> & { mediaId: string | null },
  now: Date,
): Promise<ScheduleRow | null> {
  const { id, instanceId, message, sendAt, mediaId } = row
  const [inserted] = await db.scoped<ScheduleRow[]>`
    insert into scheduled_message (id, project_id, mode, instance_id, key_id, message, media_id, send_at,
      due_at, created_at)
    select ${id}, ${ownerOf(db, scope)}, ${instanceId}, ${scope.keyId}, ${db.sql.json(message)}, ${mediaId},
      ${sendAt}::timestamptz, ${sendAt}::timestamptz, ${now}::timestamptz
    where ${accessGranted(db, scope, now)} returning ${columns(db)}`
  return inserted ?? null
}

/** Lists a page of an instance's scheduled messages by the time they are sent. */
export async function listSchedules(
  db: Db,
  scope: Scope,
  instanceId: string,
  status: ScheduleStatus | null,
  page: { limit: number; offset: number; now: Date },
): Promise<ScheduleRow[]> {
  return db.scoped<ScheduleRow[]>`
    select ${columns(db)} from scheduled_message
    where ${scopedTo(db, scope, page.now)} and instance_id = ${instanceId}
      and (${status}::text is null or status = ${status})
    order by instance_id, send_at, id limit ${page.limit} offset ${page.offset}`
}

/** Returns a scheduled message, or null if it is not in the scope. */
export async function findSchedule(
  db: Db,
  scope: Scope,
  instanceId: string,
  id: string,
  now: Date,
): Promise<ScheduleRow | null> {
  const [row] = await db.scoped<ScheduleRow[]>`
    select ${columns(db)} from scheduled_message
    where ${scopedTo(db, scope, now)} and instance_id = ${instanceId} and id = ${id}`
  return row ?? null
}

/** Cancels a pending message, after waiting for a worker that is sending it. Returns null if it has ended. */
export async function cancelSchedule(
  db: Db,
  scope: Scope,
  instanceId: string,
  id: string,
  now: Date,
): Promise<ScheduleRow | null> {
  const [row] = await db.scoped<ScheduleRow[]>`
    update scheduled_message set status = 'canceled', due_at = 'infinity', ended_at = ${now}
    where ${scopedTo(db, scope, now)} and instance_id = ${instanceId} and id = ${id}
      and status = 'scheduled' returning ${columns(db)}`
  return row ?? null
}

/** A scheduled message that is due now or soon. */
export type DueSchedule = {
  id: string
  projectId: string
  mode: Mode
  instanceId: string
  /** The recipient as it was entered; null if the message names a conversation. */
  to: string | null
  dueAt: Date
}
/** Maximum due messages scanned to choose those to send next. */
const MAX_SCANNED = 2000

/**
 * Returns the next messages that are due before `until`: the first of each Project, then the second of each, so that
 * the backlog of one does not delay the others. Leaves out the Projects in `except`.
 */
export async function findDueSchedules(
  db: Db,
  until: Date,
  which: { most: number; except: readonly string[] },
): Promise<DueSchedule[]> {
  const rows = await db.system<(DueSchedule & { scanned: number })[]>`
    select id, project_id, mode, instance_id, recipient as "to", due_at, scanned from (
      select *, row_number() over (partition by project_id order by due_at, id) as turn,
        count(*) over () ::int as scanned from (
        select id, project_id, mode, instance_id, message->>'to' as recipient, due_at from scheduled_message
        where status = 'scheduled' and due_at <= ${until} and project_id <> all(${movingProjects(db)})
          and project_id <> all(${[...which.except]}::text[])
        order by due_at, id limit ${MAX_SCANNED}) due) turns
    order by turn, due_at, id limit ${which.most}`
  // If the scan limit was reached, the messages of one Project may hide those of others.
  return (rows[0]?.scanned ?? 0) < MAX_SCANNED ? rows : findByProject(db, until, which)
}

/** Like `findDueSchedules`, but Project by Project, which slows down with the number of Projects. */
async function findByProject(
  db: Db,
  until: Date,
  { most, except }: { most: number; except: readonly string[] },
): Promise<DueSchedule[]> {
  return db.system<DueSchedule[]>`
    with recursive scheduling(id) as (
      select min(project_id) from scheduled_message where status = 'scheduled'
      union all
      select (select min(project_id) from scheduled_message where status = 'scheduled' and project_id > p.id)
      from scheduling p where p.id is not null)
    select due.* from scheduling p cross join lateral (
      select id, project_id, mode, instance_id, message->>'to' as "to", due_at from scheduled_message
      where project_id = p.id and status = 'scheduled' and due_at <= ${until}
      order by due_at, id limit ${most}) due
    where p.id <> all(${movingProjects(db)}) and p.id <> all(${[...except]}::text[])
    order by row_number() over (partition by p.id order by due.due_at, due.id), due.due_at, due.id limit ${most}`
}

/** Whether a scheduled message is due by then, of a Project that is not in `except`. */
export const anyScheduleDue = (db: Db, until: Date, except: readonly string[]) =>
  db.sql`exists (select from scheduled_message
    where status = 'scheduled' and due_at <= ${until} and project_id <> all(${movingProjects(db)})
      and project_id <> all(${[...except]}::text[]))`

/** Locks a due message until the transaction ends; null if another node has it or it has ended. */
export async function claimSchedule(db: Db, id: string, now: Date): Promise<ScheduleRow | null> {
  const [row] = await db.system<ScheduleRow[]>`
    select ${columns(db)} from scheduled_message
    where id = ${id} and status = 'scheduled' and due_at <= ${now}
      and project_id <> all(${movingProjects(db)}) for update skip locked`
  return row ?? null
}

/** Records that a message was sent, as the message with this id. */
export async function markSent(db: Db, id: string, messageId: string, now: Date): Promise<void> {
  await db.system`
    update scheduled_message
    set status = 'sent', message_id = ${messageId}, due_at = 'infinity', ended_at = ${now}
    where id = ${id}`
}

/** Records that a message cannot be sent, and returns its scope; null if it has already ended. */
export async function markFailed(
  db: Db,
  id: string,
  error: { code: ScheduleError; message: string },
  now: Date,
): Promise<Pick<ScheduleRow, 'projectId' | 'mode'> | null> {
  const [row] = await db.system<Pick<ScheduleRow, 'projectId' | 'mode'>[]>`
    update scheduled_message set status = 'failed', error_code = ${error.code},
      error_message = ${error.message}, due_at = 'infinity', ended_at = ${now}
    where id = ${id} and status = 'scheduled' returning project_id, mode`
  return row ?? null
}

/** Reschedules a message to `dueAt`. */
export async function postponeSchedule(db: Db, id: string, dueAt: Date): Promise<void> {
  await db.system`
    update scheduled_message set due_at = ${dueAt} where id = ${id} and status = 'scheduled'`
}

/** Deletes messages that ended before this time. */
export async function deleteEnded(db: Db, before: Date): Promise<void> {
  await db.system`
    delete from scheduled_message where status <> 'scheduled' and ended_at < ${before}`
}
