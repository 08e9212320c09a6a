import type { Db } from '../../platform/db/sql.ts'
import { timestamps, ownedBy, ownerOf } from '../../platform/db/sql.ts'
import type { NetworkEvent, InboundMessage, Receipt } from '../network-events.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'

/** An event queued for an instance until its session has delivered it. */
export type SimulatorEvent =
  | { kind: 'paired'; phone: string; lid: string; name: string; business: boolean }
  | { kind: 'unpaired' }
  | { kind: 'banned' }
  | { kind: 'happening'; happening: NetworkEvent }
  | { kind: 'received'; message: InboundMessage }
  | { kind: 'receipt'; receipt: Receipt }

/** A due event; `id` is its position in the queue. */
export type DueEvent = { id: string; instanceId: string; event: SimulatorEvent }

/** Appends events to the queue in this order; each becomes due at `dueAt`. */
export async function enqueueEvents(
  db: Db,
  events: { instanceId: string; dueAt: Date; event: SimulatorEvent }[],
): Promise<void> {
  await db.system`
    insert into simulator_event (instance_id, due_at, payload)
    select instance_id, due_at, payload::jsonb from unnest(
      ${events.map((entry) => entry.instanceId)}::text[],
      ${timestamps(
        db,
        events.map((entry) => entry.dueAt),
      )}::timestamptz[],
      ${events.map((entry) => JSON.stringify(entry.event))}::text[]
    ) with ordinality as t(instance_id, due_at, payload, position) order by position`
}

/**
 * Returns due events in queue order, up to `perInstance` of each and `most` in all: the first of each instance, then the
 * second of each.
 */
export async function findDueEvents(
  db: Db,
  instanceIds: string[],
  now: Date,
  { perInstance, most }: { perInstance: number; most: number },
): Promise<DueEvent[]> {
  return db.system<DueEvent[]>`
    with first as materialized (
      select e.id from unnest(${instanceIds}::text[]) as i(id)
      cross join lateral (select id, row_number() over (order by id) as turn from (
        select id from simulator_event
        where instance_id = i.id and due_at <= ${now} order by id limit ${perInstance}) queued) e
      order by e.turn, e.id limit ${most})
    select e.id::text, e.instance_id, e.payload as event
    from first f join simulator_event e on e.id = f.id order by e.id`
}

/** Whether these instances have due events. */
export const anyEventDue = (db: Db, instanceIds: string[], now: Date) => db.sql`
  exists (select from unnest(${instanceIds}::text[]) as i(id)
    join simulator_event e on e.instance_id = i.id and e.due_at <= ${now})`

/** Deletes events from the queue. */
export async function deleteEvents(db: Db, ids: string[]): Promise<void> {
  await db.system`delete from simulator_event where id = any(${ids}::bigint[])`
}

/** Stores a pairing code in place of `previous`, the last one of the same session, and of expired ones. */
export async function savePairing(
  db: Db,
  scope: PhoneScope,
  pairing: {
    instanceId: string
    code: string
    previous: string | null
    expiresAt: Date
    now: Date
  },
): Promise<void> {
  await db.scoped`
    with replaced as (
      delete from simulator_pairing where instance_id = ${pairing.instanceId}
        and (code = ${pairing.previous} or expires_at <= ${pairing.now}))
    insert into simulator_pairing (instance_id, project_id, mode, code, expires_at)
    values (${pairing.instanceId}, ${ownerOf(db, scope)}, ${pairing.code}, ${pairing.expiresAt})`
}

/** Deletes a pairing code. A later one, which another node may show for the instance, stays. */
export async function deletePairing(db: Db, code: string): Promise<void> {
  await db.system`delete from simulator_pairing where code = ${code}`
}

/** Consumes a pairing code, and any other of its instance; returns the instance that showed it, or null if it is unknown or expired. */
export async function consumePairing(
  db: Db,
  scope: PhoneScope,
  code: string,
  now: Date,
): Promise<string | null> {
  const [row] = await db.scoped<{ instanceId: string }[]>`
    with consumed as (
      delete from simulator_pairing where code = ${code} and expires_at > ${now}
        and ${ownedBy(db, scope)}
      returning instance_id),
    others as (
      delete from simulator_pairing p using consumed c
      where p.instance_id = c.instance_id and p.code <> ${code})
    select instance_id from consumed`
  return row?.instanceId ?? null
}

/** Links an instance to a phone, replacing its previous link. */
export async function linkInstance(
  db: Db,
  instanceId: string,
  phoneId: string,
  now: Date,
): Promise<void> {
  await db.system`
    insert into simulator_link (instance_id, phone_id, linked_at)
    values (${instanceId}, ${phoneId}, ${now})
    on conflict (instance_id) do update set phone_id = excluded.phone_id, linked_at = excluded.linked_at`
}

/** Deletes an instance's link and its queued events; false if it was not linked. */
export async function unlinkInstance(db: Db, instanceId: string): Promise<boolean> {
  const rows = await db.system`
    with waiting as (delete from simulator_event where instance_id = ${instanceId})
    delete from simulator_link where instance_id = ${instanceId} returning instance_id`
  return rows.length > 0
}

/** Deletes all links of a phone; returns the ids of the instances that were linked. */
export async function unlinkPhone(db: Db, phoneId: string): Promise<string[]> {
  const rows = await db.system<{ instanceId: string }[]>`
    delete from simulator_link where phone_id = ${phoneId} returning instance_id`
  return rows.map((row) => row.instanceId)
}

/** Returns whether an instance is linked to a phone. */
export async function isLinked(db: Db, instanceId: string): Promise<boolean> {
  const rows = await db.system`select 1 from simulator_link where instance_id = ${instanceId}`
  return rows.length > 0
}

