import type { Db, Scope } from '../platform/db/sql.ts'
import { accessGranted, ownerOf, scopedTo } from '../platform/db/sql.ts'

/** A stored opt-out. `person` is a phone number or a LID; `addedBy` is null for a reply. */
export type OptOutRow = { person: string; at: Date; addedBy: string | null }

/** Returns a page of opt-outs, newest first. */
export async function listOptOuts(
  db: Db,
  scope: Scope,
  person: string | null,
  page: { limit: number; offset: number; now: Date },
): Promise<OptOutRow[]> {
  return db.scoped<OptOutRow[]>`
    select person, at, added_by from opt_out
    where ${scopedTo(db, scope, page.now)} and (${person}::text is null or person = ${person})
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

/** Deletes an opt-out; returns whether it existed. */
export async function deleteOptOut(
  db: Db,
  scope: Scope,
  person: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    delete from opt_out where ${scopedTo(db, scope, now)} and person = ${person} returning person`
  return rows.length > 0
}
