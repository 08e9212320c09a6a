import type { Db, Scope } from '../../platform/db/sql.ts'
import {
  likePattern,
  matches,
  movingProjects,
  timestamps,
  scopedTo,
} from '../../platform/db/sql.ts'

/** A stored contact; at least one of `phone` and `lid` is set. */
export type ContactRow = {
  id: number
  phone: string | null
  lid: string | null
  /** The name that the network reports. */
  profileName: string | null
  /** The name given by the team, which overrides the profile name. */
  customName: string | null
  /** The team's custom fields by name. */
  fields: Record<string, string>
  createdAt: Date
  updatedAt: Date
  /** When their security code last changed, or null. */
  identityChangedAt: Date | null
}

const columns = (db: Db) =>
  db.sql`id, phone, lid, name as profile_name, custom_name, fields, created_at, updated_at,
    identity_changed_at`

/** Returns a page of an instance's contacts, newest first. */
export async function listContacts(
  db: Db,
  scope: Scope,
  instanceId: string,
  q: string | null,
  page: { limit: number; offset: number; now: Date },
): Promise<ContactRow[]> {
  const found = q
    ? db.sql`and (${matches(db, q)} or fold_text(custom_name) like fold_text(${likePattern(q)})
        or exists (select 1 from jsonb_each_text(fields) f
          where fold_text(f.value) like fold_text(${likePattern(q)})))`
    : db.sql``
  return db.scoped<ContactRow[]>`
    select ${columns(db)} from contact
    where ${scopedTo(db, scope, page.now)} and instance_id = ${instanceId} ${found}
    order by id desc limit ${page.limit} offset ${page.offset}`
}

/** Returns the contact with one of these phones or this LID, or null. */
export async function findContact(
  db: Db,
  scope: Scope,
  instanceId: string,
  { phones, lid }: { phones: string[]; lid: string | null },
  now: Date,
): Promise<ContactRow | null> {
  const [row] = await db.scoped<ContactRow[]>`
    select ${columns(db)} from contact
    where ${scopedTo(db, scope, now)} and instance_id = ${instanceId}
      and (phone = any(${phones}) or lid = ${lid})
    order by array_position(${phones}::text[], phone) limit 1`
  return row ?? null
}

/** Counts the contacts of an instance. */
export async function countContacts(db: Db, scope: Scope, instanceId: string, now: Date) {
  const [row] = await db.scoped<{ count: number }[]>`
    select count(*)::int as count from contact
    where ${scopedTo(db, scope, now)} and instance_id = ${instanceId}`
  return row?.count ?? 0
}

/** Returns the phone number of the contact with this LID, or null if it is unknown. */
export async function findPhoneByLid(
  db: Db,
  scope: Scope,
  instanceId: string,
  lid: string,
  now: Date,
): Promise<string | null> {
  const [row] = await db.scoped<{ phone: string | null }[]>`
    select phone from contact
    where ${scopedTo(db, scope, now)} and instance_id = ${instanceId} and lid = ${lid}`
  return row?.phone ?? null
}

/** Returns the given LIDs, parallel to `instanceIds`, that a contact links to a phone number. */
export async function findLinkedLids(
  db: Db,
  instanceIds: string[],
  lids: string[],
): Promise<{ instanceId: string; lid: string; phone: string }[]> {
  return db.system<{ instanceId: string; lid: string; phone: string }[]>`
    select k.instance_id, k.lid, k.phone
    from (select distinct * from unnest(${instanceIds}::text[], ${lids}::text[])) as i(instance_id, lid)
      join contact k on k.instance_id = i.instance_id and k.lid = i.lid
    where k.phone is not null`
}

/**
 * Returns the contacts that have one of these phones or LIDs; the arrays are parallel. Takes no row locks: the
 * Project's lock, which callers hold, serializes changes to contacts.
 */
export async function findContactsByIds(
  db: Db,
  instanceIds: string[],
  phones: (string | null)[],
  lids: (string | null)[],
): Promise<(ContactRow & { instanceId: string })[]> {
  return db.system<(ContactRow & { instanceId: string })[]>`
    select distinct on (c.id) c.id, c.instance_id, c.phone, c.lid, c.name as profile_name, c.custom_name,
      c.fields, c.created_at, c.updated_at, c.identity_changed_at
    from unnest(${instanceIds}::text[], ${phones}::text[], ${lids}::text[]) as i(instance_id, phone, lid)
    cross join lateral (
      select * from contact where instance_id = i.instance_id and phone = i.phone
      union all
      select * from contact where instance_id = i.instance_id and lid = i.lid) c
    order by c.id`
}

/** A contact to insert or update. */
export type ContactWrite = {
  /** Null inserts a new contact. */
  id: number | null
  instanceId: string
  projectId: string
  mode: string
  phone: string | null
  lid: string | null
  profileName: string | null
  customName: string | null
  fields: Record<string, string>
  identityChangedAt: Date | null
}

