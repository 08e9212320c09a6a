import type { InstanceStatus } from '../model/vocabulary.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { scopedTo } from '../platform/db/sql.ts'

/** A status of an instance and its start. Listed oldest first; the first may have started before the period. */
export type StatusSpan = { status: InstanceStatus; from: Date }

/** Maximum changes read, the newest ones; a session that reconnects all day has about this many. */
const MAX_CHANGES = 5000

/** Returns when an instance was paired, and its statuses since a time. */
export async function readStatusSpans(
  db: Db,
  scope: Scope,
  instanceId: string,
  since: Date,
  now: Date,
): Promise<{ pairedAt: Date | null; spans: StatusSpan[] }> {
  const rows = await db.scoped<{ pairedAt: Date | null; status: InstanceStatus; from: Date }[]>`
    select i.paired_at, t.to_status as status, t.at as "from"
    from instance i join lateral (
      (select to_status, at, id from instance_transition
        where instance_id = i.id and at >= ${since} order by id desc limit ${MAX_CHANGES})
      union all
      (select to_status, at, id from instance_transition
        where instance_id = i.id and at < ${since} order by id desc limit 1)) t on true
    where ${scopedTo(db, scope, now, 'i')} and i.id = ${instanceId} and i.deleted_at is null
    order by t.id`
  // If changes were cut off, drop the status from before the period, which would otherwise seem to last too long.
  const known = rows.length > MAX_CHANGES ? rows.slice(1) : rows
  return {
    pairedAt: rows[0]?.pairedAt ?? null,
    spans: known.map(({ status, from }) => ({ status, from })),
  }
}
