import type { Mode } from '../config/config.ts'
import type { Db } from '../db/sql.ts'
import type { InstanceStatus } from '../records/records.schemas.ts'
import {
  instanceColumns,
  type InstanceRow,
  type Ownership,
  type StoredSettings,
} from './instances.sql.ts'

/**
 * Takes instances that want a connection and whose owner is no live node, or is this node, which does not have
 * them open: something failed on the way.
 */
export async function claimInstances(
  db: Db,
  owner: Ownership,
  open: string[],
  most: number,
): Promise<InstanceRow[]> {
  return db.sql<InstanceRow[]>`
    update instance set owner_node = ${owner.node}, owner_epoch = ${owner.epoch}
    where id in (
      select i.id from instance i
      where i.status in ('CONNECTING', 'QR', 'PAIRED', 'CONNECTED', 'DISCONNECTED')
        and i.deleted_at is null
        and (not exists (select 1 from node n where n.id = i.owner_node and n.epoch = i.owner_epoch)
          or (i.owner_node = ${owner.node} and i.owner_epoch = ${owner.epoch} and i.id <> all(${open})))
      order by i.id limit ${most} for update skip locked)
    returning ${instanceColumns(db)}`
}

export type ReviewedInstance = {
  id: string
  wanted: boolean
  /** Logged out or removed: the pairing is to be forgotten. */
  forget: boolean
  /** Somebody asked for a connection since it was last open. */
  begins: boolean
  settings: StoredSettings
}

/** How these instances stand, whose connections this node holds: still wanted and ours, and their settings. */
export async function reviewOpen(
  db: Db,
  owner: Ownership,
  instanceIds: string[],
): Promise<ReviewedInstance[]> {
  if (instanceIds.length === 0) return []
  return db.sql<ReviewedInstance[]>`
    select id, settings, status = 'CONNECTING' as begins, deleted_at is not null or status = 'LOGGED_OUT' as forget,
      deleted_at is null and owner_node is not distinct from ${owner.node}
        and owner_epoch is not distinct from ${owner.epoch}
        and status in ('CONNECTING', 'QR', 'PAIRED', 'CONNECTED', 'DISCONNECTED') as wanted
    from instance where id = any(${instanceIds})`
}

/** Instances that are logged out or removed, nobody has open, and whose credentials are still here. */
export async function findForgotten(
  db: Db,
  owner: Ownership,
  open: string[],
  most: number,
): Promise<{ id: string; projectId: string; mode: Mode; settings: StoredSettings }[]> {
  return db.sql<{ id: string; projectId: string; mode: Mode; settings: StoredSettings }[]>`
    select i.id, i.project_id, i.mode, i.settings from instance i
    where (i.deleted_at is not null or i.status = 'LOGGED_OUT')
      and (not exists (select 1 from node n where n.id = i.owner_node and n.epoch = i.owner_epoch)
        -- This node's own, which it could not forget when it closed them.
        or (i.owner_node = ${owner.node} and i.owner_epoch = ${owner.epoch} and i.id <> all(${open})))
      and exists (select 1 from instance_credential c where c.instance_id = i.id)
    order by i.id limit ${most}`
}

export async function disownInstances(db: Db, owner: Ownership, ids: string[]): Promise<void> {
  await db.sql`
    update instance set owner_node = null, owner_epoch = null
    where id = any(${ids}) and owner_node = ${owner.node} and owner_epoch = ${owner.epoch}`
}

/** Instances that were restricted, or banned, until now. */
export async function findLifted(
  db: Db,
  now: Date,
  most: number,
): Promise<{ id: string; status: InstanceStatus }[]> {
  return db.sql<{ id: string; status: InstanceStatus }[]>`
    select id, status from instance
    where restriction is not null and (restriction->>'until')::timestamptz <= ${now}
      and deleted_at is null
    order by id limit ${most}`
}
