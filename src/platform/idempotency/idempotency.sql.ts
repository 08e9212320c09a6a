import type { Db, Fragment, Scope } from '../db/sql.ts'
import { movingProjects, scopedTo, ownedBy, ownerOf } from '../db/sql.ts'

/** A key and the request that uses it. */
type Claim = { key: string; fingerprint: Buffer; now: Date; expiredBefore: Date }

/** Whether the key of a stored row may be used again: it has expired, or its request was interrupted. */
const isFree = (db: Db, { now, expiredBefore }: Claim): Fragment => db.sql`(
  idempotency.created_at < ${expiredBefore} or (idempotency.status is null and idempotency.claimed_until < ${now}))`

/**
 * Claims the key for this transaction; returns false if another request has it. Waits up to 4 s for an uncommitted
 * request with the same key on any node; the limit does not apply to the statements after it.
 */
export async function claimKey(db: Db, scope: Scope, claim: Claim): Promise<boolean> {
  const { key, fingerprint, now } = claim
  const rows = await db.scoped`
    with limited as materialized (select set_config('lock_timeout', '4s', true))
    insert into idempotency (project_id, mode, key, fingerprint, created_at)
    select ${ownerOf(db, scope)}, ${key}, ${fingerprint}, ${now}::timestamptz from limited
    on conflict (project_id, mode, key) do update
      set fingerprint = excluded.fingerprint, created_at = excluded.created_at, status = null, body = null,
        claimed_until = null
      where ${isFree(db, claim)}
    returning set_config('lock_timeout', '0', true)`
  return rows.length > 0
}

/** Claims the key until a time, for a request that ends in no transaction; returns false if another request has it. */
export async function leaseKey(
  db: Db,
  scope: Scope,
  claim: Claim & { until: Date },
): Promise<boolean> {
  const { key, fingerprint, now, until } = claim
  const rows = await db.scoped`
    insert into idempotency (project_id, mode, key, fingerprint, created_at, claimed_until)
    values (${ownerOf(db, scope)}, ${key}, ${fingerprint}, ${now}, ${until})
    on conflict (project_id, mode, key) do update
      set fingerprint = excluded.fingerprint, created_at = excluded.created_at, status = null, body = null,
        claimed_until = excluded.claimed_until
      where ${isFree(db, claim)}
    returning key`
  return rows.length > 0
}

/** Gives up a leased key whose request has failed. */
export async function releaseKey(db: Db, scope: Scope, key: string, until: Date): Promise<void> {
  await db.scoped`
    delete from idempotency where ${ownedBy(db, scope)} and key = ${key}
      and status is null and claimed_until = ${until}`
}

/** Stores the response of a claimed key. */
export async function storeResponse(
  db: Db,
  scope: Scope,
  key: string,
  answer: { status: number; body: string },
  /** Until when the key was leased; null if this transaction claimed it. */
  until: Date | null,
): Promise<void> {
  await db.scoped`
    update idempotency set status = ${answer.status}, body = ${answer.body}
    where ${ownedBy(db, scope)} and key = ${key} and claimed_until is not distinct from ${until}::timestamptz`
}

/**
 * The stored response of a key with the fingerprint of its request, or null; status and body are null until the
 * response is stored.
 */
export async function findResponse(
  db: Db,
  scope: Scope,
  { key, now, expiredBefore }: Pick<Claim, 'key' | 'now' | 'expiredBefore'>,
) {
  const [row] = await db.scoped<
    { fingerprint: Buffer; status: number | null; body: string | null }[]
  >`
    select fingerprint, status, body from idempotency
    where ${scopedTo(db, scope, now)} and key = ${key} and created_at >= ${expiredBefore}`
  return row ?? null
}

/** Deletes keys created before `before`. */
export async function deleteExpiredKeys(db: Db, before: Date): Promise<void> {
  await db.system`
    delete from idempotency where created_at < ${before} and project_id <> all(${movingProjects(db)})`
}
