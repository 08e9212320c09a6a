import { SENT, WAMID } from '../networks/cloud-api/sent-messages.ts'
import type { Db } from '../platform/db/sql.ts'
import { byteas, movingProjects } from '../platform/db/sql.ts'
import type { Ownership } from './instances.sql.ts'

/** Credentials to load: the one with this `id`, or all of the kind if `id` is null. */
export type CredentialRequest = { instanceId: string; kind: string; id: string | null }
/** A sealed credential; `position` is the index of the request that it belongs to. */
export type StoredCredential = { position: number; id: string; sealed: Buffer }

/** Loads the credentials that several instances request in one statement; each row has the index of its request. */
export async function loadCredentials(
  db: Db,
  wanted: CredentialRequest[],
): Promise<StoredCredential[]> {
  return db.system<StoredCredential[]>`
    select (w.position - 1)::int as position, c.id, c.sealed
    from unnest(${wanted.map((one) => one.instanceId)}::text[], ${wanted.map((one) => one.kind)}::text[],
      ${wanted.map((one) => one.id)}::text[]) with ordinality as w(instance_id, kind, id, position)
    join instance_credential c on c.instance_id = w.instance_id and c.kind = w.kind
      and (w.id is null or c.id = w.id)`
}

/** Loads the credentials of an instance with these ids, in one statement. */
export async function loadCredentialsById(
  db: Db,
  instanceId: string,
  kind: string,
  ids: string[],
): Promise<Pick<StoredCredential, 'id' | 'sealed'>[]> {
  return db.system<Pick<StoredCredential, 'id' | 'sealed'>[]>`
    select id, sealed from instance_credential
    where instance_id = ${instanceId} and kind = ${kind} and id = any(${ids})`
}

/**
 * Upserts credentials, and deletes those whose `sealed` is null, in one statement, provided `owner` owns the instance
 * or is null. Returns false if it does not own it.
 */
export async function saveCredentials(
  db: Db,
  instanceId: string,
  owner: Ownership | null,
  entries: { kind: string; id: string; sealed: Buffer | null; expiresAt: Date | null }[],
): Promise<boolean> {
  const { node = null, epoch = null } = owner ?? {}
  const [row] = await db.system<{ owned: boolean }[]>`
    with owned as materialized (
      select id from instance
      where id = ${instanceId} and owner_node = ${node} and owner_epoch = ${epoch} for share),
    input as materialized (
      select * from unnest(
        ${entries.map((entry) => entry.kind)}::text[],
        ${entries.map((entry) => entry.id)}::text[],
        ${byteas(
          db,
          entries.map((entry) => entry.sealed),
        )}::bytea[],
        ${entries.map((entry) => entry.expiresAt?.toISOString() ?? null)}::timestamptz[]) as t(kind, id, sealed, expires_at)
      where ${node}::text is null or exists (select from owned)),
    gone as (
      delete from instance_credential c using input i
      where c.instance_id = ${instanceId} and c.kind = i.kind and c.id = i.id and i.sealed is null),
    saved as (
      insert into instance_credential (instance_id, kind, id, sealed, expires_at)
      select ${instanceId}, kind, id, sealed, expires_at from input where sealed is not null
      on conflict (instance_id, kind, id)
        do update set sealed = excluded.sealed, expires_at = excluded.expires_at)
    select ${node}::text is null or exists (select from owned) as owned`
  return row?.owned ?? false
}

/** Deletes expired credentials. */
export async function sweepCredentials(db: Db, now: Date): Promise<void> {
  await db.system`
    delete from instance_credential where expires_at <= ${now} and instance_id not in (
      select id from instance where project_id = any(${movingProjects(db)}))`
}

/** Kinds that record sent messages, for networks with non-idempotent sends. They outlive a logout. */
const LEDGER = [SENT, WAMID]

/** Deletes all credentials of an instance, unless a live node other than `owner` owns it; returns whether it did. */
export async function clearCredentials(
  db: Db,
  instanceId: string,
  owner: Ownership | null,
): Promise<boolean> {
  const { node = null, epoch = null } = owner ?? {}
  const [row] = await db.system<{ foreign: boolean }[]>`
    with held as materialized (
      select i.owner_node, i.owner_epoch from instance i where i.id = ${instanceId} for share),
    taken as materialized (
      select 1 from held h join node n on n.id = h.owner_node and n.epoch = h.owner_epoch
      where ${node}::text is not null and (n.id <> ${node} or n.epoch <> ${epoch})),
    gone as (
      delete from instance_credential where instance_id = ${instanceId} and not exists (select from taken))
    select exists (select from taken) as foreign`
  return !row?.foreign
}

/** Blocks connecting until the credentials have been deleted; null unblocks it. */
export async function setUnpairing(db: Db, instanceId: string, at: Date | null): Promise<void> {
  await db.system`update instance set forget_at = ${at} where id = ${instanceId}`
}

/** The condition that instance `i` must not connect before its credentials are deleted: it has no newer pairing. */
export const isUnpairing = (db: Db) =>
  db.sql`(i.forget_at is not null and i.forget_at >= coalesce(i.paired_at, '-infinity'))`

/** The condition that the pairing of instance `i` has been ended, and its credentials must be deleted. */
export const mustDeleteCredentials = (db: Db) =>
  db.sql`(i.deleted_at is not null or i.status = 'LOGGED_OUT' or ${isUnpairing(db)})`

/**
 * Deletes the credentials of an instance whose pairing has been ended; a logout keeps the record of sent messages.
 */
export async function deleteCredentials(db: Db, instanceId: string): Promise<void> {
  await db.system`
    with ended as materialized (
      select id, deleted_at is not null as deleted from instance i
      where id = ${instanceId} and ${mustDeleteCredentials(db)} for update),
    connectable as (update instance i set forget_at = null from ended e where i.id = e.id and i.forget_at is not null)
    delete from instance_credential c using ended e
    where c.instance_id = e.id and (e.deleted or c.kind <> all(${LEDGER}))`
}

/** The condition that credential `c` is a secret, not part of the record of sent messages. */
export const isSecret = (db: Db) => db.sql`c.kind <> all(${LEDGER})`
