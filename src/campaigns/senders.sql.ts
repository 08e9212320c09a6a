import type { Db, Scope } from '../platform/db/sql.ts'
import { scopedTo } from '../platform/db/sql.ts'
import type { InstanceNetwork } from '../model/instance-network.schemas.ts'

/**
 * Queued messages of a paced instance per occupied slot, because most of them only wait for their turn. In a campaign
 * with a sending window they could outlast it.
 */
const PACED_PER_PLACE = { anyTime: 10, withinWindow: 1 }
/** Messages of a campaign that one instance may have queued. */
export const MAX_QUEUED = 2

/** An instance that campaigns may send from. */
export type Sender = {
  id: string
  status: string
  network: InstanceNetwork
  restricted: boolean
  /** Not connected, and expected to reconnect without intervention. */
  returns: boolean
  /** Occupied slots (at most 2) of an instance that sends slowly, or with a pace; null for any other instance. */
  waiting: number | null
}

/** Returns the existing instances among these, in the given order. */
export async function findInstances(
  db: Db,
  scope: Scope,
  instanceIds: string[],
  now: Date,
  /** Whether every message takes time on any instance, and whether messages may leave only within some hours. */
  { isSlow = false, hasWindow = false } = {},
): Promise<Sender[]> {
  const perPlace = hasWindow ? PACED_PER_PLACE.withinWindow : PACED_PER_PLACE.anyTime
  return db.scoped<Sender[]>`
    select id, status, network, restriction is not null as restricted,
      status in ('CONNECTING', 'PAIRED') or (status = 'DISCONNECTED'
        and coalesce((disconnect ->> 'willReconnect')::boolean, true))
        or (status = 'BANNED' and restriction ->> 'until' is not null) as returns,
      case when ${isSlow} or coalesce((settings ->> 'sendDelayMaxMs')::int, 0) > 0 then (
          select count(*) from (select from outbox where instance_id = instance.id limit ${MAX_QUEUED}) q)
        when coalesce(settings ->> 'pace', 'off') <> 'off' then (
          select count(*) / ${perPlace}::int from (
            select from outbox where instance_id = instance.id limit ${MAX_QUEUED * perPlace}) q) end as waiting
    from instance
    where ${scopedTo(db, scope, now)} and id = any(${instanceIds}) and deleted_at is null
    order by array_position(${instanceIds}::text[], id)`
}