/** A virtual phone with the ids of its linked instances, oldest link first. */
export type PhoneRow = {
  id: string
  phone: string
  lid: string
  name: string
  business: boolean
  online: boolean
  banned: boolean
  /** Numbers whose messages do not reach it. */
  blocked: string[]
  about: string | null
  instanceIds: string[]
}

/** Finds phones of a scope by number, LID or id. */
export async function findPhones(db: Db, scope: PhoneScope, keys: string[]): Promise<PhoneRow[]> {
  return db.scoped<PhoneRow[]>`
    select p.id, p.phone, p.lid, p.name, p.business, p.online, p.banned, p.blocked, p.about,
      array(select instance_id from simulator_link l where l.phone_id = p.id order by linked_at)
        as instance_ids
    from simulator_phone p
    where ${ownedBy(db, scope, 'p')}
      and (p.phone = any(${keys}) or p.lid = any(${keys}) or p.id = any(${keys}))`
}

/** Lists the phones of a scope, newest first. */
export async function listPhones(
  db: Db,
  scope: PhoneScope,
  limit: number,
  offset: number,
): Promise<PhoneRow[]> {
  return db.scoped<PhoneRow[]>`
    select p.id, p.phone, p.lid, p.name, p.business, p.online, p.banned, p.blocked, p.about,
      array(select instance_id from simulator_link l where l.phone_id = p.id order by linked_at)
        as instance_ids
    from simulator_phone p where ${ownedBy(db, scope, 'p')}
    order by p.id desc limit ${limit} offset ${offset}`
}

/** Counts the phones of a scope. */
export async function countPhones(db: Db, scope: PhoneScope): Promise<number> {
  const [row] = await db.scoped<{ count: number }[]>`
    select count(*) as count from simulator_phone
    where ${ownedBy(db, scope)}`
  return row?.count ?? 0
}

/** Inserts a phone; false if the number is taken. */
export async function insertPhone(
  db: Db,
  scope: PhoneScope,
  phone: { id: string; phone: string; lid: string; name: string; business: boolean; now: Date },
): Promise<boolean> {
  const rows = await db.scoped`
    insert into simulator_phone (id, project_id, mode, phone, lid, name, business, created_at)
    values (${phone.id}, ${ownerOf(db, scope)}, ${phone.phone}, ${phone.lid}, ${phone.name},
      ${phone.business}, ${phone.now})
    on conflict (project_id, mode, phone) do nothing returning id`
  return rows.length > 0
}

/** Deletes a phone. */
export async function deletePhone(db: Db, scope: PhoneScope, phoneId: string): Promise<void> {
  await db.scoped`
    delete from simulator_phone
    where id = ${phoneId} and ${ownedBy(db, scope)}`
}

/** Updates the fields present in `patch`. */
export async function patchPhone(
  db: Db,
  scope: PhoneScope,
  phoneId: string,
  patch: { name?: string; about?: string; online?: boolean; banned?: boolean },
): Promise<void> {
  const { name = null, about = null, online = null, banned = null } = patch
  await db.scoped`
    update simulator_phone set name = coalesce(${name}, name), about = coalesce(${about}, about),
      online = coalesce(${online}::boolean, online), banned = coalesce(${banned}::boolean, banned)
    where id = ${phoneId} and ${ownedBy(db, scope)}`
}

/** Returns the picture of a phone, by number or LID, or of a group: a JPEG, or null. */
export async function findPicture(db: Db, scope: PhoneScope, key: string): Promise<Buffer | null> {
  const [row] = await db.scoped<{ picture: Buffer | null }[]>`
    select picture from simulator_phone where ${ownedBy(db, scope)} and (phone = ${key} or lid = ${key})
    union all
    select picture from simulator_group where ${ownedBy(db, scope)} and id = ${key}`
  return row?.picture ?? null
}

/** Sets the picture of a phone, by number, or of a group; null removes it. */
export async function setPicture(
  db: Db,
  scope: PhoneScope,
  key: string,
  picture: Buffer | null,
): Promise<void> {
  await db.scoped`
    with groups as (
      update simulator_group set picture = ${picture} where id = ${key} and ${ownedBy(db, scope)})
    update simulator_phone set picture = ${picture} where phone = ${key} and ${ownedBy(db, scope)}`
}

/** Adds a number to those that a phone has blocked, or removes it. */
export async function setBlocked(
  db: Db,
  scope: PhoneScope,
  phone: string,
  other: string,
  blocked: boolean,
): Promise<void> {
  await db.scoped`
    update simulator_phone set blocked = array_remove(blocked, ${other})
      || case when ${blocked} then array[${other}::text] else '{}'::text[] end
    where phone = ${phone} and ${ownedBy(db, scope)}`
}

/** Returns the instances that have exchanged messages with a phone or share a group with it. */
export async function findInstancesKnowing(
  db: Db,
  scope: PhoneScope,
  phone: PhoneRow,
): Promise<string[]> {
  const rows = await db.scoped<{ instanceId: string }[]>`
    select l.instance_id from simulator_link l join simulator_phone p on p.id = l.phone_id
    where ${ownedBy(db, scope, 'p')} and p.id <> ${phone.id}
      and (exists (select 1 from simulator_message m where m.phone_id = p.id and m.sender_phone = ${phone.phone})
        or exists (select 1 from simulator_message m
          where m.phone_id = ${phone.id} and m.instance_id = l.instance_id)
        or exists (select 1 from simulator_member a join simulator_member b using (group_id)
          join simulator_group g on g.id = group_id
          where ${ownedBy(db, scope, 'g')}
            and a.phone = p.phone and b.phone = ${phone.phone}))`
  return rows.map((row) => row.instanceId)
}
