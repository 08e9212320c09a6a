import type { Db, Scope } from '../../platform/db/sql.ts'
import { scopedTo } from '../../platform/db/sql.ts'
import { SAO_PAULO } from '../../kernel/sao-paulo.ts'

/** The figures of one day, or of all days together (null). */
export type ResponseTimesRow = {
  day: string | null
  answered: number
  medianSeconds: number | null
  p90Seconds: number | null
}

/** Reads how long contacts waited, by the São Paulo day of the answer and in total. */
export async function readResponseTimes(
  db: Db,
  scope: Scope,
  filter: { since: Date; instanceId: string | null; origin: string | null; now: Date },
): Promise<ResponseTimesRow[]> {
  return db.scoped<ResponseTimesRow[]>`
    with waits as (
      select (answered_at at time zone ${SAO_PAULO}::text)::date::text as day,
        extract(epoch from answered_at - asked_at)::float8 as seconds
      from response_time
      where ${scopedTo(db, scope, filter.now)} and answered_at >= ${filter.since}
        and (${filter.instanceId}::text is null or instance_id = ${filter.instanceId})
        and (${filter.origin}::text is null or origin = ${filter.origin}))
    select day, count(*) as answered,
      percentile_cont(0.5) within group (order by seconds) as median_seconds,
      percentile_cont(0.9) within group (order by seconds) as p90_seconds
    from waits group by grouping sets ((day), ()) order by day nulls first`
}

/** Deletes the waits that ended before a time. */
export async function deleteWaits(db: Db, before: Date): Promise<void> {
  await db.system`delete from response_time where answered_at < ${before}`
}
