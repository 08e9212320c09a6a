import type { Db, Scope } from '../platform/db/sql.ts'
import { accessGranted, ownedBy, ownerOf, scopedTo } from '../platform/db/sql.ts'

/** A stored opt-out. `person` is a phone number or a LID; `addedBy` is null for a reply. */
export type OptOutRow = { person: string; at: Date; addedBy: string | null }

/** Returns a page of opt-outs, newest first. */
export async function listOptOuts(
  db: Db,
  scope: Scope,
  people: string[] | null,
  page: { limit: number; offset: number; now: Date },
): Promise<OptOutRow[]> {
  return db.scoped<OptOutRow[]>`
    select person, at, added_by from opt_out
    where ${scopedTo(db, scope, page.now)} and (${people}::text[] is null or person = any(${people}::text[]))
    order by at desc, person limit ${page.limit} offset ${page.offset}`
}

/** Stores opt-outs; returns how many were new. */
export async function insertOptOuts(
  db: Db,
  scope: Scope,
  people: string[],
  addedBy: string,
  now: Date,
): Promise<number> {
  const rows = await db.scoped`
    insert into opt_out (project_id, mode, person, at, added_by)
    select ${ownerOf(db, scope)}, person, ${now}::timestamptz, ${addedBy}
    from unnest(${people}::text[]) as t(person) where ${accessGranted(db, scope, now)}
    on conflict do nothing returning person`
  return rows.length
}

/** Deletes the opt-outs of a person's keys; returns whether there were any. */
export async function deleteOptOut(
  db: Db,
  scope: Scope,
  people: string[],
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    delete from opt_out where ${scopedTo(db, scope, now)} and person = any(${people}) returning person`
  return rows.length > 0
}

/** Returns the phone numbers and LIDs of contacts that have both, and one of those given. */
export async function findAddresses(
  db: Db,
  scope: Scope,
  { phones, lids }: { phones: string[]; lids: string[] },
): Promise<{ phone: string; lid: string }[]> {
  return db.scoped<{ phone: string; lid: string }[]>`
    select distinct c.phone, c.lid
    from instance i cross join lateral (
      select phone, lid from contact where instance_id = i.id and phone = any(${phones})
      union all
      select phone, lid from contact where instance_id = i.id and lid = any(${lids})) c
    where ${ownedBy(db, scope, 'i')} and c.phone is not null and c.lid is not null`
}
