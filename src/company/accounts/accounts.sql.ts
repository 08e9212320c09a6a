import type { Language } from '../../kernel/phrases/phrases.ts'
import type { Db } from '../../platform/db/sql.ts'

/** A stored user. */
export type UserRow = {
  id: string
  accountId: string
  projectId: string
  email: string
  company: string
  taxId: string
  passwordHash: string
  role: string
  confirmedAt: Date | null
  /** The language that the user chose; null if none. */
  language: Language | null
}

/** Inserts an account. */
export async function insertAccount(
  db: Db,
  account: { id: string; company: string; taxId: string; now: Date },
): Promise<void> {
  await db.system`
    insert into account (id, company, tax_id, created_at)
    values (${account.id}, ${account.company}, ${account.taxId}, ${account.now})`
}

/** Inserts a user; returns false if the email address is taken. */
export async function insertUser(
  db: Db,
  user: {
    id: string
    accountId: string
    email: string
    passwordHash: string
    role: string
    confirmedAt: Date | null
    now: Date
  },
): Promise<boolean> {
  const rows = await db.system`
    insert into app_user (id, account_id, email, password_hash, role, confirmed_at, created_at)
    values (${user.id}, ${user.accountId}, ${user.email}, ${user.passwordHash}, ${user.role},
      ${user.confirmedAt}, ${user.now})
    on conflict (email) do nothing returning id`
  return rows.length > 0
}

/** Returns the user with this email address, or null. */
export async function findUserByEmail(db: Db, email: string): Promise<UserRow | null> {
  const [row] = await db.system<UserRow[]>`
    select u.id, u.account_id, p.id as project_id, u.email, a.company, a.tax_id, u.password_hash,
      u.role, u.confirmed_at, u.appearance->>'language' as language
    from app_user u join account a on a.id = u.account_id join project p on p.account_id = a.id
    where u.email = ${email} and u.removed_at is null`
  return row ?? null
}

/** Stores a token of a mailed link, as its hash. */
export async function insertEmailToken(
  db: Db,
  token: {
    hash: Buffer
    userId: string
    purpose: 'confirm' | 'reset'
    /** The data of the sign-up that requested the link, and its browser; null for a reset. */
    signUp: {
      passwordHash: string
      company: string
      taxId: string
      browserHash: Buffer | null
    } | null
    now: Date
    expiresAt: Date
  },
): Promise<void> {
  const { hash, userId, purpose, signUp, now, expiresAt } = token
  await db.system`
    insert into email_token (hash, user_id, purpose, created_at, expires_at, password_hash, company,
      tax_id, browser_hash)
    values (${hash}, ${userId}, ${purpose}, ${now}, ${expiresAt}, ${signUp?.passwordHash ?? null},
      ${signUp?.company ?? null}, ${signUp?.taxId ?? null}, ${signUp?.browserHash ?? null})`
}

/** The data of an unconfirmed sign-up. */
export type OpenSignUp = {
  userId: string
  email: string
  passwordHash: string
  company: string
  taxId: string
  browserHash: Buffer | null
}

/**
 * Returns the newest unconfirmed sign-up of a link, even an expired or used one, or of a browser;
 * null if there is none.
 */
export async function findOpenSignUp(
  db: Db,
  by: { hash: Buffer } | { browserHash: Buffer },
): Promise<OpenSignUp | null> {
  const which =
    'hash' in by
      ? db.sql`t.hash = ${by.hash}`
      : db.sql`t.browser_hash = ${by.browserHash} and t.browser_hash is not null`
  const [row] = await db.system<OpenSignUp[]>`
    select u.id as user_id, u.email, coalesce(t.password_hash, u.password_hash) as password_hash,
      coalesce(t.company, a.company) as company, coalesce(t.tax_id, a.tax_id) as tax_id, t.browser_hash
    from email_token t join app_user u on u.id = t.user_id join account a on a.id = u.account_id
    where ${which} and t.purpose = 'confirm' and u.confirmed_at is null and u.removed_at is null
    order by t.created_at desc limit 1`
  return row ?? null
}

