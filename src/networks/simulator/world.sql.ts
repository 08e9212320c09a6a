import type { Db, Fragment } from '../../platform/db/sql.ts'
import { ownedBy, ownerOf } from '../../platform/db/sql.ts'
import type { CallStatus, Participant } from '../../model/records.schemas.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'

export type WorldGroup = {
  id: string
  subject: string
  description: string | null
  ownerPhone: string
  createdAt: Date
  /** With the LID and the name of those who are virtual phones. */
  members: Participant[]
}

function readGroups(db: Db, scope: PhoneScope, which: Fragment): Promise<WorldGroup[]> {
  return db.scoped<WorldGroup[]>`
    select g.id, g.subject, g.description, g.owner_phone, g.created_at,
      (select coalesce(jsonb_agg(jsonb_build_object('phone', m.phone, 'lid', p.lid, 'name', p.name,
          'role', m.role) order by m.role desc, m.phone), '[]')
        from simulator_member m left join simulator_phone p
          on p.phone = m.phone and p.project_id = g.project_id and p.mode = g.mode
        where m.group_id = g.id) as members
    from simulator_group g
    where ${ownedBy(db, scope, 'g')} and ${which}`
}

export const findGroups = (db: Db, scope: PhoneScope, ids: string[]) =>
  readGroups(db, scope, db.sql`g.id = any(${ids})`)

export const findGroupsOf = (db: Db, scope: PhoneScope, phone: string) =>
  readGroups(
    db,
    scope,
    db.sql`exists (select 1 from simulator_member m where m.group_id = g.id and m.phone = ${phone})`,
  )

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

export async function updateGroup(
  db: Db,
  scope: PhoneScope,
  groupId: string,
  texts: { subject: string; description: string | null },
): Promise<void> {
  await db.scoped`
    update simulator_group set subject = ${texts.subject}, description = ${texts.description}
    where id = ${groupId} and ${ownedBy(db, scope)}`
}

export async function putMembers(
  db: Db,
  groupId: string,
  phones: string[],
  role: Participant['role'],
): Promise<void> {
  await db.system`
    insert into simulator_member (group_id, phone, role)
    select distinct ${groupId}, phone, ${role} from unnest(${phones}::text[]) as t(phone)
    on conflict (group_id, phone) do update set role = excluded.role`
}

export async function dropMembers(db: Db, groupId: string, phones: string[]): Promise<void> {
  await db.system`delete from simulator_member where group_id = ${groupId} and phone = any(${phones})`
}

export type WorldLabel = { id: string; name: string; color: string }

export async function listLabels(db: Db, phoneId: string): Promise<WorldLabel[]> {
  return db.system<WorldLabel[]>`
    select id, name, color from simulator_label where phone_id = ${phoneId} order by id`
}

/** Makes a label, or changes the phone's own; false when the id is not the phone's. */
export async function saveLabel(db: Db, phoneId: string, label: WorldLabel): Promise<boolean> {
  const rows = await db.system`
    insert into simulator_label as o (id, phone_id, name, color)
    values (${label.id}, ${phoneId}, ${label.name}, ${label.color})
    on conflict (id) do update set name = excluded.name, color = excluded.color where o.phone_id = ${phoneId}
    returning id`
  return rows.length > 0
}

export async function deleteLabel(
  db: Db,
  phoneId: string,
  labelId: string,
): Promise<WorldLabel | null> {
  const [row] = await db.system<WorldLabel[]>`
    delete from simulator_label where phone_id = ${phoneId} and id = ${labelId} returning id, name, color`
  return row ?? null
}

export type WorldCall = {
  id: string
  fromPhone: string
  toPhone: string
  video: boolean
  status: CallStatus
  at: Date
}

export async function insertCall(db: Db, scope: PhoneScope, call: WorldCall): Promise<void> {
  await db.scoped`
    insert into simulator_call (id, project_id, mode, from_phone, to_phone, video, status, at)
    values (${call.id}, ${ownerOf(db, scope)}, ${call.fromPhone}, ${call.toPhone}, ${call.video},
      ${call.status}, ${call.at})`
}

/** Ends a call that rings; false when none does. */
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
