import type { Db, Fragment } from '../../platform/db/sql.ts'
import { ownedBy, ownerOf } from '../../platform/db/sql.ts'
import type { GroupCommunity } from '../../model/group-community.schemas.ts'
import type { GroupSettings } from '../../model/group-settings.schemas.ts'
import type { Participant } from '../../model/records.schemas.ts'
import type { CallStatus } from '../../model/vocabulary.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'

/** A group of the simulated network. */
export type SimulatedGroup = {
  id: string
  subject: string
  description: string | null
  ownerPhone: string
  settings: GroupSettings | null
  community: GroupCommunity | null
  createdAt: Date
  /** LID and name are null for members that are not virtual phones. */
  members: Participant[]
}

function readGroups(db: Db, scope: PhoneScope, which: Fragment): Promise<SimulatedGroup[]> {
  return db.scoped<SimulatedGroup[]>`
    select g.id, g.subject, g.description, g.owner_phone, g.settings, g.community, g.created_at,
      (select coalesce(jsonb_agg(jsonb_build_object('phone', m.phone, 'lid', p.lid, 'name', p.name,
          'role', m.role) order by m.role desc, m.phone), '[]')
        from simulator_member m left join simulator_phone p
          on p.phone = m.phone and p.project_id = g.project_id and p.mode = g.mode
        where m.group_id = g.id) as members
    from simulator_group g
    where ${ownedBy(db, scope, 'g')} and ${which}`
}

/** Finds groups of a scope by id. */
export const findGroups = (db: Db, scope: PhoneScope, ids: string[]) =>
  readGroups(db, scope, db.sql`g.id = any(${ids})`)

/** Finds a community of a scope with all of its groups. */
export const findCommunity = (db: Db, scope: PhoneScope, id: string) =>
  readGroups(db, scope, db.sql`g.community->>'id' = ${id}`)

/** Adds a group to a community, or removes it with null. */
export async function setCommunity(
  db: Db,
  scope: PhoneScope,
  groupId: string,
  community: GroupCommunity | null,
): Promise<void> {
  await db.scoped`
    update simulator_group set community = ${community && db.sql.json(community)}::jsonb
    where id = ${groupId} and ${ownedBy(db, scope)}`
}

/** Finds the groups that a phone number is a member of. */
export const findGroupsOf = (db: Db, scope: PhoneScope, phone: string) =>
  readGroups(
    db,
    scope,
    db.sql`exists (select 1 from simulator_member m where m.group_id = g.id and m.phone = ${phone})`,
  )

/** Inserts a group without members. */
export async function insertGroup(
  db: Db,
  scope: PhoneScope,
  group: { id: string; subject: string; description: string | null; ownerPhone: string; now: Date },
): Promise<void> {
  await db.scoped`
    insert into simulator_group (id, project_id, mode, subject, description, owner_phone, created_at)
    values (${group.id}, ${ownerOf(db, scope)}, ${group.subject}, ${group.description},
      ${group.ownerPhone}, ${group.now})`
}

/** Overwrites a group's subject, description and settings. */
export async function updateGroup(
  db: Db,
  scope: PhoneScope,
  groupId: string,
  texts: { subject: string; description: string | null; settings: GroupSettings },
): Promise<void> {
  await db.scoped`
    update simulator_group set subject = ${texts.subject}, description = ${texts.description},
      settings = ${db.sql.json(texts.settings)}
    where id = ${groupId} and ${ownedBy(db, scope)}`
}

/** Returns the code of a group's invitation: a new one if it has none, or with `reset`. */
export async function inviteCode(
  db: Db,
  scope: PhoneScope,
  groupId: string,
  fresh: string,
  reset: boolean,
): Promise<string> {
  const [row] = await db.scoped<{ inviteCode: string }[]>`
    update simulator_group set invite_code = case when ${reset} then ${fresh} else coalesce(invite_code, ${fresh}) end
    where id = ${groupId} and ${ownedBy(db, scope)}
    returning invite_code`
  return row?.inviteCode ?? fresh
}

/** Finds the groups of a scope that a code invites to: one, or none. */
export const findInvitedGroups = (db: Db, scope: PhoneScope, code: string) =>
  readGroups(db, scope, db.sql`g.invite_code = ${code}`)

