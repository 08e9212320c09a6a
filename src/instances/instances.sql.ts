import type { Mode } from '../kernel/config/config.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { accessGranted, ownedBy, ownerOf, scopedTo } from '../platform/db/sql.ts'
import type { InstanceStatus, DisconnectReason } from '../model/vocabulary.ts'
import type { InstanceNetwork } from '../model/instance-network.schemas.ts'
import { ACCOUNT, KIND } from '../networks/cloud-api/account.ts'
import type { StoredSettings } from './stored-settings.ts'

/** A row of the `instance` table; `pending` is the number of unsent messages. */
export type InstanceRow = {
  id: string
  projectId: string
  mode: Mode
  name: string
  externalId: string | null
  network: InstanceNetwork
  status: InstanceStatus
  phone: string | null
  lid: string | null
  profileName: string | null
  disconnect: { reason: DisconnectReason; at: string; willReconnect: boolean } | null
  restriction: { type: string; until: string | null } | null
  settings: StoredSettings
  qrCode: string | null
  qrAt: Date | null
  qrExpiresAt: Date | null
  qrSequence: number
  pairedAt: Date | null
  connectedAt: Date | null
  disconnectedAt: Date | null
  createdAt: Date
  updatedAt: Date
  deletedAt: Date | null
  pending: number
}

/** Selects the columns of `InstanceRow`. `pending` is counted in the outbox. */
export function instanceColumns(db: Db) {
  return db.system`instance.id, project_id, mode, name, external_id, network, instance.status, phone, lid, profile_name, disconnect,
    restriction, settings, qr_code, qr_at, qr_expires_at, qr_sequence, paired_at, connected_at, disconnected_at,
    created_at, updated_at, deleted_at,
    (select count(*) from outbox o where o.instance_id = instance.id) as pending`
}

/** Inserts an instance with the status CREATED. */
export async function insertInstance(
  db: Db,
  scope: Scope,
  instance: {
    id: string
    name: string
    externalId: string | null
    network: InstanceNetwork
    settings: Partial<StoredSettings>
    now: Date
  },
): Promise<void> {
  await db.scoped`
    insert into instance (id, project_id, mode, name, external_id, network, settings, created_at, updated_at)
    select ${instance.id}, ${ownerOf(db, scope)}, ${instance.name},
      ${instance.externalId}, ${instance.network}, ${db.sql.json(instance.settings)}, ${instance.now}::timestamptz,
      ${instance.now}::timestamptz
    where ${accessGranted(db, scope, instance.now)}`
}

/** Counts the instances of a scope that are not deleted. */
export async function countInstances(db: Db, scope: Scope): Promise<number> {
  const [row] = await db.scoped<{ count: number }[]>`
    select count(*)::int as count from instance where ${ownedBy(db, scope)} and deleted_at is null`
  return row?.count ?? 0
}

/** Returns whether an instance has an account of the official API. */
export async function hasCloudAccount(db: Db, instanceId: string): Promise<boolean> {
  const rows = await db.system`
    select from instance_credential where instance_id = ${instanceId} and kind = ${KIND} and id = ${ACCOUNT}`
  return rows.length > 0
}

/** Returns an instance of the scope, or null. */
export async function findInstance(
  db: Db,
  scope: Scope,
  instanceId: string,
  now: Date,
): Promise<InstanceRow | null> {
  const [row] = await db.scoped<InstanceRow[]>`
    select ${instanceColumns(db)} from instance
    where ${scopedTo(db, scope, now)} and id = ${instanceId} and deleted_at is null`
  return row ?? null
}

/** Lists a page of the instances of a scope, newest first. */
export async function listInstances(
  db: Db,
  scope: Scope,
  page: { limit: number; offset: number; only: string[] | null; now: Date },
): Promise<InstanceRow[]> {
  return db.scoped<InstanceRow[]>`
    select ${instanceColumns(db)} from instance
    where ${scopedTo(db, scope, page.now)} and deleted_at is null
      and (${page.only}::text[] is null or id = any(${page.only}::text[]))
    order by id desc limit ${page.limit} offset ${page.offset}`
}

/** Changes the name, unless null, and the given settings; returns the instance, or null if it is not in the scope. */
export async function updateInstance(
  db: Db,
  scope: Scope,
  instanceId: string,
  patch: { name: string | null; settings: Partial<StoredSettings>; now: Date },
): Promise<InstanceRow | null> {
  const [row] = await db.scoped<InstanceRow[]>`
    update instance set name = coalesce(${patch.name}, name),
      settings = settings || ${db.sql.json(patch.settings)}, updated_at = ${patch.now}
    where ${scopedTo(db, scope, patch.now)} and id = ${instanceId} and deleted_at is null
    returning ${instanceColumns(db)}`
  return row ?? null
}

