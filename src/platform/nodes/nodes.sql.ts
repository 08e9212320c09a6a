import type { Db } from '../db/sql.ts'
import { isOpen } from './open-instances.sql.ts'

/** The first key of the advisory lock that a node holds while it is connected; the second key is its epoch. */
export const PRESENCE_LOCK = 7_261_345
/** The time floor is updated only when it has fallen this far behind. */
const FLOOR_EVERY = '10 seconds'

/** Another node at its last heartbeat. */
export type NodeRow = {
  id: string
  epoch: number
  heartbeatAt: Date
  /** Whether it holds its advisory lock, that is, whether its connection to PostgreSQL exists. */
  present: boolean
  /** Whether its version holds that lock at all. */
  announces: boolean
  mediaStore: string | null
}

/** Registers the node with a new epoch and returns it. The epoch fences earlier processes of the same node. */
export async function registerNode(
  db: Db,
  node: { id: string; capacity: number; mediaStore: string; now: Date },
): Promise<number> {
  const { id, capacity, mediaStore, now } = node
  const [row] = await db.system<{ epoch: number }[]>`
    insert into node (id, epoch, heartbeat_at, capacity, media_store, started_at)
    values (${id}, nextval('node_epoch'), ${now}, ${capacity}, ${mediaStore}, ${now})
    on conflict (id) do update set epoch = excluded.epoch, heartbeat_at = excluded.heartbeat_at,
      capacity = excluded.capacity, media_store = excluded.media_store, started_at = excluded.started_at, draining = false
    returning epoch`
  return row?.epoch ?? 0
}

/** The result of a heartbeat. */
export type HeartbeatResult = {
  /** The database's current time. */
  databaseNow: Date
  /** The latest time any node has recorded, including this heartbeat. */
  floor: Date
  /** Whether other nodes had declared this node dead, so that it has lost its leases. */
  buried: boolean
  others: NodeRow[]
}

/** Writes this node's heartbeat and returns the database time and the other nodes with their last heartbeats. */
export async function sendHeartbeat(
  db: Db,
  node: { id: string; epoch: number; capacity: number; mediaStore: string; now: Date },
): Promise<HeartbeatResult> {
  const { id, epoch, capacity, mediaStore, now } = node
  const [row] = await db.system<HeartbeatResult[]>`
    with beaten as (
      insert into node (id, epoch, heartbeat_at, capacity, media_store, started_at)
      values (${id}, ${epoch}, ${now}, ${capacity}, ${mediaStore}, ${now})
      on conflict (id) do update set heartbeat_at = excluded.heartbeat_at
        where node.epoch = excluded.epoch
      returning xmax = 0 as inserted),
    noted as (
      insert into clock_floor (at) values (${now})
      on conflict (one) do update set at = excluded.at
        where clock_floor.at < excluded.at - ${FLOOR_EVERY}::interval),
    present as materialized (
      select objid::bigint as epoch from pg_locks
      where locktype = 'advisory' and classid = ${PRESENCE_LOCK}::bigint::oid and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database()))
    select clock_timestamp() as database_now,
      greatest(${now}::timestamptz, (select at from clock_floor)) as floor,
      coalesce((select inserted from beaten), true) as buried,
      coalesce((select jsonb_agg(jsonb_build_object('id', n.id, 'epoch', n.epoch, 'heartbeatAt', n.heartbeat_at,
          'present', n.epoch in (select epoch from present), 'mediaStore', n.media_store,
          'announces', n.started_at is not null))
        from node n where n.id <> ${id}), '[]') as others`
  if (!row) throw new Error(`the heartbeat of node ${id} (epoch ${epoch}) returned no row`)
  const others = row.others.map((other) => ({ ...other, heartbeatAt: new Date(other.heartbeatAt) }))
  return { ...row, others }
}

/** The database time and the latest time any node has recorded. */
export async function readDatabaseTime(db: Db): Promise<{ databaseNow: Date; floor: Date | null }> {
  const [row] = await db.system<{ databaseNow: Date; floor: Date | null }[]>`
    select clock_timestamp() as database_now, (select at from clock_floor) as floor`
  if (!row) throw new Error('reading the database time returned no row')
  return row
}

/**
 * Removes dead nodes, whose instances count as free from then on. Nodes with a newer heartbeat are left alone. Returns the
 * nodes that this call removed.
 */
export async function removeDeadNodes(
  db: Db,
  dead: { id: string; epoch: number; heartbeatAt: Date }[],
): Promise<{ id: string; epoch: number }[]> {
  return db.system`
    delete from node n using unnest(${dead.map(({ id }) => id)}::text[], ${dead.map(({ epoch }) => epoch)}::bigint[],
        ${dead.map(({ heartbeatAt }) => heartbeatAt.toISOString())}::timestamptz[]) as d(id, epoch, heartbeat_at)
    where n.id = d.id and n.epoch = d.epoch and n.heartbeat_at = d.heartbeat_at
    returning n.id, n.epoch`
}

/**
 * Releases deliveries leased by processes of a node before `epoch`: a retry becomes visible no sooner than it is due, and
 * does not count as interrupted.
 */
export async function releaseEarlierLeases(
  db: Db,
  nodeId: string,
  epoch: number,
  now: Date,
): Promise<void> {
  await db.system`
    update delivery set visible_at = greatest(due_at, ${now}),
      lease_node = case when due_at > ${now} then null else lease_node end
    where lease_node = ${nodeId} and lease_epoch < ${epoch}`
}

/** Removes this node, so that the others need not wait for its heartbeat to time out. */
export async function deregisterNode(db: Db, nodeId: string, epoch: number): Promise<void> {
  await db.system`delete from node where id = ${nodeId} and epoch = ${epoch}`
}

/** Lists the nodes for the operator, oldest first. */
export async function listNodes(db: Db) {
  return db.system<
    {
      id: string
      startedAt: Date | null
      secondsSinceHeartbeat: number
      capacity: number
      draining: boolean
      instances: number
      connected: number
    }[]
  >`
    select n.id, n.started_at, n.capacity, n.draining,
      greatest(0, extract(epoch from greatest(clock_timestamp(), (select at from clock_floor)) - n.heartbeat_at))::float8
        as seconds_since_heartbeat,
      count(i.id) as instances, count(i.id) filter (where i.status = 'CONNECTED') as connected
    from node n left join instance i on i.owner_node = n.id and i.owner_epoch = n.epoch and ${isOpen(db)}
    group by n.id order by n.started_at nulls first, n.id`
}

/** Locks the decision which nodes drain until the transaction ends: two at once could drain every node. */
export async function lockDraining(tx: Db): Promise<void> {
  await tx.system`select pg_advisory_xact_lock(hashtext('recado.draining'))`
}

/**
 * Makes a node hand its instances over to other nodes, or accept instances again. Returns false if it does not exist.
 */
export async function setDraining(db: Db, nodeId: string, draining: boolean): Promise<boolean> {
  const rows = await db.system`
    update node set draining = ${draining} where id = ${nodeId} returning id`
  return rows.length > 0
}
