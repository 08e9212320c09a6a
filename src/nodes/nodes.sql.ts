import type { Db } from '../db/sql.ts'

/** Starts a new life of the node and answers its number, which fences the earlier ones. */
export async function startLife(db: Db, nodeId: string, now: Date): Promise<number> {
  const [row] = await db.sql<{ epoch: number }[]>`
    insert into node (id, epoch, heartbeat_at) values (${nodeId}, nextval('node_epoch'), ${now})
    on conflict (id) do update set epoch = excluded.epoch, heartbeat_at = excluded.heartbeat_at
    returning epoch`
  return row?.epoch ?? 0
}

/** Beats, and answers the database's time and the other nodes, each with its last beat. */
export async function beat(db: Db, nodeId: string, epoch: number, now: Date) {
  return db.sql<{ databaseNow: Date; id: string; heartbeatAt: Date }[]>`
    with beaten as (
      insert into node (id, epoch, heartbeat_at) values (${nodeId}, ${epoch}, ${now})
      on conflict (id) do update set heartbeat_at = excluded.heartbeat_at
        where node.epoch = excluded.epoch)
    select clock_timestamp() as database_now, id, heartbeat_at
    from (select ${nodeId} as id, ${now}::timestamptz as heartbeat_at
      union all select id, heartbeat_at from node where id <> ${nodeId}) n`
}

/**
 * Buries the nodes whose heart stopped and makes visible what they had leased (a retry no sooner than it is due,
 * and as one that was not interrupted); instances they held are free as
 * soon as their node is gone. Each is buried once, whoever does it.
 */
export async function buryNodes(
  db: Db,
  nodeId: string,
  deadBefore: Date,
  now: Date,
): Promise<void> {
  await db.sql`
    with dead as (
      delete from node where heartbeat_at <= ${deadBefore} and id <> ${nodeId} returning id)
    update delivery set visible_at = greatest(due_at, ${now}),
      lease_node = case when due_at > ${now} then null else lease_node end
    from dead where lease_node = dead.id`
}

/** Frees what this node's earlier lives had leased. */
export async function freeEarlierLeases(
  db: Db,
  nodeId: string,
  epoch: number,
  now: Date,
): Promise<void> {
  await db.sql`
    update delivery set visible_at = greatest(due_at, ${now}),
      lease_node = case when due_at > ${now} then null else lease_node end
    where lease_node = ${nodeId} and lease_epoch < ${epoch}`
}

/** Ends this life, so that the others need not wait for its heart to stop. */
export async function endLife(db: Db, nodeId: string, epoch: number): Promise<void> {
  await db.sql`delete from node where id = ${nodeId} and epoch = ${epoch}`
}
