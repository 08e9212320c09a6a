import type { Language } from '../../kernel/phrases/phrases.ts'
import type { Db } from '../../platform/db/sql.ts'
import { releaseUnconfirmedAddress } from './accounts.sql.ts'

/** Stores a pending email change; replaces an earlier one. */
export async function putChange(
  db: Db,
  change: { userId: string; email: string; oldHash: Buffer; newHash: Buffer; expiresAt: Date },
): Promise<void> {
  const { userId, email, oldHash, newHash, expiresAt } = change
  await db.system`
    insert into email_change as c (user_id, email, old_hash, new_hash, expires_at)
    values (${userId}, ${email}, ${oldHash}, ${newHash}, ${expiresAt})
    on conflict (user_id) do update set email = excluded.email, old_hash = excluded.old_hash,
      new_hash = excluded.new_hash, expires_at = excluded.expires_at, old_confirmed_at = null,
      new_confirmed_at = null`
}

/**
 * Records the confirmation of one of the addresses. Returns the change, with `confirmed` once both
 * have confirmed, or null if the link is unknown or expired.
 */
export async function confirmChange(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<{ userId: string; email: string; confirmed: boolean } | null> {
  const [row] = await db.system<{ userId: string; email: string; confirmed: boolean }[]>`
    update email_change set
      old_confirmed_at = case when old_hash = ${hash} then ${now}::timestamptz else old_confirmed_at end,
      new_confirmed_at = case when new_hash = ${hash} then ${now}::timestamptz else new_confirmed_at end
    where (old_hash = ${hash} or new_hash = ${hash}) and expires_at > ${now}
    returning user_id, email,
      old_confirmed_at is not null and new_confirmed_at is not null as confirmed`
  return row ?? null
}

/**
 * Changes the email address of a user and invalidates the links mailed to the old one. Returns
 * false if the new address has been taken since.
 */
export async function applyChange(
  db: Db,
  userId: string,
  email: string,
  now: Date,
): Promise<boolean> {
  await db.system`delete from email_change where user_id = ${userId}`
  await db.system`update email_token set used_at = ${now} where user_id = ${userId} and used_at is null`
  await releaseUnconfirmedAddress(db, email, now)
  const rows = await db.system`
    update app_user set email = ${email}
    where id = ${userId} and removed_at is null and not exists (select 1 from app_user where email = ${email}) returning id`
  return rows.length > 0
}

/** Returns the email address of a user, or null. */
export async function findAddress(
  db: Db,
  userId: string,
): Promise<{ email: string; language: Language | null } | null> {
  const [row] = await db.system<{ email: string; language: Language | null }[]>`
    select email, appearance->>'language' as language
    from app_user where id = ${userId} and removed_at is null`
  return row ?? null
}
