import type { Mode } from '../../kernel/config/config.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { within } from '../../platform/db/sql.ts'

export type LabelRow = { id: string; networkId: string; name: string; color: string }
type Owner = { id: string; projectId: string; mode: Mode }

export async function listLabels(
  db: Db,
  scope: Scope,
  instanceId: string,
  page: { limit: number; offset: number; now: Date },
): Promise<LabelRow[]> {
  return db.scoped<LabelRow[]>`
    select id, network_id, name, color from label
    where ${within(db, scope, page.now)} and instance_id = ${instanceId}
    order by created_at desc, id desc limit ${page.limit} offset ${page.offset}`
}

/** On how many conversations each label of an instance is. */
export async function countLabelled(
  db: Db,
  scope: Scope,
  instanceId: string,
  now: Date,
): Promise<{ labelId: string; conversations: number }[]> {
  return db.scoped<{ labelId: string; conversations: number }[]>`
    select label_id, count(*)::int as conversations from label_conversation
    where label_id in (select id from label where ${within(db, scope, now)} and instance_id = ${instanceId})
    group by label_id`
}

export async function findLabel(
  db: Db,
  scope: Scope,
  instanceId: string,
  labelId: string,
  now: Date,
): Promise<LabelRow | null> {
  const [row] = await db.scoped<LabelRow[]>`
    select id, network_id, name, color from label
    where ${within(db, scope, now)} and instance_id = ${instanceId} and id = ${labelId}`
  return row ?? null
}

/** A label by its id on the network, locked. */
export async function lockLabel(
  db: Db,
  instance: Owner,
  networkId: string,
): Promise<LabelRow | null> {
  const [row] = await db.system<LabelRow[]>`
    select id, network_id, name, color from label
    where instance_id = ${instance.id} and network_id = ${networkId} for update`
  return row ?? null
}

/** Makes or changes a label; null when somebody else made it meanwhile. */
export async function putLabel(
  db: Db,
  instance: Owner,
  label: LabelRow,
  now: Date,
): Promise<boolean> {
  const rows = await db.system`
    insert into label as o (id, project_id, mode, instance_id, network_id, name, color, created_at)
    values (${label.id}, ${instance.projectId}, ${instance.mode}, ${instance.id}, ${label.networkId},
      ${label.name}, ${label.color}, ${now})
    on conflict (instance_id, network_id) do update set name = excluded.name, color = excluded.color
      where (o.name, o.color) is distinct from (excluded.name, excluded.color)
    returning id`
  return rows.length > 0
}

export async function dropLabel(db: Db, instance: Owner, labelId: string): Promise<boolean> {
  const rows = await db.system`
    delete from label where instance_id = ${instance.id} and id = ${labelId} returning id`
  return rows.length > 0
}

/** Puts a label on a conversation or takes it off; false when it was so already. */
export async function associate(
  db: Db,
  labelId: string,
  conversationId: string,
  on: boolean,
): Promise<boolean> {
  const rows = on
    ? await db.system`
        insert into label_conversation (label_id, conversation_id) values (${labelId}, ${conversationId})
        on conflict do nothing returning label_id`
    : await db.system`
        delete from label_conversation
        where label_id = ${labelId} and conversation_id = ${conversationId} returning label_id`
  return rows.length > 0
}
