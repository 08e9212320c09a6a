import type { Db, Scope } from '../../platform/db/sql.ts'
import { accessGranted, scopedTo, ownedBy, ownerOf } from '../../platform/db/sql.ts'

/** A row of the `inbox` table. */
export type InboxRow = {
  id: string
  name: string
  answerStatus: number
  /** How many more requests get this response; null for all. */
  answerTimes: number | null
  /** Whether the response is delayed beyond the timeout of a delivery. */
  answerLate: boolean
  createdAt: Date
}

/** Inserts an inbox; returns false, without inserting, if the scope already has `most`. */
export async function insertInbox(
  db: Db,
  scope: Scope,
  inbox: { id: string; name: string; now: Date; most: number },
): Promise<boolean> {
  const rows = await db.scoped`
    insert into inbox (id, project_id, mode, name, created_at)
    select ${inbox.id}, ${ownerOf(db, scope)}, ${inbox.name}, ${inbox.now}::timestamptz
    where ${accessGranted(db, scope, inbox.now)} and (select count(*) from inbox
      where ${ownedBy(db, scope)}) < ${inbox.most}
    returning id`
  return rows.length > 0
}

/** Lists a page of the inboxes of a scope, newest first. */
export async function listInboxes(
  db: Db,
  scope: Scope,
  page: { limit: number; offset: number; now: Date },
): Promise<InboxRow[]> {
  return db.scoped<InboxRow[]>`
    select id, name, answer_status, answer_times, answer_late, created_at from inbox
    where ${scopedTo(db, scope, page.now)} order by id desc limit ${page.limit} offset ${page.offset}`
}

/** Returns an inbox of the scope, or null. */
export async function findInbox(
  db: Db,
  scope: Scope,
  inboxId: string,
  now: Date,
): Promise<InboxRow | null> {
  const [row] = await db.scoped<InboxRow[]>`
    select id, name, answer_status, answer_times, answer_late, created_at from inbox
    where ${scopedTo(db, scope, now)} and id = ${inboxId}`
  return row ?? null
}

/** Sets the response of an inbox; returns the inbox, or null if it is not in the scope. */
export async function setInboxResponse(
  db: Db,
  scope: Scope,
  inboxId: string,
  answer: { status: number; times: number | null; late: boolean },
  now: Date,
): Promise<InboxRow | null> {
  const [row] = await db.scoped<InboxRow[]>`
    update inbox set answer_status = ${answer.status}, answer_times = ${answer.times},
      answer_late = ${answer.late}
    where ${scopedTo(db, scope, now)} and id = ${inboxId}
    returning id, name, answer_status, answer_times, answer_late, created_at`
  return row ?? null
}

/** Deletes an inbox with its requests; returns whether it existed in the scope. */
export async function deleteInbox(
  db: Db,
  scope: Scope,
  inboxId: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    delete from inbox where ${scopedTo(db, scope, now)} and id = ${inboxId} returning id`
  return rows.length > 0
}

/** A row of the `inbox_request` table. */
export type RequestRow = {
  id: number
  method: string
  headers: Record<string, string>
  body: string
  receivedAt: Date
}

/** Lists a page of the requests received by an inbox after `since`, newest first. */
export async function listRequests(
  db: Db,
  scope: Scope,
  page: { inboxId: string; limit: number; offset: number; since: Date; now: Date },
): Promise<RequestRow[]> {
  return db.scoped<RequestRow[]>`
    select r.id, method, headers, body, received_at
    from inbox_request r join inbox i on i.id = r.inbox_id
    where ${scopedTo(db, scope, page.now)} and r.inbox_id = ${page.inboxId}
      and received_at > ${page.since}
    order by r.id desc limit ${page.limit} offset ${page.offset}`
}

/** Returns whether an inbox belongs to this Project and mode. Used by deliveries, which have no key to check. */
export async function inboxExists(
  db: Db,
  scope: Pick<Scope, 'projectId' | 'mode'>,
  inboxId: string,
): Promise<boolean> {
  const rows = await db.scoped`
    select id from inbox where id = ${inboxId} and ${ownedBy(db, scope)}`
  return rows.length > 0
}

/** Returns the Project of an inbox, or null if there is no such inbox. */
export async function findInboxOwner(db: Db, inboxId: string): Promise<string | null> {
  const [row] = await db.system<{ projectId: string }[]>`
    select project_id from inbox where id = ${inboxId}`
  return row?.projectId ?? null
}

/**
 * Stores a request and deletes the oldest ones beyond `maxRequests` requests or `maxBytes` bytes. Returns the response to
 * send, or null if there is no such inbox.
 */
export async function insertRequest(
  db: Db,
  request: {
    inboxId: string
    method: string
    headers: Record<string, string>
    body: string
    /** Size of the body and headers, in bytes. */
    bytes: number
    maxRequests: number
    maxBytes: number
    now: Date
  },
): Promise<{ status: number; late: boolean } | null> {
  const [row] = await db.system<{ status: number; late: boolean }[]>`
    with box as (
      select id, answer_status, answer_late from inbox where id = ${request.inboxId} for update),
    spent as (
      update inbox set answer_times = nullif(answer_times - 1, 0),
        answer_status = case when answer_times = 1 then 200 else answer_status end,
        answer_late = answer_late and answer_times > 1
      where id = ${request.inboxId} and answer_times is not null),
    kept as (
      insert into inbox_request (inbox_id, method, headers, body, received_at)
      select id, ${request.method}, ${db.sql.json(request.headers)}, ${request.body},
        ${request.now}::timestamptz
      from box),
    -- The new row is not visible here: reserve one entry for it, and count its bytes first.
    gone as (
      delete from inbox_request where id in (
        select id from (
          select id, row_number() over newest as place,
            sum(octet_length(body) + octet_length(headers::text)) over newest as bytes
          from inbox_request where inbox_id = ${request.inboxId} window newest as (order by id desc)) r
        where place >= ${request.maxRequests} or bytes + ${request.bytes} > ${request.maxBytes}))
    select answer_status as status, answer_late as late from box`
  return row ?? null
}

/** Deletes the requests received before `before`. */
export async function sweepRequests(db: Db, before: Date): Promise<void> {
  await db.system`delete from inbox_request where received_at < ${before}`
}
