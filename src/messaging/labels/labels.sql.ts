import type { Mode } from '../../kernel/config/config.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { scopedTo } from '../../platform/db/sql.ts'

/** A label; `networkId` is its id on the network. */
export type LabelRow = { id: string; networkId: string; name: string; color: string }
type Owner = { id: string; projectId: string; mode: Mode }

/** Returns a page of an instance's labels, newest first. */
export async function listLabels(
  db: Db,
  scope: Scope,
  instanceId: string,
  page: { limit: number; offset: number; now: Date },
): Promise<LabelRow[]> {
  return db.scoped<LabelRow[]>`
    select id, network_id, name, color from label
    where ${scopedTo(db, scope, page.now)} and instance_id = ${instanceId}
    order by created_at desc, id desc limit ${page.limit} offset ${page.offset}`
}

/** Returns the number of conversations per label of an instance; labels without conversations are omitted. */
export async function countConversationsByLabel(
  db: Db,
  scope: Scope,
  instanceId: string,
  now: Date,
): Promise<{ labelId: string; conversations: number }[]> {
  return db.scoped<{ labelId: string; conversations: number }[]>`
    select label_id, count(*)::int as conversations from label_conversation
    where label_id in (select id from label where ${scopedTo(db, scope, now)} and instance_id = ${instanceId})
    group by label_id`
}

/** Returns a label by its id, or null. */
export async function findLabel(
  db: Db,
  scope: Scope,
  instanceId: string,
  labelId: string,
  now: Date,
): Promise<LabelRow | null> {
  const [row] = await db.scoped<LabelRow[]>`
    select id, network_id, name, color from label
    where ${scopedTo(db, scope, now)} and instance_id = ${instanceId} and id = ${labelId}`
  return row ?? null
}

/** Loads a label by its id on the network and locks its row; null if unknown. */
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

/** Inserts or updates a label; returns false if it already has this name and color. */
export async function upsertLabel(
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

/** Deletes a label; returns false if it did not exist. */
export async function deleteLabel(db: Db, instance: Owner, labelId: string): Promise<boolean> {
  const rows = await db.system`
    delete from label where instance_id = ${instance.id} and id = ${labelId} returning id`
  return rows.length > 0
}

/** Adds a label to a conversation or removes it; returns false if nothing changed. */
export async function setLabelOnConversation(
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
