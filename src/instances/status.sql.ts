import type { Mode } from '../kernel/config/config.ts'
import { timestamps, type Db } from '../platform/db/sql.ts'
import type { InstanceStatus, DisconnectReason } from '../model/vocabulary.ts'
import type { Ownership } from './instances.sql.ts'

/** A status change of an instance, with the fields stored along with it. */
export type StatusChange = {
  to: InstanceStatus
  /** Statuses that the change may start from; null allows any other status. */
  from: InstanceStatus[] | null
  reason: DisconnectReason | null
  willReconnect: boolean
  /** The identity that the network reported; null keeps the stored one. */
  paired: { phone: string; lid: string | null; profileName: string; business: boolean } | null
  restriction: { type: string; until: string | null } | null
  at: Date
}
/** A change of one instance; with `owner`, it applies only while that node owns the instance. */
export type InstanceChange = { id: string; owner: Ownership | null; change: StatusChange }
/** An instance whose status has changed; `position` is that of its change. */
export type ChangedInstance = {
  position: number
  projectId: string
  mode: Mode
  previousStatus: InstanceStatus
  phone: string | null
}

const disconnectOf = ({ reason, willReconnect, at }: StatusChange): string | null =>
  reason && JSON.stringify({ reason, at: at.toISOString(), willReconnect })

/**
 * Changes the status of instances, each at most once, and stores the transitions. Returns those whose status and owner
 * allow it. Waits for rows that another transaction has locked, or skips them.
 */
export async function changeStatuses(
  db: Db,
  changes: InstanceChange[],
  locked: 'wait' | 'skip',
): Promise<ChangedInstance[]> {
  const { sql, system } = db
  const of = <Value>(pick: (change: StatusChange) => Value) =>
    changes.map(({ change }) => pick(change))
  return system<ChangedInstance[]>`
    with input as materialized (
      select * from unnest(
        ${changes.map(({ id }) => id)}::text[],
        ${changes.map(({ owner }) => owner?.node ?? null)}::text[],
        ${changes.map(({ owner }) => owner?.epoch ?? null)}::bigint[],
        ${of(({ to }) => to)}::text[],
        ${of(({ from }) => from?.join() ?? null)}::text[],
        ${of(({ reason }) => reason)}::text[],
        ${of(disconnectOf)}::text[],
        ${of(({ paired }) => paired?.phone ?? null)}::text[],
        ${of(({ paired }) => paired?.lid ?? null)}::text[],
        ${of(({ paired }) => paired?.profileName ?? null)}::text[],
        ${of(({ paired }) => (paired ? String(paired.business) : null))}::text[],
        ${of(({ restriction }) => restriction && JSON.stringify(restriction))}::text[],
        ${timestamps(
          db,
          of(({ at }) => at),
        )}::timestamptz[])
      with ordinality as t(id, node, epoch, to_status, from_statuses, reason, disconnect, phone, lid, profile_name,
        business, restriction, at, position)),
    old as materialized (
      select i.id, i.status, c.node, c.epoch, c.to_status, c.reason, c.disconnect::jsonb as disconnect, c.phone, c.lid,
        c.profile_name, c.business::boolean as business, c.restriction::jsonb as restriction, c.at, c.position
      from input c join instance i on i.id = c.id
      where i.deleted_at is null
        and (i.status <> c.to_status
          or (c.to_status = 'DISCONNECTED' and i.disconnect->>'reason' is distinct from c.reason))
        and (c.from_statuses is null or i.status = any(string_to_array(c.from_statuses, ',')))
        and (c.node is null or (i.owner_node = c.node and i.owner_epoch = c.epoch))
      order by i.id for update of i ${locked === 'skip' ? sql`skip locked` : sql``}),
    moved as (
      update instance i set status = old.to_status, updated_at = old.at, resumes = false,
        phone = coalesce(old.phone, i.phone),
        lid = coalesce(old.lid, i.lid),
        profile_name = coalesce(case when old.to_status = 'PAIRED' then old.profile_name
          else nullif(old.profile_name, '') end, i.profile_name),
        business = coalesce(old.business, i.business),
        disconnect = case when old.to_status in ('CONNECTED', 'PAIRED') then null
          else coalesce(old.disconnect, i.disconnect) end,
        restriction = case when old.to_status = 'CONNECTED'
            and (i.restriction->>'until' is null or i.restriction->>'type' = 'ban') then null
          else coalesce(old.restriction, i.restriction) end,
        qr_code = case when old.to_status = 'QR' then i.qr_code end,
        -- A session that connects with a number that is not stored was paired just before.
        paired_at = case when old.to_status = 'PAIRED'
          or old.to_status = 'CONNECTED' and old.phone is not null
            and (i.paired_at is null or i.phone is distinct from old.phone) then old.at
          else i.paired_at end,
        connected_at = case when old.to_status = 'CONNECTED' then old.at else i.connected_at end,
        disconnected_at = case when old.status = 'CONNECTED' then old.at else i.disconnected_at end
      from old where i.id = old.id
      returning old.position::int as position, i.id, i.project_id, i.mode, i.phone, old.status as previous_status,
        old.to_status, old.reason, old.at),
    stored as (
      insert into instance_transition (instance_id, from_status, to_status, reason, at)
      select id, previous_status, to_status, reason, at from moved order by position)
    select position - 1 as position, project_id, mode, previous_status, phone from moved`
}
