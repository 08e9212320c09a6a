import type { Db } from '../db/sql.ts'

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
}

export async function insertAccount(
  db: Db,
  account: { id: string; company: string; taxId: string; now: Date },
): Promise<void> {
  await db.sql`
    insert into account (id, company, tax_id, created_at)
    values (${account.id}, ${account.company}, ${account.taxId}, ${account.now})`
}

/** False when the e-mail is taken. */
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
  const rows = await db.sql`
    insert into app_user (id, account_id, email, password_hash, role, confirmed_at, created_at)
    values (${user.id}, ${user.accountId}, ${user.email}, ${user.passwordHash}, ${user.role},
      ${user.confirmedAt}, ${user.now})
    on conflict (email) do nothing returning id`
  return rows.length > 0
}

export async function findUserByEmail(db: Db, email: string): Promise<UserRow | null> {
  const [row] = await db.sql<UserRow[]>`
    select u.id, u.account_id, p.id as project_id, u.email, a.company, a.tax_id, u.password_hash,
      u.role, u.confirmed_at
    from app_user u join account a on a.id = u.account_id join project p on p.account_id = a.id
    where u.email = ${email} and u.removed_at is null`
  return row ?? null
}

export async function insertEmailToken(
  db: Db,
  token: {
    hash: Buffer
    userId: string
    purpose: 'confirm' | 'reset'
    now: Date
    expiresAt: Date
  },
): Promise<void> {
  await db.sql`
    insert into email_token (hash, user_id, purpose, created_at, expires_at)
    values (${token.hash}, ${token.userId}, ${token.purpose}, ${token.now}, ${token.expiresAt})`
}

/** Uses the token up, and all others of its kind that its user has; sets the password and answers whose it is. */
export async function resetPassword(
  db: Db,
  hash: Buffer,
  passwordHash: string,
  now: Date,
): Promise<{ id: string; email: string } | null> {
  const [row] = await db.sql<{ id: string; email: string }[]>`
    with found as (
      select user_id from email_token
      where hash = ${hash} and purpose = 'reset' and used_at is null and expires_at > ${now}
      for update),
    used as (
      update email_token t set used_at = ${now} from found f
      where t.user_id = f.user_id and t.purpose = 'reset' and t.used_at is null)
    update app_user u set password_hash = ${passwordHash}, confirmed_at = coalesce(confirmed_at, ${now})
    from found f where u.id = f.user_id returning u.id, u.email`
  return row ?? null
}

/** Uses up the token and confirms its user; false when it is unknown, used or past its time. */
export async function confirmUser(db: Db, hash: Buffer, now: Date): Promise<boolean> {
  const rows = await db.sql`
    with used as (
      update email_token set used_at = ${now}
      where hash = ${hash} and purpose = 'confirm' and used_at is null and expires_at > ${now}
      returning user_id)
    update app_user set confirmed_at = coalesce(confirmed_at, ${now})
    where id in (select user_id from used) returning id`
  return rows.length > 0
}