/** Whether a password reset link is valid; checked before a password is hashed for an unauthenticated caller. */
export async function isResetTokenValid(db: Db, hash: Buffer, now: Date): Promise<boolean> {
  const rows = await db.system`
    select 1 from email_token
    where hash = ${hash} and purpose = 'reset' and used_at is null and expires_at > ${now}`
  return rows.length > 0
}

/**
 * Invalidates all reset links and any pending email change of the link's user, sets the password,
 * and returns the user; null if the link is unknown, used or expired.
 */
export async function resetPassword(
  db: Db,
  hash: Buffer,
  passwordHash: string,
  now: Date,
): Promise<{ id: string; email: string; language: Language | null } | null> {
  // The row lock serializes concurrent uses of several links of one user.
  const [user] = await db.system<{ id: string; email: string; language: Language | null }[]>`
    select u.id, u.email, u.appearance->>'language' as language from app_user u
    where u.removed_at is null and u.id = (
      select user_id from email_token where hash = ${hash} and purpose = 'reset')
    for no key update`
  if (!user) return null
  const used = await db.system`
    update email_token set used_at = ${now}
    where hash = ${hash} and used_at is null and expires_at > ${now} returning hash`
  if (used.length === 0) return null
  await db.system`
    update email_token set used_at = ${now}
    where user_id = ${user.id} and purpose = 'reset' and used_at is null`
  await db.system`delete from email_change where user_id = ${user.id}`
  await db.system`
    update app_user set password_hash = ${passwordHash}, confirmed_at = coalesce(confirmed_at, ${now})
    where id = ${user.id}`
  return user
}

/**
 * Confirms the user of a token with the data of the sign-up that requested it, and invalidates all
 * other confirmation links of the user. Returns null if the token is unknown, used or expired.
 */
export async function confirmUser(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<{ userId: string; passwordHash: string; browserHash: Buffer | null } | null> {
  const [row] = await db.system<
    { userId: string; passwordHash: string; browserHash: Buffer | null }[]
  >`
    with found as materialized (
      select t.user_id, t.password_hash, t.company, t.tax_id, t.browser_hash
      from email_token t join app_user u on u.id = t.user_id
      where t.hash = ${hash} and t.purpose = 'confirm' and t.used_at is null and t.expires_at > ${now}
        and u.confirmed_at is null
      for no key update of u),
    used as (
      update email_token t set used_at = ${now} from found f
      where t.user_id = f.user_id and t.purpose = 'confirm' and t.used_at is null),
    confirmed as (
      update app_user u set confirmed_at = ${now},
        password_hash = coalesce(f.password_hash, u.password_hash)
      from found f where u.id = f.user_id and u.confirmed_at is null
      returning u.id, u.password_hash, u.account_id, f.company, f.tax_id, f.browser_hash)
    update account a set company = coalesce(c.company, a.company), tax_id = coalesce(c.tax_id, a.tax_id)
    from confirmed c where a.id = c.account_id
    returning c.id as user_id, c.password_hash, c.browser_hash`
  return row ?? null
}

/** Returns the password hash of a user, or null. */
export async function findPasswordHash(db: Db, userId: string): Promise<string | null> {
  const [row] = await db.system<{ passwordHash: string }[]>`
    select password_hash from app_user where id = ${userId} and removed_at is null`
  return row?.passwordHash ?? null
}

/** Marks a user as removed and frees their address, so that they can join an account again. */
export async function removeUser(db: Db, id: string, now: Date): Promise<void> {
  await db.system`delete from email_change where user_id = ${id}`
  await db.system`update email_token set used_at = ${now} where user_id = ${id} and used_at is null`
  await db.system`update app_user set removed_at = ${now}, email = 'removido:' || id, name = null where id = ${id}`
}

/** Frees an address held by an unconfirmed sign-up, for a person who has proved that it is theirs. */
export async function releaseUnconfirmedAddress(db: Db, email: string, now: Date): Promise<void> {
  const rows = await db.system<{ id: string }[]>`
    select id from app_user
    where email = ${email} and removed_at is null and confirmed_at is null for update`
  for (const { id } of rows) await removeUser(db, id, now)
}
