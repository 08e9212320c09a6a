import type { Db, Scope } from '../db/sql.ts'
import { within, ownedBy, ownerOf } from '../db/sql.ts'

/**
 * Takes the key for this transaction; false when it is taken. Waits for a twin that is under way on any node,
 * since its row is not committed yet, for at most 4 s. A key older than `expiredBefore` is free again.
 */
export async function takeKey(
  db: Db,
  scope: Scope,
  take: { key: string; fingerprint: Buffer; now: Date; expiredBefore: Date },
): Promise<boolean> {
  await db.system`set local lock_timeout = '4s'`
  const rows = await db.scoped`
    insert into idempotency (project_id, mode, key, fingerprint, created_at)
    values (${ownerOf(db, scope)}, ${take.key}, ${take.fingerprint}, ${take.now})
    on conflict (project_id, mode, key) do update
      set fingerprint = excluded.fingerprint, created_at = excluded.created_at, status = null, body = null
      where idempotency.created_at < ${take.expiredBefore}
    returning key`
  return rows.length > 0
}

export async function keepAnswer(
  db: Db,
  scope: Scope,
  key: string,
  answer: { status: number; body: string },
): Promise<void> {
  await db.scoped`
    update idempotency set status = ${answer.status}, body = ${answer.body}
    where ${ownedBy(db, scope)} and key = ${key}`
}

export async function findAnswer(db: Db, scope: Scope, key: string, now: Date) {
  const [row] = await db.scoped<
    { fingerprint: Buffer; status: number | null; body: string | null }[]
  >`
    select fingerprint, status, body from idempotency
    where ${within(db, scope, now)} and key = ${key}`
  return row ?? null
}

/** Forgets keys made before `before`. */
export async function sweepKeys(db: Db, before: Date): Promise<void> {
  await db.system`delete from idempotency where created_at < ${before}`
}
