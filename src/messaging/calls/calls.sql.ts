import type { Mode } from '../../kernel/config/config.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { scopedTo } from '../../platform/db/sql.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { CallStatus } from '../../model/vocabulary.ts'

/** A row of the call log; `id` is the call's id on the network. */
export type CallRow = {
  id: string
  fromPhone: string | null
  fromLid: string | null
  fromName: string | null
  video: boolean
  isGroup: boolean
  status: CallStatus
  at: Date
}

/** Returns a page of an instance's calls, of `caller` or of everyone, newest first. */
export async function listCalls(
  db: Db,
  scope: Scope,
  instanceId: string,
  caller: Pick<Party, 'phone' | 'lid'> | null,
  page: { limit: number; offset: number; now: Date },
): Promise<CallRow[]> {
  const ofCaller = caller
    ? db.sql`and not is_group and (from_phone = ${caller.phone} or from_lid = ${caller.lid})`
    : db.sql``
  return db.scoped<CallRow[]>`
    select id, from_phone, from_lid, from_name, video, is_group, status, at from call_log
    where ${scopedTo(db, scope, page.now)} and instance_id = ${instanceId} ${ofCaller}
    order by seq desc limit ${page.limit} offset ${page.offset}`
}

/** Returns a call by its id on the network, or null. */
export async function findCall(
  db: Db,
  scope: Scope,
  instanceId: string,
  callId: string,
  now: Date,
): Promise<CallRow | null> {
  const [row] = await db.scoped<CallRow[]>`
    select id, from_phone, from_lid, from_name, video, is_group, status, at from call_log
    where ${scopedTo(db, scope, now)} and instance_id = ${instanceId} and id = ${callId}`
  return row ?? null
}

/**
 * Inserts a call, or updates the status of a ringing one; returns whether it was inserted. A call that has ended never
 * changes, and only the caller or this account can end a ringing one.
 */
export async function upsertCall(
  db: Db,
  instance: { id: string; projectId: string; mode: Mode },
  call: CallRow,
): Promise<boolean> {
  const rows = await db.system<{ fresh: boolean }[]>`
    insert into call_log as o (instance_id, id, project_id, mode, from_phone, from_lid, from_name, video,
      is_group, status, at)
    values (${instance.id}, ${call.id}, ${instance.projectId}, ${instance.mode}, ${call.fromPhone},
      ${call.fromLid}, ${call.fromName}, ${call.video}, ${call.isGroup}, ${call.status}, ${call.at})
    on conflict (instance_id, id) do update set status = excluded.status
      where o.status = 'ringing' and (
        same_person(o.instance_id, o.from_phone, o.from_lid, excluded.from_phone, excluded.from_lid)
        or exists (select from instance n where n.id = o.instance_id
          and (n.phone = excluded.from_phone or n.lid = excluded.from_lid)))
    returning xmax = 0 as fresh`
  return rows[0]?.fresh ?? false
}
