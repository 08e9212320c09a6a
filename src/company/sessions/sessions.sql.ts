import type { Role } from '../../kernel/permissions.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Appearance, Me } from './sessions.schemas.ts'

/** The browser and time zone of a sign-in; null if the request did not identify them. */
export type Device = { browser: string | null; timeZone: string | null }

/**
 * Opens a session and ends the user's earlier ones; returns false if the user was removed or their password changed
 * since it was checked.
 */
export async function openSession(
  db: Db,
  session: {
    id: string
    userId: string
    passwordHash: string
    network: string
    now: Date
  } & Device,
): Promise<boolean> {
  // The row lock serializes concurrent sign-ins, so that each supersedes the one before it.
  const users = await db.system`
    select 1 from app_user
    where id = ${session.userId} and removed_at is null and password_hash = ${session.passwordHash}
    for no key update`
  if (users.length === 0) return false
  await db.system`
    with superseded as (
      update session set superseded_at = ${session.now}
      where user_id = ${session.userId} and superseded_at is null and ended_at is null)
    insert into session (id, user_id, created_at, browser, time_zone, network)
    values (${session.id}, ${session.userId}, ${session.now}, ${session.browser}, ${session.timeZone},
      ${session.network})`
  return true
}

/** Returns whether the user with this address opened one of their latest sessions from this network. */
export async function hasSignedInFrom(
  db: Db,
  email: string,
  { network, among }: { network: string; among: number },
): Promise<boolean> {
  const rows = await db.system`
    select from (
      select network from session where user_id = (select id from app_user where email = ${email})
      order by created_at desc limit ${among}) s
    where network = ${network} limit 1`
  return rows.length > 0
}

/** Inserts the tokens of a session, as their hashes. */
export async function insertTokens(
  db: Db,
  sessionId: string,
  tokens: { hash: Buffer; kind: 'access' | 'refresh'; expiresAt: Date }[],
): Promise<void> {
  for (const token of tokens) {
    await db.system`
      insert into session_token (hash, session_id, kind, expires_at)
      values (${token.hash}, ${sessionId}, ${token.kind}, ${token.expiresAt})`
  }
}

/** A session with its user and Project. */
export type SessionRow = {
  sessionId: string
  userId: string
  role: Role
  projectId: string
  projectStatus: string
  projectMoves: boolean
  supersededAt: Date | null
  endedAt: Date | null
  expiresAt: Date
}

/** Returns the token with this hash and its session, or null. */
export async function findToken(
  db: Db,
  hash: Buffer,
  kind: 'access' | 'refresh',
): Promise<SessionRow | null> {
  const [row] = await db.system<SessionRow[]>`
    select s.id as session_id, u.id as user_id, u.role, p.id as project_id,
      p.status as project_status, coalesce(p.moving_until > now(), false) as project_moves,
      s.superseded_at, s.ended_at, t.expires_at
    from session_token t join session s on s.id = t.session_id join app_user u on u.id = s.user_id
      join project p on p.account_id = u.account_id
    where t.hash = ${hash} and t.kind = ${kind} and u.removed_at is null`
  return row ?? null
}

/** Returns a user with their company and Project, or null. */
export async function findMe(db: Db, userId: string): Promise<Me | null> {
  const [row] = await db.system<Me[]>`
    select u.id, u.email, u.name, u.role, u.totp_on as second_factor, u.is_operator as operator, u.appearance,
      a.company, p.id as project_id, p.status as project_status, p.usage_mode, p.default_country
    from app_user u join account a on a.id = u.account_id join project p on p.account_id = a.id
    where u.id = ${userId} and u.removed_at is null`
  return row ?? null
}

/** Stores the panel preferences of a user. */
export async function setAppearance(db: Db, userId: string, appearance: Appearance): Promise<void> {
  await db.system`update app_user set appearance = ${db.sql.json(appearance)} where id = ${userId}`
}

/** Stores the display name of a user; null removes it. */
export async function setName(db: Db, userId: string, name: string | null): Promise<void> {
  await db.system`update app_user set name = ${name} where id = ${userId} and removed_at is null`
}

/** Lists the latest sessions of a user, newest first; `endedAt` is when the session was ended or superseded. */
export async function listSessions(
  db: Db,
  userId: string,
  most: number,
): Promise<(Device & { id: string; at: Date; endedAt: Date | null; superseded: boolean })[]> {
  return db.system`
    select id, created_at as at, browser, time_zone, coalesce(superseded_at, ended_at) as ended_at,
      superseded_at is not null as superseded
    from session where user_id = ${userId} order by created_at desc limit ${most}`
}

/** What decides whether a session may still be used, besides its time. */
export type SessionState = {
  supersededAt: Date | null
  endedAt: Date | null
  role: Role
  projectStatus: string
}

/** Returns the state of a session; null if it is unknown or its user was removed. */
export async function findSession(db: Db, sessionId: string): Promise<SessionState | null> {
  const [row] = await db.system<SessionState[]>`
    select s.superseded_at, s.ended_at, u.role, p.status as project_status
    from session s join app_user u on u.id = s.user_id join project p on p.account_id = u.account_id
    where s.id = ${sessionId} and u.removed_at is null`
  return row ?? null
}

/** Returns the session that superseded the session of this refresh token, or null. */
export async function findSuccessor(
  db: Db,
  refreshHash: Buffer,
): Promise<(Device & { at: Date }) | null> {
  const [row] = await db.system<(Device & { at: Date })[]>`
    select later.created_at as at, later.browser, later.time_zone
    from session_token t join session s on s.id = t.session_id
      join session later on later.user_id = s.user_id and later.created_at = s.superseded_at
        and later.id <> s.id
    where t.hash = ${refreshHash} and t.kind = 'refresh' limit 1`
  return row ?? null
}

/** Uses up a refresh token in a renewal; returns false if it was already used. */
export async function useToken(
  db: Db,
  hash: Buffer,
  renewal: Buffer | null,
  now: Date,
): Promise<boolean> {
  const rows = await db.system`
    update session_token set used_at = ${now}, renewal = ${renewal}
    where hash = ${hash} and used_at is null returning hash`
  return rows.length > 0
}

/** Returns whether this renewal used the token, and is the latest of its session. */
export async function isLatestRenewal(db: Db, hash: Buffer, renewal: Buffer): Promise<boolean> {
  const rows = await db.system`
    select from session_token t
    where t.hash = ${hash} and t.renewal = ${renewal} and not exists (
      select from session_token later
      where later.session_id = t.session_id and later.used_at > t.used_at)`
  return rows.length > 0
}

/** Ends a session. */
export async function endSession(db: Db, sessionId: string, now: Date): Promise<void> {
  await db.system`update session set ended_at = coalesce(ended_at, ${now}) where id = ${sessionId}`
}

/** Ends all sessions of a user. */
export async function endSessions(db: Db, userId: string, now: Date): Promise<void> {
  await db.system`
    update session set ended_at = ${now} where user_id = ${userId} and ended_at is null`
}

/** Deletes tokens that expired before `before`. */
export async function sweepSessions(db: Db, before: Date): Promise<void> {
  await db.system`delete from session_token where expires_at < ${before}`
}
