import type { Db } from '../platform/db/sql.ts'
import { movingProjects } from '../platform/db/sql.ts'
import type { InstanceStatus } from '../model/vocabulary.ts'
import { isUnpairing, isSecret, mustDeleteCredentials } from './credentials.sql.ts'
import { instanceColumns, type InstanceRow, type Ownership } from './instances.sql.ts'
import type { StoredSettings } from './stored-settings.ts'
import type { NodeShare } from './balance.ts'
import { isOpen } from '../platform/nodes/open-instances.sql.ts'

/** Maximum instances that the node owns without an open session, claimed per call. */
const OWN_BATCH_SIZE = 500

/**
 * The condition that instance `i` was permanently displaced by
 * another client: only a request may reconnect it, no restart.
 */
const wasDisplaced = (db: Db) => db.sql`(i.status = 'DISCONNECTED'
  and coalesce(i.disconnect ->> 'reason' = 'replaced' and i.disconnect ->> 'willReconnect' = 'false', false))`

type Claim = {
  /**
   * The instances to exclude from the claim: those that this
   * node has open, is still closing, or must not retry yet.
   */
  unclaimable: string[]
  /** Maximum instances that no live node owns. */
  most: number
  now: Date
}

/**
 * Claims instances that want a connection: those that this node owns without an open session, because an earlier step
 * failed, and up to `most` that no live node owns: the first of each Project, then the second of each, in the order of
 * the result. The status of connected instances changes to CONNECTING until their
 * session is open again.
 *
 * Claims are serialized across nodes. Row locks are not enough: if a row has changed since the statement started,
 * PostgreSQL rechecks its columns but not the join with `node`, so two nodes could claim the same instance.
 */
export function claimInstances(db: Db, owner: Ownership, claim: Claim): Promise<InstanceRow[]> {
  return db.transaction(async (tx) => {
    await tx.system`select pg_advisory_xact_lock(hashtext('recado.claims'))`
    return claimLocked(tx, owner, claim)
  })
}

async function claimLocked(
  tx: Db,
  owner: Ownership,
  { unclaimable, most, now }: Claim,
): Promise<InstanceRow[]> {
  const rows = await tx.system<(InstanceRow & { turn: number })[]>`
    with own as materialized (
      select i.id, i.status, 0 as turn from instance i
      where ${isOpen(tx)} and not ${isUnpairing(tx)} and not ${wasDisplaced(tx)}
        and i.owner_node = ${owner.node} and i.owner_epoch = ${owner.epoch}
        and i.project_id <> all(${movingProjects(tx)})
        and not exists (select from unnest(${unclaimable}::text[]) as o(id) where o.id = i.id)
      order by i.id limit ${OWN_BATCH_SIZE} for update of i skip locked),
    waiting as materialized (
      select id, turn from (
        select i.id, row_number() over (partition by i.project_id order by i.id) as turn from instance i
        where ${isOpen(tx)} and not ${isUnpairing(tx)} and not ${wasDisplaced(tx)}
          and i.project_id <> all(${movingProjects(tx)})
          and not exists (select from unnest(${unclaimable}::text[]) as o(id) where o.id = i.id)
          and not exists (select 1 from node n where n.id = i.owner_node and n.epoch = i.owner_epoch)) turns
      order by turn, id limit ${most}),
    -- The conditions are repeated, because a row may have changed before it was locked.
    ownerless as materialized (
      select i.id, i.status, array_position(array(select id from waiting order by turn, id), i.id) as turn from instance i
      where i.id = any(array(select id from waiting)) and ${isOpen(tx)} and not ${isUnpairing(tx)}
        and not ${wasDisplaced(tx)}
      for update of i skip locked),
    free as (select * from own union all select * from ownerless),
    stored as (
      insert into instance_transition (instance_id, from_status, to_status, at)
      select id, 'CONNECTED', 'CONNECTING', ${now}::timestamptz from free where status = 'CONNECTED')
    update instance set owner_node = ${owner.node}, owner_epoch = ${owner.epoch},
      resumes = resumes or free.status = 'CONNECTED',
      disconnected_at = case when free.status = 'CONNECTED' then ${now} else disconnected_at end,
      updated_at = case when free.status = 'CONNECTED' then ${now} else updated_at end,
      status = case when free.status = 'CONNECTED' then 'CONNECTING' else free.status end
    from free where instance.id = free.id
    returning ${instanceColumns(tx)}, free.turn`
  return rows.toSorted((a, b) => a.turn - b.turn)
}

