import type { Db } from '../../platform/db/sql.ts'
import { isOpen } from '../../platform/nodes/open-instances.sql.ts'

/** Maximum number of messages that are counted. */
const MAX_COUNTED = 100_000

/** What the metrics of an installation report. */
export type Vitals = {
  instances: { node: string; status: string; count: number }[]
  /** Queued and sending messages; at most 100,000 are counted. */
  waiting: number
  /** When the oldest of them was accepted. */
  oldestAt: Date | null
}

/** Reads the metrics of the whole installation, in one statement over small tables and partial indexes. */
export async function readVitals(db: Db): Promise<Vitals> {
  const [row] = await db.system<Vitals[]>`
    select
      (select coalesce(jsonb_agg(c), '[]') from (
        select coalesce(n.id, 'none') as node, i.status, count(*) as count
        from instance i left join node n on n.id = i.owner_node and n.epoch = i.owner_epoch
        where ${isOpen(db)}
        group by 1, 2) c) as instances,
      (select count(*) from (
        select from outbox limit ${MAX_COUNTED}) o) as waiting,
      (select min(o.created_at) from instance i cross join lateral (
        -- What waits for a turn of the instance's pace is expected to wait.
        select created_at from outbox where instance_id = i.id and not waits order by seq limit 1) o
        where i.deleted_at is null) as oldest_at`
  return row ?? { instances: [], waiting: 0, oldestAt: null }
}
