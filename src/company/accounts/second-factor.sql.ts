import type { Db } from '../../platform/db/sql.ts'
import type { Language } from '../../kernel/phrases/phrases.ts'

/** The second factor of a user: `sealed` is the TOTP secret, `on` whether sign-in needs it. */
export type SecondFactor = {
  email: string
  sealed: Buffer | null
  on: boolean
  language: Language | null
}

/** Returns the second factor of a user, or null. */
export async function findSecondFactor(
  db: Db,
  userId: string,
  lock = false,
): Promise<SecondFactor | null> {
  const [row] = await db.system<SecondFactor[]>`
    select email, totp_sealed as sealed, totp_on as on, appearance->>'language' as language
    from app_user where id = ${userId}
    ${lock ? db.sql`for no key update` : db.sql``}`
  return row ?? null
}

/** Stores a new secret, pending confirmation; returns false if a second factor is already on. */
export async function storeSecret(db: Db, userId: string, sealed: Buffer): Promise<boolean> {
  const rows = await db.system`
    update app_user set totp_sealed = ${sealed}, totp_step = 0
    where id = ${userId} and not totp_on returning id`
  return rows.length > 0
}

/** Marks a time step as used; returns false if it or a later one was used before. */
export async function useStep(db: Db, userId: string, step: number): Promise<boolean> {
  const rows = await db.system`
    update app_user set totp_step = ${step} where id = ${userId} and totp_step < ${step} returning id`
  return rows.length > 0
}

/** Turns the second factor on and stores the hashes of its recovery codes. */
export async function enableSecondFactor(db: Db, userId: string, codes: Buffer[]): Promise<void> {
  await db.system`update app_user set totp_on = true where id = ${userId}`
  await db.system`delete from recovery_code where user_id = ${userId}`
  for (const hash of codes) {
    await db.system`insert into recovery_code (user_id, hash) values (${userId}, ${hash})`
  }
}

/** Turns the second factor off and deletes its secret and recovery codes. */
export async function disableSecondFactor(db: Db, userId: string): Promise<void> {
  await db.system`update app_user set totp_on = false, totp_sealed = null where id = ${userId}`
  await db.system`delete from recovery_code where user_id = ${userId}`
}

/** Marks a recovery code as used; returns false if it is unknown or already used. */
export async function useRecoveryCode(
  db: Db,
  userId: string,
  hash: Buffer,
  now: Date,
): Promise<boolean> {
  const rows = await db.system`
    update recovery_code set used_at = ${now}
    where user_id = ${userId} and hash = ${hash} and used_at is null returning hash`
  return rows.length > 0
}