/** Marks an instance as deleted; returns whether it was in the scope. */
export async function markInstanceDeleted(
  db: Db,
  scope: Scope,
  instanceId: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    update instance set deleted_at = ${now}, updated_at = ${now}, qr_code = null
    where ${scopedTo(db, scope, now)} and id = ${instanceId} and deleted_at is null returning id`
  return rows.length > 0
}

/** The fencing token of a node: its changes apply only while it owns the instance in this epoch. */
export type Ownership = { node: string; epoch: number }

/** Stores a restriction, or null to clear it; returns null if nothing changed or `owner` does not own the instance. */
export async function storeRestriction(
  db: Db,
  instanceId: string,
  owner: Ownership | null,
  restriction: { type: string; until: string | null } | null,
  at: Date,
): Promise<{
  projectId: string
  mode: Mode
  status: InstanceStatus
  phone: string | null
} | null> {
  const stored = restriction ? db.sql.json(restriction) : null
  const { node = null, epoch = null } = owner ?? {}
  const [row] = await db.system<
    { projectId: string; mode: Mode; status: InstanceStatus; phone: string | null }[]
  >`
    update instance set restriction = ${stored}::jsonb, updated_at = ${at}
    where id = ${instanceId} and deleted_at is null
      and restriction is distinct from ${stored}::jsonb
      and (${node}::text is null or (owner_node = ${node} and owner_epoch = ${epoch}))
    returning project_id, mode, status, phone`
  return row ?? null
}

/** Returns whether the instance was ever paired. */
export async function wasPaired(db: Db, instanceId: string): Promise<boolean> {
  const rows = await db.system`
    select id from instance where id = ${instanceId} and paired_at is not null`
  return rows.length > 0
}

/** Returns the Project of an instance, or null if there is no such instance. */
export async function findProjectOf(db: Db, instanceId: string): Promise<string | null> {
  const [row] = await db.system<{ projectId: string }[]>`
    select project_id from instance where id = ${instanceId} and deleted_at is null`
  return row?.projectId ?? null
}

/** Stores a pairing code while the instance is pairing and owned by `owner`; returns its scope, or null otherwise. */
export async function storeCode(
  db: Db,
  instanceId: string,
  owner: Ownership,
  code: { code: string; at: Date; expiresAt: Date },
): Promise<Pick<Scope, 'projectId' | 'mode'> | null> {
  const [row] = await db.system<Pick<Scope, 'projectId' | 'mode'>[]>`
    update instance set qr_code = ${code.code}, qr_at = ${code.at}, qr_expires_at = ${code.expiresAt},
      qr_sequence = case when status = 'CONNECTING' then 1 else qr_sequence + 1 end
    where id = ${instanceId} and owner_node = ${owner.node} and owner_epoch = ${owner.epoch}
      and status in ('CONNECTING', 'QR') and deleted_at is null
    returning project_id, mode`
  return row ?? null
}

/** State of an instance for a QR stream; `transitions` are oldest first, `lastTransition` is the id of the newest. */
export type WatchedState = {
  status: InstanceStatus
  updatedAt: Date
  qrCode: string | null
  qrAt: Date | null
  qrExpiresAt: Date | null
  lastTransition: number
  transitions: { status: InstanceStatus; at: string }[]
}

/** A status change of an instance. */
export type TransitionRow = {
  id: number
  from: InstanceStatus
  to: InstanceStatus
  reason: string | null
  at: Date
}

/** Lists the last status changes of an instance, newest first. */
export async function listTransitions(
  db: Db,
  scope: Scope,
  { instanceId, most, now }: { instanceId: string; most: number; now: Date },
): Promise<TransitionRow[]> {
  return db.scoped<TransitionRow[]>`
    select t.id, t.from_status as "from", t.to_status as "to", t.reason, t.at
    from instance i join instance_transition t on t.instance_id = i.id
    where ${scopedTo(db, scope, now)} and i.id = ${instanceId} and i.deleted_at is null
    order by t.id desc limit ${most}`
}

/**
 * Reads the state for a QR stream: the current code and every transition after id `since`; null if there is no
 * instance.
 */
export async function readWatchedState(
  db: Db,
  scope: Scope,
  instanceId: string,
  since: number,
  now: Date,
): Promise<WatchedState | null> {
  const [row] = await db.scoped<WatchedState[]>`
    select status, updated_at, qr_code, qr_at, qr_expires_at,
      coalesce((select max(id) from instance_transition where instance_id = ${instanceId}), 0)
        as last_transition,
      coalesce((select jsonb_agg(jsonb_build_object('status', to_status, 'at', at) order by id)
        from instance_transition where instance_id = ${instanceId} and id > ${since}), '[]')
        as transitions
    from instance
    where ${scopedTo(db, scope, now)} and id = ${instanceId} and deleted_at is null`
  return row ?? null
}