/** Adds members with this role and ends their requests to join; existing members get the role. */
export async function upsertMembers(
  db: Db,
  groupId: string,
  phones: string[],
  role: Participant['role'],
): Promise<void> {
  await deleteJoinRequests(db, groupId, phones)
  await db.system`
    insert into simulator_member (group_id, phone, role)
    select distinct ${groupId}, phone, ${role} from unnest(${phones}::text[]) as t(phone)
    on conflict (group_id, phone) do update set role = excluded.role`
}

/** Removes these phones from a group. */
export async function deleteMembers(db: Db, groupId: string, phones: string[]): Promise<void> {
  await db.system`delete from simulator_member where group_id = ${groupId} and phone = any(${phones})`
}

/** Stores that a phone asks to join a group; a repeated request changes nothing. */
export async function insertJoinRequest(
  db: Db,
  groupId: string,
  phone: string,
  now: Date,
): Promise<void> {
  await db.system`
    insert into simulator_join_request (group_id, phone, at) values (${groupId}, ${phone}, ${now})
    on conflict do nothing`
}

/** Lists who has asked to join a group, oldest first. */
export async function listJoinRequests(
  db: Db,
  scope: PhoneScope,
  groupId: string,
): Promise<{ phone: string; lid: string | null; name: string | null; requestedAt: Date }[]> {
  return db.scoped<{ phone: string; lid: string | null; name: string | null; requestedAt: Date }[]>`
    select r.phone, p.lid, p.name, r.at as requested_at
    from simulator_join_request r join simulator_group g on g.id = r.group_id
      left join simulator_phone p on p.phone = r.phone and p.project_id = g.project_id and p.mode = g.mode
    where ${ownedBy(db, scope, 'g')} and r.group_id = ${groupId} order by r.at, r.phone`
}

/** Ends the requests of these phones to join a group; returns those that had asked. */
export async function deleteJoinRequests(
  db: Db,
  groupId: string,
  phones: string[],
): Promise<string[]> {
  const rows = await db.system<{ phone: string }[]>`
    delete from simulator_join_request where group_id = ${groupId} and phone = any(${phones})
    returning phone`
  return rows.map(({ phone }) => phone)
}

/** A label of a virtual phone. */
export type SimulatedLabel = { id: string; name: string; color: string }

/** Lists the labels of a phone, ordered by id. */
export async function listLabels(db: Db, phoneId: string): Promise<SimulatedLabel[]> {
  return db.system<SimulatedLabel[]>`
    select id, name, color from simulator_label where phone_id = ${phoneId} order by id`
}

/** Creates or updates a label; false if the id belongs to another phone. */
export async function saveLabel(db: Db, phoneId: string, label: SimulatedLabel): Promise<boolean> {
  const rows = await db.system`
    insert into simulator_label as o (id, phone_id, name, color)
    values (${label.id}, ${phoneId}, ${label.name}, ${label.color})
    on conflict (id) do update set name = excluded.name, color = excluded.color where o.phone_id = ${phoneId}
    returning id`
  return rows.length > 0
}

/** Deletes and returns a label of the phone; null if the phone has none with this id. */
export async function deleteLabel(
  db: Db,
  phoneId: string,
  labelId: string,
): Promise<SimulatedLabel | null> {
  const [row] = await db.system<SimulatedLabel[]>`
    delete from simulator_label where phone_id = ${phoneId} and id = ${labelId} returning id, name, color`
  return row ?? null
}

/** A call between two numbers; `at` is its start. */
export type SimulatedCall = {
  id: string
  fromPhone: string
  toPhone: string
  video: boolean
  status: CallStatus
  at: Date
}

/** Inserts a call. */
export async function insertCall(db: Db, scope: PhoneScope, call: SimulatedCall): Promise<void> {
  await db.scoped`
    insert into simulator_call (id, project_id, mode, from_phone, to_phone, video, status, at)
    values (${call.id}, ${ownerOf(db, scope)}, ${call.fromPhone}, ${call.toPhone}, ${call.video},
      ${call.status}, ${call.at})`
}

/** Sets the final status of a ringing call; false if it is not ringing. */
export async function endCall(
  db: Db,
  scope: PhoneScope,
  callId: string,
  status: CallStatus,
): Promise<boolean> {
  const rows = await db.scoped`
    update simulator_call set status = ${status} where id = ${callId} and status = 'ringing'
      and ${ownedBy(db, scope)} returning id`
  return rows.length > 0
}