/** Lists the nodes with the number of instances each one holds, and the number of all that want a connection. */
export async function findShares(db: Db): Promise<NodeShare[]> {
  return db.system<NodeShare[]>`
    with held as materialized (
      select owner_node, owner_epoch, count(*) as held from instance i
      where ${isOpen(db)}
      group by owner_node, owner_epoch)
    select n.id, n.epoch, n.capacity, n.draining, coalesce(h.held, 0) as held,
      (select coalesce(sum(held), 0)::bigint from held) as total
    from node n left join held h on h.owner_node = n.id and h.owner_epoch = n.epoch`
}

/**
 * Locks those of these instances that `owner` owns, so that ownership cannot change before the commit; returns their
 * ids.
 */
export async function lockOwned(db: Db, owner: Ownership, ids: string[]): Promise<string[]> {
  const rows = await db.system<{ id: string }[]>`
    select id from instance
    where id = any(${ids}) and owner_node = ${owner.node} and owner_epoch = ${owner.epoch}
    order by id for share`
  return rows.map(({ id }) => id)
}

/** The stored state of an instance whose session this node has open. */
export type ReviewedInstance = {
  id: string
  /** The instance wants a connection, this node still owns it, and its Project is not moving away. */
  wanted: boolean
  /** Logged out or removed, perhaps connected again since: the pairing must be ended first. */
  unpair: boolean
  /** The status is CONNECTING; if the session is settled, a new connection was requested. */
  connectRequested: boolean
  settings: StoredSettings
}

/**
 * Returns, of the instances open on this node, those that changed after `since`, whose session is no longer wanted or
 * that want to connect, with their current settings.
 */
export async function findOpenStates(
  db: Db,
  owner: Ownership,
  instanceIds: string[],
  since: Date,
): Promise<ReviewedInstance[]> {
  if (instanceIds.length === 0) return []
  return db.system<ReviewedInstance[]>`
    select * from (select id, updated_at, settings, status = 'CONNECTING' as connect_requested, ${mustDeleteCredentials(db)} as unpair,
      ${isOpen(db)} and owner_node is not distinct from ${owner.node}
        and owner_epoch is not distinct from ${owner.epoch}
        and project_id <> all(${movingProjects(db)}) as wanted
      from instance i where id = any(${instanceIds})) i
    where updated_at > ${since} or connect_requested or unpair or not wanted`
}

/**
 * Lists instances that are logged out or removed, are neither open on any node nor `unclaimable` on this one, and still
 * have credentials.
 */
export async function findUnpairable(
  db: Db,
  owner: Ownership,
  unclaimable: string[],
  most: number,
): Promise<Pick<InstanceRow, 'id' | 'projectId' | 'mode' | 'network' | 'settings'>[]> {
  return db.system<Pick<InstanceRow, 'id' | 'projectId' | 'mode' | 'network' | 'settings'>[]>`
    select i.id, i.project_id, i.mode, i.network, i.settings from instance i
    where ${mustDeleteCredentials(db)}
      and i.project_id <> all(${movingProjects(db)})
      and not exists (select from unnest(${unclaimable}::text[]) as o(id) where o.id = i.id)
      and (not exists (select 1 from node n where n.id = i.owner_node and n.epoch = i.owner_epoch)
        -- Instances of this node that it could not unpair when it closed them.
        or (i.owner_node = ${owner.node} and i.owner_epoch = ${owner.epoch}))
      and (${isUnpairing(db)} or exists (select 1 from instance_credential c where c.instance_id = i.id
        and (i.deleted_at is not null or ${isSecret(db)})))
    order by i.id limit ${most}`
}

/** Releases the ownership of those of these instances that `owner` owns. */
export async function releaseInstances(db: Db, owner: Ownership, ids: string[]): Promise<void> {
  await db.system`
    update instance set owner_node = null, owner_epoch = null
    where id = any(${ids}) and owner_node = ${owner.node} and owner_epoch = ${owner.epoch}`
}

/** Lists instances whose restriction or temporary ban has expired. */
export async function findExpiredRestrictions(
  db: Db,
  now: Date,
  most: number,
): Promise<{ id: string; status: InstanceStatus }[]> {
  return db.system<{ id: string; status: InstanceStatus }[]>`
    select id, status from instance
    where restriction is not null and (restriction->>'until')::timestamptz <= ${now}
      and deleted_at is null and project_id <> all(${movingProjects(db)})
    order by id limit ${most}`
}
