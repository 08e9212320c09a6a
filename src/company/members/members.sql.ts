import { hasPermission, OWNER, ROLES } from '../../kernel/permissions.ts'
import {
  accessGranted,
  projectOf,
  type Db,
  type Fragment,
  type Scope,
} from '../../platform/db/sql.ts'
import type { Role } from '../accounts/accounts.schemas.ts'

/** A stored member. */
export type MemberRow = {
  id: string
  email: string
  name: string | null
  role: Role
  secondFactor: boolean
  createdAt: Date
  lastSignInAt: Date | null
}
/** A stored invitation. */
export type InvitationRow = {
  id: string
  email: string
  role: Role
  createdAt: Date
  expiresAt: Date
}

/** Locks an account until the transaction ends, which serializes changes to its members. */
export async function lockAccount(db: Db, accountId: string): Promise<void> {
  await db.system`select 1 from account where id = ${accountId} for no key update`
}

/** Returns the current account and role of a user, or null if they were removed. */
export async function findMember(
  db: Db,
  userId: string,
): Promise<{ accountId: string; role: Role } | null> {
  const [row] = await db.system<{ accountId: string; role: Role }[]>`
    select account_id, role from app_user where id = ${userId} and removed_at is null`
  return row ?? null
}

/** The address and company that an invitation names. */
export async function findInviter(
  db: Db,
  userId: string,
): Promise<{ inviter: string; company: string }> {
  const [row] = await db.system<{ inviter: string; company: string }[]>`
    select u.email as inviter, a.company
    from app_user u join account a on a.id = u.account_id where u.id = ${userId}`
  if (!row) throw new Error(`findInviter: user ${userId} does not exist`)
  return row
}

/** Lists the members of an account, in the order in which they joined. */
export async function listMembers(db: Db, accountId: string): Promise<MemberRow[]> {
  return db.system<MemberRow[]>`
    select u.id, u.email, u.name, u.role, u.totp_on as second_factor, u.created_at,
      (select max(s.created_at) from session s where s.user_id = u.id) as last_sign_in_at
    from app_user u where u.account_id = ${accountId} and u.removed_at is null order by u.id`
}

/** Lists the members of the account that owns a scope's Project, in the order in which they joined. */
export async function listProjectMembers(
  db: Db,
  scope: Scope,
  now: Date,
): Promise<Pick<MemberRow, 'id' | 'email' | 'name' | 'role'>[]> {
  return db.scoped<Pick<MemberRow, 'id' | 'email' | 'name' | 'role'>[]>`
    select u.id, u.email, u.name, u.role from app_user u join project p on p.account_id = u.account_id
    where ${accessGranted(db, scope, now)} and p.id = ${projectOf(db, scope)} and u.removed_at is null
    order by u.id`
}

/** Lists the pending invitations of an account, oldest first. */
export async function listInvitations(
  db: Db,
  accountId: string,
  now: Date,
): Promise<InvitationRow[]> {
  return db.system<InvitationRow[]>`
    select id, email, role, created_at, expires_at from invitation
    where account_id = ${accountId} and accepted_at is null and expires_at > ${now} order by id`
}

/** Whether a user of any account has this address; one who never confirmed it does not. */
export async function isTaken(db: Db, email: string): Promise<boolean> {
  const rows = await db.system`
    select 1 from app_user
    where email = ${email} and removed_at is null and confirmed_at is not null`
  return rows.length > 0
}

/** Selects the invitations `i` whose inviter may still grant their role. */
const inviterMayStillInvite = (db: Db): Fragment => {
  const inviters = ROLES.filter((role) => hasPermission(role, 'manageMembers'))
  const appointers = inviters.filter((role) => hasPermission(role, 'appointOwners'))
  return db.sql`(i.invited_by is null or exists (
    select 1 from app_user u where u.id = i.invited_by and u.removed_at is null and u.account_id = i.account_id
      and u.role = any(case when i.role = ${OWNER} then ${appointers}::text[] else ${inviters}::text[] end)))`
}

/** Stores an invitation; replaces an earlier one to the same address. */
export async function putInvitation(
  db: Db,
  invitation: InvitationRow & { hash: Buffer; accountId: string; invitedBy: string },
): Promise<void> {
  const { id, hash, accountId, invitedBy, email, role, createdAt, expiresAt } = invitation
  await db.system`
    insert into invitation as i (id, hash, account_id, invited_by, email, role, created_at, expires_at)
    values (${id}, ${hash}, ${accountId}, ${invitedBy}, ${email}, ${role}, ${createdAt}, ${expiresAt})
    on conflict (account_id, email) do update set id = excluded.id, hash = excluded.hash,
      invited_by = excluded.invited_by, role = excluded.role, created_at = excluded.created_at, expires_at = excluded.expires_at,
      accepted_at = null`
}

/** Deletes an invitation; returns whether it existed. */
export async function deleteInvitation(db: Db, accountId: string, id: string): Promise<boolean> {
  const rows = await db.system`
    delete from invitation
    where account_id = ${accountId} and id = ${id} and accepted_at is null returning id`
  return rows.length > 0
}

/** Returns the account of an invitation, or null if it is unknown, used or expired. */
export async function findInvited(db: Db, hash: Buffer, now: Date): Promise<string | null> {
  const [row] = await db.system<{ accountId: string }[]>`
    select i.account_id from invitation i
    where i.hash = ${hash} and i.accepted_at is null and i.expires_at > ${now} and ${inviterMayStillInvite(db)}`
  return row?.accountId ?? null
}

/** Returns what the recipient of an invitation sees, or null if it is unknown, used or expired. */
export async function readInvitation(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<{ company: string; email: string; role: Role } | null> {
  const [row] = await db.system<{ company: string; email: string; role: Role }[]>`
    select a.company, i.email, i.role from invitation i join account a on a.id = i.account_id
    where i.hash = ${hash} and i.accepted_at is null and i.expires_at > ${now} and ${inviterMayStillInvite(db)}`
  return row ?? null
}

/** Marks an invitation as accepted and returns it, or null if it is unknown, used or expired. */
export async function consumeInvitation(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<{ accountId: string; email: string; role: Role } | null> {
  const [row] = await db.system<{ accountId: string; email: string; role: Role }[]>`
    update invitation i set accepted_at = ${now}
    where i.hash = ${hash} and i.accepted_at is null and i.expires_at > ${now} and ${inviterMayStillInvite(db)}
    returning account_id, email, role`
  return row ?? null
}

/** Inserts the user; returns false if the address is taken. */
export async function putMember(
  db: Db,
  member: {
    id: string
    accountId: string
    email: string
    name: string | null
    role: Role
    passwordHash: string
    now: Date
  },
): Promise<boolean> {
  const { id, accountId, email, name, role, passwordHash, now } = member
  const rows = await db.system`
    insert into app_user (id, account_id, email, name, password_hash, role, confirmed_at, created_at)
    values (${id}, ${accountId}, ${email}, ${name}, ${passwordHash}, ${role}, ${now}, ${now})
    on conflict (email) do nothing returning id`
  return rows.length > 0
}

/** Changes the role of a user. */
export async function setRole(db: Db, id: string, role: Role): Promise<void> {
  await db.system`update app_user set role = ${role} where id = ${id}`
}
