import type { OptIn } from './events.schemas.ts'
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
/** The properties by which webhooks can filter an event; null if it concerns no chat or no message. */
export type EventFacets = {
  chatType: string | null
  direction: string | null
  kind: string | null
  /** The option that a webhook needs to receive it; null if it needs none. */
  optIn: OptIn | null
}
/** A delivery just created and leased to this node. */
export type CreatedDelivery = {
  id: number
  webhookId: string
  webhookGeneration: number
  eventId: string
}

/** Maximum deliveries leased per Project and call: a thousand events may have a hundred webhooks each. */
const MAX_LEASED_PER_PROJECT = 2000

/**
 * Cannot occur in JSON text, where control characters are escaped. Bodies are joined with it into one parameter, which
 * avoids array quoting and parsing.
 */
const SEPARATOR = '\u001e'

/** The lease of this node on new deliveries, and which of them it cannot queue now. */
export type IntakeLease = {
  node: string
  epoch: number
  fullWebhooks: string[]
  fullProjects: string[]
  nodeFull: boolean
}

/**
 * Inserts one delivery per enabled, subscribed webhook, and the events that have a delivery or that other nodes read
 * for their stream clients (ADR 12), in one statement of the caller's transaction. Deliveries start out leased to this
 * node, so that no claim is needed. They start unleased if their webhook is in `fullWebhooks`, their Project is in
 * `fullProjects` or exceeds `MAX_LEASED_PER_PROJECT` in this call, or `nodeFull` is set. Returns only the leased ones.
 */
export async function insertEvents(
  db: Db,
  events: (EventRow & EventFacets)[],
  lease: IntakeLease & { until: Date },
  now: Date,
): Promise<CreatedDelivery[]> {
  const rows = await db.system<(CreatedDelivery & { leased: boolean })[]>`
    with input as materialized (
      select * from rows from (
        unnest(${events.map((event) => event.id)}::text[],
          ${events.map((event) => event.projectId)}::text[],
          ${events.map((event) => event.mode)}::text[],
          ${events.map((event) => event.instanceId)}::text[],
          ${events.map((event) => event.name)}::text[],
          ${events.map((event) => event.chatType)}::text[],
          ${events.map((event) => event.direction)}::text[],
          ${events.map((event) => event.kind)}::text[],
          ${events.map((event) => event.optIn)}::text[]),
        string_to_table(${events.map((event) => event.body).join(SEPARATOR)}, ${SEPARATOR})
      ) with ordinality as t(id, project_id, mode, instance_id, name, chat_type, direction, kind, opt_in, body,
        position)),
    -- offset 0 forces an index lookup per event: the planner expects a thousand events and would read every webhook.
    wanted as materialized (
      select i.id, i.position, i.opt_in, w.id as webhook_id, w.generation, i.project_id,
        row_number() over (partition by i.project_id order by i.position) as in_project
      from input i
        cross join lateral (
          select w.id, w.generation from webhook w
          where w.project_id = i.project_id and w.mode = i.mode and w.enabled
            and w.deleted_at is null and (w.events = '{}' or i.name = any(w.events))
            and (i.opt_in is null or i.opt_in = any(w.include))
            and (w.only_instances is null or i.instance_id = any(w.only_instances))
            and (w.only_chat_types is null or i.chat_type is null or i.chat_type = any(w.only_chat_types))
            and (w.only_directions is null or i.direction is null or i.direction = any(w.only_directions))
            and (w.only_kinds is null or i.kind is null or i.kind = any(w.only_kinds))
          offset 0) w),
    recorded as (
      insert into event (id, project_id, mode, instance_id, name, body, created_at)
      select id, project_id, mode, instance_id, name, body, ${now}::timestamptz from input
      where id in (select id from wanted)
        or opt_in is null and exists (select from node where id <> ${lease.node}))
    insert into delivery (webhook_id, webhook_generation, event_id, event_at, attempt, due_at,
      visible_at, lease_node, lease_epoch)
    select w.webhook_id, w.generation, w.id, ${now}::timestamptz, 1, ${now}::timestamptz,
      case when full_up then ${now}::timestamptz else ${lease.until}::timestamptz end,
      case when full_up then null else ${lease.node} end,
      case when full_up then null else ${lease.epoch}::bigint end
    from wanted w
      cross join lateral (
        -- Deliveries of history wait in the database, so that they do not fill the queue of current ones.
        select ${lease.nodeFull}::boolean or w.in_project > ${MAX_LEASED_PER_PROJECT} or w.project_id = any(${lease.fullProjects}::text[])
          or w.webhook_id = any(${lease.fullWebhooks}::text[])
          or w.opt_in is not distinct from 'backfill' as full_up) f
    order by w.position
    returning id, webhook_id, webhook_generation, event_id, lease_node is not null as leased`
  return rows.filter((row) => row.leased)
}

/** Returns the scopes of these Projects with a webhook for opt-in events, as `projectId mode optIn`. */
export async function findOptIns(db: Db, projectIds: string[]): Promise<Set<string>> {
  const rows = await db.system<{ scope: string }[]>`
    select distinct concat_ws(' ', project_id, mode, chosen) as scope from webhook, unnest(include) as chosen
    where project_id = any(${projectIds}::text[]) and enabled and deleted_at is null`
  return new Set(rows.map(({ scope }) => scope))
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
