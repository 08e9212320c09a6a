import type { Mode } from '../../kernel/config/config.ts'
import type { Db, Scope, ScopeFragment } from '../../platform/db/sql.ts'
import { matches, scopedTo } from '../../platform/db/sql.ts'
import type { GroupCommunity } from '../../model/group-community.schemas.ts'
import type { GroupSettings } from '../../model/group-settings.schemas.ts'
import type { Participant } from '../../model/records.schemas.ts'

/** A group with its participants and its conversation's id. */
export type GroupRow = {
  id: string
  instanceId: string
  conversationId: string | null
  subject: string
  description: string | null
  ownerPhone: string | null
  ownerLid: string | null
  ownerName: string | null
  settings: GroupSettings | null
  community: GroupCommunity | null
  participants: Participant[]
  createdAt: Date
}

type Owner = { id: string; projectId: string; mode: Mode }

function readGroups(db: Db, groups: ScopeFragment): Promise<GroupRow[]> {
  return db.scoped<GroupRow[]>`
    select g.id, g.instance_id, c.id as conversation_id, g.subject, g.description, g.owner_phone, g.owner_lid,
      g.owner_name, g.settings, g.community, g.created_at,
      coalesce((select jsonb_agg(jsonb_build_object('phone', p.phone, 'lid', p.lid, 'name', p.name,
          'role', p.role) order by p.role desc, p.key)
        from group_participant p where p.instance_id = g.instance_id and p.group_id = g.id), '[]') as participants
    from (${groups}) g
      left join conversation c on c.instance_id = g.instance_id and c.chat_id = g.id
    order by g.created_at desc, g.id desc`
}

/** Returns a page of an instance's groups, newest first; `q` filters by name, `community` by the community. */
export async function listGroups(
  db: Db,
  scope: Scope,
  instanceId: string,
  { q, community }: { q: string | null; community: string | null },
  page: { limit: number; offset: number; now: Date },
): Promise<GroupRow[]> {
  return readGroups(
    db,
    db.sql`select * from chat_group where ${scopedTo(db, scope, page.now)} and instance_id = ${instanceId} ${q ? db.sql`and ${matches(db, q)}` : db.sql``}
        ${community ? db.sql`and community->>'id' = ${community}` : db.sql``}
      order by created_at desc, id desc limit ${page.limit} offset ${page.offset}`,
  )
}

/** Returns a group by its id, or null. */
export async function findGroup(
  db: Db,
  scope: Scope,
  instanceId: string,
  groupId: string,
  now: Date,
): Promise<GroupRow | null> {
  const [row] = await readGroups(
    db,
    db.sql`select * from chat_group
      where ${scopedTo(db, scope, now)} and instance_id = ${instanceId} and id = ${groupId}`,
  )
  return row ?? null
}

/** Loads the changeable fields of a group and locks its row; null if the group is unknown. */
export async function lockGroup(
  db: Db,
  instance: Owner,
  groupId: string,
): Promise<GroupTexts | null> {
  const [row] = await db.system<GroupTexts[]>`
    select subject, description, settings, community from chat_group where instance_id = ${instance.id} and id = ${groupId} for update`
  return row ?? null
}

/** The texts and settings of a group; null settings are unknown. */
export type GroupTexts = {
  subject: string
  description: string | null
  settings: GroupSettings | null
  /** Absent if unknown; the stored value is kept. */
  community?: GroupCommunity | null
}

/** Inserts a group or replaces its subject, description, settings (if known), community and owner. */
export async function upsertGroup(
  db: Db,
  instance: Owner,
  group: GroupTexts & {
    groupId: string
    owner: { phone: string | null; lid: string | null; name: string | null } | null
    createdAt: Date
  },
): Promise<void> {
  const { groupId, subject, description, settings, community, owner, createdAt } = group
  await db.system`
    insert into chat_group (instance_id, id, project_id, mode, subject, description, owner_phone, owner_lid,
      owner_name, settings, community, created_at)
    values (${instance.id}, ${groupId}, ${instance.projectId}, ${instance.mode}, ${subject}, ${description},
      ${owner?.phone ?? null}, ${owner?.lid ?? null}, ${owner?.name ?? null},
      ${settings && db.sql.json(settings)}::jsonb, ${community ? db.sql.json(community) : null}::jsonb, ${createdAt})
    on conflict (instance_id, id) do update set subject = excluded.subject, description = excluded.description,
      owner_phone = excluded.owner_phone, owner_lid = excluded.owner_lid, owner_name = excluded.owner_name,
      settings = coalesce(excluded.settings, chat_group.settings),
      community = case when ${community === undefined} then chat_group.community else excluded.community end`
}