/** Inserts and updates contacts, and deletes those (`mergedIds`) that were merged into others. */
export async function writeContacts(
  db: Db,
  contacts: ContactWrite[],
  mergedIds: number[],
  now: Date,
): Promise<void> {
  if (mergedIds.length > 0)
    await db.system`delete from contact where id = any(${mergedIds}::bigint[])`
  const changed = contacts.filter((contact) => contact.id !== null)
  const fresh = contacts.filter((contact) => contact.id === null)
  if (changed.length > 0) {
    // Clear released LIDs first: LIDs are unique per instance, and another row of this update may take one over.
    const giving = changed.filter((contact) => contact.lid === null)
    await db.system`
      update contact set lid = null where id = any(${giving.map((contact) => contact.id)}::bigint[])`
    await db.system`
      update contact c set phone = n.phone, lid = n.lid, name = n.name, custom_name = n.custom_name,
        fields = n.fields::jsonb, identity_changed_at = n.identity_changed_at, updated_at = ${now}
      from unnest(${changed.map((contact) => contact.id)}::bigint[],
        ${changed.map((contact) => contact.phone)}::text[], ${changed.map((contact) => contact.lid)}::text[],
        ${changed.map((contact) => contact.profileName)}::text[],
        ${changed.map((contact) => contact.customName)}::text[],
        ${changed.map((contact) => JSON.stringify(contact.fields))}::text[],
        ${timestamps(
          db,
          changed.map((contact) => contact.identityChangedAt),
        )}::timestamptz[])
        as n(id, phone, lid, name, custom_name, fields, identity_changed_at)
      where c.id = n.id`
  }
  if (fresh.length > 0) {
    await db.system`
      insert into contact (project_id, mode, instance_id, phone, lid, name, custom_name, fields,
        created_at, updated_at)
      select project_id, mode, instance_id, phone, lid, name, custom_name, fields::jsonb, at, at from unnest(
        ${fresh.map((contact) => contact.projectId)}::text[], ${fresh.map((contact) => contact.mode)}::text[],
        ${fresh.map((contact) => contact.instanceId)}::text[], ${fresh.map((contact) => contact.phone)}::text[],
        ${fresh.map((contact) => contact.lid)}::text[],
        ${fresh.map((contact) => contact.profileName)}::text[],
        ${fresh.map((contact) => contact.customName)}::text[],
        ${fresh.map((contact) => JSON.stringify(contact.fields))}::text[],
        ${timestamps(
          db,
          fresh.map(() => now),
        )}::timestamptz[]) as n(project_id, mode, instance_id, phone, lid, name, custom_name, fields, at)
      on conflict do nothing`
  }
}

/** Stores when a contact's security code last changed; does nothing if the person is not a contact. */
export async function writeIdentityChange(
  db: Db,
  instanceId: string,
  { phones, lid }: { phones: string[]; lid: string | null },
  at: Date,
): Promise<void> {
  await db.system`
    update contact set identity_changed_at = ${at}
    where instance_id = ${instanceId} and (phone = any(${phones}) or lid = ${lid})
      and (identity_changed_at is null or identity_changed_at < ${at})`
}

/** A number as entered (`input`) and as its network writes it; `phone` is null if it is not on the network. */
export type NumberCheck = { input: string; phone: string | null; lid: string | null }

/**
 * Returns the unexpired checks of these numbers: hits newer
 * than `since.hit` and misses newer than `since.miss`.
 */
export async function findFreshNumberChecks(
  db: Db,
  keys: { projectId: string; mode: string; input: string }[],
  since: { hit: Date; miss: Date },
): Promise<(NumberCheck & { projectId: string; mode: string })[]> {
  return db.system<(NumberCheck & { projectId: string; mode: string })[]>`
    select n.project_id, n.mode, n.input, n.phone, n.lid
    from unnest(${keys.map((key) => key.projectId)}::text[], ${keys.map((key) => key.mode)}::text[],
      ${keys.map((key) => key.input)}::text[]) as k(project_id, mode, input)
    join number_check n using (project_id, mode, input)
    where n.checked_at > case when n.phone is null then ${since.miss}::timestamptz
      else ${since.hit}::timestamptz end`
}

/** Stores the results of number checks, replacing older ones. */
export async function saveNumberChecks(
  db: Db,
  found: (NumberCheck & { projectId: string; mode: string })[],
  now: Date,
): Promise<void> {
  await db.system`
    insert into number_check (project_id, mode, input, phone, lid, checked_at)
    select distinct on (project_id, mode, input) project_id, mode, input, phone, lid, ${now}::timestamptz
    from unnest(${found.map((one) => one.projectId)}::text[], ${found.map((one) => one.mode)}::text[],
      ${found.map((one) => one.input)}::text[], ${found.map((one) => one.phone)}::text[],
      ${found.map((one) => one.lid)}::text[]) as f(project_id, mode, input, phone, lid)
    order by project_id, mode, input
    on conflict (project_id, mode, input) do update set phone = excluded.phone, lid = excluded.lid,
      checked_at = excluded.checked_at`
}

/** Deletes number checks from before `before`, which are no longer valid. */
export async function deleteNumberChecks(db: Db, before: Date): Promise<void> {
  await db.system`
    delete from number_check where checked_at < ${before}
      and project_id <> all(${movingProjects(db)})`
}
