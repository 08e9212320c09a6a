import type { KeyRestrictions } from '../../kernel/principal.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { timestamps, ownedBy, ownerOf, projectOf } from '../../platform/db/sql.ts'
import { scopedTo } from '../../platform/db/sql.ts'
import type { ProjectStatus, Subscription, UsageMode } from '../../model/vocabulary.ts'

/** A stored key. */
export type KeyRow = {
  id: string
  name: string
  keyPrefix: string
  lastUsedAt: Date | null
  expiresAt: Date | null
  revokedAt: Date | null
  createdAt: Date
  restrictions: KeyRestrictions | null
}

/** Inserts a key, or returns null if the scope already has `most` unrevoked keys. */
export async function insertKey(
  db: Db,
  scope: Scope,
  key: {
    id: string
    name: string
    keyPrefix: string
    secretHash: Buffer
    createdBy: string
    expiresAt: Date | null
    now: Date
    most: number
    restrictions: KeyRestrictions | null
  },
): Promise<KeyRow | null> {
  // The row lock serializes inserts, so that concurrent requests cannot exceed the limit.
  await db.scoped`select 1 from project where id = ${projectOf(db, scope)} for no key update`
  const [row] = await db.scoped<KeyRow[]>`
    insert into api_key (id, project_id, mode, name, key_prefix, secret_hash, created_by, expires_at,
      created_at, restrictions)
    select ${key.id}, ${ownerOf(db, scope)}, ${key.name}, ${key.keyPrefix},
      ${key.secretHash}, ${key.createdBy}, ${key.expiresAt}::timestamptz, ${key.now}::timestamptz,
      ${key.restrictions ? db.sql.json(key.restrictions) : null}::jsonb
    where (select count(*) from api_key
      where ${ownedBy(db, scope)} and revoked_at is null) < ${key.most}
    returning id, name, key_prefix, last_used_at, expires_at, revoked_at, created_at, restrictions`
  return row ?? null
}

/** Lists all keys of the scope, or a page of them, newest first. */
export async function listKeys(
  db: Db,
  scope: Scope,
  page: { limit: number | null; offset: number; now: Date },
): Promise<KeyRow[]> {
  return db.scoped<KeyRow[]>`
    select id, name, key_prefix, last_used_at, expires_at, revoked_at, created_at, restrictions
    from api_key
    where ${scopedTo(db, scope, page.now)} order by id desc limit ${page.limit} offset ${page.offset}`
}

/** Revokes a key; returns whether it was revoked before, or null if it is unknown. The first time counts. */
export async function revokeKey(
  db: Db,
  scope: Scope,
  keyId: string,
  now: Date,
): Promise<{ before: boolean } | null> {
  const [row] = await db.scoped<{ before: boolean }[]>`
    with known as (
      select id, revoked_at is not null as before from api_key
      where ${scopedTo(db, scope, now)} and id = ${keyId} for update)
    update api_key k set revoked_at = coalesce(k.revoked_at, ${now})
    from known where k.id = known.id returning known.before`
  return row ?? null
}

/** The calling key with its Project and credits. */
export type CallerRow = {
  id: string
  name: string
  keyPrefix: string
  expiresAt: Date | null
  restrictions: KeyRestrictions | null
  projectId: string
  projectName: string
  status: ProjectStatus
  usageMode: UsageMode
  defaultCountry: string | null
  subscription: Subscription
  addons: string[]
  credits: number
}

/** Returns the key of the scope with its Project and credits. */
export async function describeCaller(db: Db, scope: Scope, now: Date): Promise<CallerRow | null> {
  const [row] = await db.scoped<CallerRow[]>`
    select k.id, k.name, k.key_prefix, k.expires_at, k.restrictions, p.id as project_id, p.name as project_name, p.status,
      p.usage_mode, p.default_country, p.subscription, p.addons, b.credits
    from api_key k join project p on p.id = k.project_id join balance b on b.project_id = p.id
    where ${scopedTo(db, scope, now, 'k')} and k.id = ${scope.keyId}`
  return row ?? null
}

/** The immutable properties of a key that authenticate its requests. */
export type KeyAccess = {
  id: string
  projectId: string
  mode: 'test' | 'production'
  restrictions: KeyRestrictions | null
}

/** Returns the key with this hash, or null. */
export async function findKeyByHash(db: Db, secretHash: Buffer): Promise<KeyAccess | null> {
  const [row] = await db.system<KeyAccess[]>`
    select id, project_id, mode, restrictions from api_key where secret_hash = ${secretHash}`
  return row ?? null
}

/** Throws a database error, whose code is the reason, if the key may not be used now. */
export async function checkKey(db: Db, keyId: string, now: Date): Promise<void> {
  await db.system`select access_granted(${keyId}, ${now})`
}

/** Returns those of the keys that may not be used now, each with the reason's error code. */
export async function findRefused(
  db: Db,
  keyIds: string[],
  now: Date,
): Promise<{ id: string; code: string }[]> {
  return db.system`
    select id, code from unnest(${keyIds}::text[]) as k(id),
      lateral (select access_refusal(id, ${now}::timestamptz) as code) r
    where code is not null`
}

/** Stores when keys were last used. */
export async function touchKeys(db: Db, uses: { keyId: string; at: Date }[]): Promise<void> {
  await db.system`
    update api_key k set last_used_at = greatest(k.last_used_at, u.at)
    from unnest(${uses.map((use) => use.keyId)}::text[], ${timestamps(
      db,
      uses.map((use) => use.at),
    )}::timestamptz[])
      as u(id, at)
    where k.id = u.id`
}