/** Replaces all participants of a group. */
export async function replaceParticipants(
  db: Db,
  instance: Owner,
  groupId: string,
  participants: Participant[],
): Promise<void> {
  await db.system`delete from group_participant where instance_id = ${instance.id} and group_id = ${groupId}`
  await insertParticipants(db, instance, groupId, participants)
}

/**
 * Adds participants or changes their roles, matching them by phone or LID. Returns the added
 * and changed ones with everything known about them. The caller holds the group's lock.
 */
export async function upsertParticipants(
  db: Db,
  instance: Owner,
  groupId: string,
  participants: Participant[],
): Promise<Participant[]> {
  const known = await popParticipants(db, instance, groupId, participants)
  const written = participants.map((participant, index) => {
    const rows = known.get(index) ?? []
    const isChanged = rows.length === 0 || rows.some(({ role }) => role !== participant.role)
    return { participant: completeParticipant(participant, rows), isChanged }
  })
  await insertParticipants(
    db,
    instance,
    groupId,
    written.map(({ participant }) => participant),
  )
  return written.filter(({ isChanged }) => isChanged).map(({ participant }) => participant)
}

/**
 * Removes people from a group, matching them by phone or LID. Returns those who were participants. The
 * caller holds the group's lock.
 */
export async function deleteParticipants(
  db: Db,
  instance: Owner,
  groupId: string,
  people: Omit<Participant, 'role'>[],
): Promise<Participant[]> {
  const known = await popParticipants(db, instance, groupId, people)
  return people.flatMap((person, index) => {
    const rows = known.get(index) ?? []
    const [first] = rows
    return first ? [completeParticipant({ ...person, role: first.role }, rows)] : []
  })
}

/** Completes a participant with the phone, LID and name from the group's rows of the same person. */
function completeParticipant(participant: Participant, rows: Participant[]): Participant {
  const first = (field: 'phone' | 'lid' | 'name') =>
    participant[field] ?? rows.find((row) => row[field] !== null)?.[field] ?? null
  return { phone: first('phone'), lid: first('lid'), name: first('name'), role: participant.role }
}

/** Deletes and returns the rows of these people, by the index of the person. */
async function popParticipants(
  db: Db,
  instance: Owner,
  groupId: string,
  people: Pick<Participant, 'phone' | 'lid'>[],
): Promise<Map<number, Participant[]>> {
  const rows = await db.system<(Participant & { position: number })[]>`
    with person as (
      select position::int - 1 as position, phone, lid
      from unnest(${people.map(({ phone }) => phone)}::text[], ${people.map(({ lid }) => lid)}::text[])
        with ordinality as p(phone, lid, position)),
    address as (
      select position, phone as address from person
      union select position, lid from person
      union select p.position, k.phone from person p
        join contact k on k.instance_id = ${instance.id} and k.lid = p.lid
      union select p.position, k.lid from person p
        join contact k on k.instance_id = ${instance.id} and k.phone = p.phone),
    found as (
      select a.position, o.key from address a join group_participant o on o.key = a.address
      where o.instance_id = ${instance.id} and o.group_id = ${groupId}
      union select a.position, o.key from address a join group_participant o on o.lid = a.address
      where o.instance_id = ${instance.id} and o.group_id = ${groupId})
    delete from group_participant o using (select key, min(position) as position from found group by key) f
    where o.instance_id = ${instance.id} and o.group_id = ${groupId} and o.key = f.key
    returning f.position, o.phone, o.lid, o.name, o.role`
  return Map.groupBy(rows, ({ position }) => position)
}

async function insertParticipants(
  db: Db,
  instance: Owner,
  groupId: string,
  participants: Participant[],
): Promise<void> {
  // The phone identifies a participant within its group, or the LID if the phone is unknown.
  await db.system`
    insert into group_participant (instance_id, group_id, key, phone, lid, name, role)
    select distinct on (key) ${instance.id}, ${groupId}, key, phone, lid, name, role
    from unnest(${participants.map(({ phone, lid }) => phone ?? lid ?? '')}::text[],
      ${participants.map(({ phone }) => phone)}::text[],
      ${participants.map(({ lid }) => lid)}::text[], ${participants.map(({ name }) => name)}::text[],
      ${participants.map(({ role }) => role)}::text[]) as p(key, phone, lid, name, role)
    on conflict do nothing`
}
