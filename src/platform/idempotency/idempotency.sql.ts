import { IDLE_LIMITS_MS } from '../db/idle-limits.ts'
import type { Db, Scope } from '../db/sql.ts'
import { scopedTo, ownedBy, ownerOf } from '../db/sql.ts'

/**
 * Claims the key for this transaction; returns false if a stored response exists. Waits up to 4 s for an uncommitted
 * request with the same key on any node. A key created before `expiredBefore` can be claimed again.
 */
export async function claimKey(
  db: Db,
  scope: Scope,
  take: { key: string; fingerprint: Buffer; now: Date; expiredBefore: Date },
): Promise<boolean> {
  // The work under the key may wait for its network, or store a file: as `allowWaiting`, in the same statement.
  const limit = String(IDLE_LIMITS_MS.waiting)
  await db.system`
    select set_config('lock_timeout', '4s', true),
      set_config('idle_in_transaction_session_timeout', ${limit}, true)`
  const rows = await db.scoped`
    insert into idempotency (project_id, mode, key, fingerprint, created_at)
    values (${ownerOf(db, scope)}, ${take.key}, ${take.fingerprint}, ${take.now})
    on conflict (project_id, mode, key) do update
      set fingerprint = excluded.fingerprint, created_at = excluded.created_at, status = null, body = null
      where idempotency.created_at < ${take.expiredBefore}
    returning key`
  return rows.length > 0
}

/** Stores the response of a claimed key. */
export async function storeResponse(
  db: Db,
  scope: Scope,
  key: string,
  answer: { status: number; body: string },
): Promise<void> {
  await db.scoped`
    update idempotency set status = ${answer.status}, body = ${answer.body}
    where ${ownedBy(db, scope)} and key = ${key}`
}

/**
 * The stored response of a key with the fingerprint of its request, or null; status and body are null until the
 * response is stored.
 */
export async function findResponse(db: Db, scope: Scope, key: string, now: Date) {
  const [row] = await db.scoped<
    { fingerprint: Buffer; status: number | null; body: string | null }[]
  >`
    select fingerprint, status, body from idempotency
    where ${scopedTo(db, scope, now)} and key = ${key}`
  return row ?? null
}

/** Deletes keys created before `before`. */
export async function deleteExpiredKeys(db: Db, before: Date): Promise<void> {
  await db.system`delete from idempotency where created_at < ${before}`
}
