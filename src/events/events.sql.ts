import type { Db } from '../platform/db/sql.ts'
import { timestamps } from '../platform/db/sql.ts'

/** A row of the `event` table. */
export type EventRow = {
  id: string
  projectId: string
  mode: string
  instanceId: string
  name: string
  /** The envelope as serialized JSON. */
  body: string
}
/** A delivery just created and leased to this node. */
export type CreatedDelivery = {
  id: number
  webhookId: string
  webhookGeneration: number
  eventId: string
}

/**
 * Cannot occur in JSON text, where control characters are escaped. Bodies are joined with it into one parameter, which
 * avoids array quoting and parsing.
 */
const SEPARATOR = '\u001e'

/**
 * Inserts events and one delivery per enabled, subscribed webhook, in one statement of the caller's transaction.
 * Deliveries start out leased to this node, so that no claim is needed; those of webhooks in `fullWebhooks`, or all of
 * them when `nodeFull` is set, start unleased. Returns the leased ones only.
 */
export async function insertEvents(
  db: Db,
  events: EventRow[],
  lease: { node: string; epoch: number; fullWebhooks: string[]; nodeFull: boolean; until: Date },
  now: Date,
): Promise<CreatedDelivery[]> {
  const rows = await db.system<(CreatedDelivery & { leased: boolean })[]>`
    with input as materialized (
      select * from rows from (
        unnest(${events.map((event) => event.id)}::text[],
          ${events.map((event) => event.projectId)}::text[],
          ${events.map((event) => event.mode)}::text[],
          ${events.map((event) => event.instanceId)}::text[],
          ${events.map((event) => event.name)}::text[]),
        string_to_table(${events.map((event) => event.body).join(SEPARATOR)}, ${SEPARATOR})
      ) with ordinality as t(id, project_id, mode, instance_id, name, body, position)),
    recorded as (
      insert into event (id, project_id, mode, instance_id, name, body, created_at)
      select id, project_id, mode, instance_id, name, body, ${now}::timestamptz from input)
    insert into delivery (webhook_id, webhook_generation, event_id, event_at, attempt, due_at,
      visible_at, lease_node, lease_epoch)
    select w.id, w.generation, i.id, ${now}::timestamptz, 1, ${now}::timestamptz,
      case when full_up then ${now}::timestamptz else ${lease.until}::timestamptz end,
      case when full_up then null else ${lease.node} end,
      case when full_up then null else ${lease.epoch}::bigint end
    from input i
      join webhook w on w.project_id = i.project_id and w.mode = i.mode and w.enabled
        and w.deleted_at is null and (w.events = '{}' or i.name = any(w.events))
      cross join lateral (
        select ${lease.nodeFull}::boolean or w.id = any(${lease.fullWebhooks}::text[]) as full_up) f
    order by i.position
    returning id, webhook_id, webhook_generation, event_id, lease_node is not null as leased`
  return rows.filter((row) => row.leased)
}

/** Loads events recorded by another node. `at` is the creation time, which selects the partition. */
export async function findEvents(db: Db, keys: { id: string; at: Date }[]): Promise<EventRow[]> {
  return db.system`
    select e.id, e.project_id, e.mode, e.instance_id, e.name, e.body
    from unnest(${keys.map((key) => key.id)}::text[], ${timestamps(
      db,
      keys.map((key) => key.at),
    )}::timestamptz[])
      as k(id, at)
    join event e on e.id = k.id and e.created_at = k.at`
}
