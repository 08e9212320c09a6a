import type { Db } from '../../platform/db/sql.ts'
import type { InboundChange } from '../../networks/network-events.port.ts'
import { messageColumns } from './messages.sql.ts'
import type { MessageRow } from '../../model/message.ts'
import { PARTICIPANT_ROLES, ADMIN_ROLES } from '../../model/vocabulary.ts'

/** Roles that count as participants of a chat. */
const MEMBERS = [...PARTICIPANT_ROLES]
/** Roles that may revoke other participants' messages. */
const ADMINS = [...ADMIN_ROLES]

/** Maximum pending changes stored per instance, and per sender of one; the oldest are dropped first. */
const MAX_PENDING = 1000
const MAX_PENDING_PER_SENDER = 50

/**
 * The message that a change refers to. `byAuthor`, `byMember` and `byAdmin` describe the sender of the change;
 * `onlyAdminsEdit` is that setting of its group, false if unknown.
 */
export type ChangeTarget = MessageRow & {
  sameChat: boolean
  byAuthor: boolean
  byMember: boolean
  byAdmin: boolean
  onlyAdminsEdit: boolean
}

/**
 * Loads and locks the message that a change refers to, with the facts that decide whether the change is authorized.
 * Network ids are unique only within a chat, so a message of the same chat is preferred. Null if no message has the
 * id.
 */
export async function findChangeTarget(
  db: Db,
  instanceId: string,
  { waMessageId, chatId, by }: InboundChange,
): Promise<ChangeTarget | null> {
  const [row] = await db.system<ChangeTarget[]>`
    select ${messageColumns(db)}, same_chat(m.instance_id, m.chat_id, ${chatId}) as same_chat,
      m.direction = 'inbound' and same_person(m.instance_id, m.sender_phone, m.sender_lid, ${by.phone}, ${by.lid})
        as by_author,
      is_participant(m.instance_id, m.chat_id, ${by.phone}, ${by.lid}, ${MEMBERS}) as by_member,
      m.chat_type = 'group' and is_participant(m.instance_id, m.chat_id, ${by.phone}, ${by.lid}, ${ADMINS}) as by_admin,
      exists (select from chat_group g where g.instance_id = m.instance_id and g.id = m.chat_id
        and (g.settings ->> 'onlyAdminsEdit')::boolean) as only_admins_edit
    from message m join conversation c on c.id = m.conversation_id left join media d on d.id = m.media_id
    where m.instance_id = ${instanceId} and m.wa_message_id = ${waMessageId}
    order by same_chat desc, m.seq desc limit 1 for update of m`
  return row ?? null
}

/** The reference that a reaction or vote makes: its chat, target and author. */
export type Reference = {
  instanceId: string
  chatId: string
  targetWaMessageId: string
  phone: string | null
  lid: string | null
}

/** A reference that is not authorized; `position` counts from 0. */
export type RefusedReference = { position: number; reason: 'other_chat' | 'not_a_participant' }

/**
 * Returns the references that are not authorized: the author is not a participant of the chat, or the target is stored
 * only in other chats. A target that is not stored at all is accepted; it may predate the pairing of the account.
 */
export async function findRefusedReferences(
  db: Db,
  references: Reference[],
): Promise<RefusedReference[]> {
  return db.system<RefusedReference[]>`
    select position::int - 1 as position,
      case when known and not here then 'other_chat' else 'not_a_participant' end as reason
    from (
      select r.position, is_participant(r.instance_id, r.chat_id, r.phone, r.lid, ${MEMBERS}) as member,
        exists (select from message m where m.instance_id = r.instance_id
          and m.wa_message_id = r.target) as known,
        exists (select from message m where m.instance_id = r.instance_id
          and m.wa_message_id = r.target and same_chat(m.instance_id, m.chat_id, r.chat_id)) as here
      from unnest(
        ${references.map((one) => one.instanceId)}::text[], ${references.map((one) => one.chatId)}::text[],
        ${references.map((one) => one.targetWaMessageId)}::text[],
        ${references.map((one) => one.phone)}::text[], ${references.map((one) => one.lid)}::text[])
        with ordinality as r(instance_id, chat_id, target, phone, lid, position)) checked
    where not member or (known and not here)`
}

/** A reported edit, revocation, pin or keep of a message. */
export type PendingChange = InboundChange &
  (
    | { kind: 'edited'; text: string }
    | { kind: 'deleted' }
    | { kind: 'pinned'; until: number | null }
    | { kind: 'kept'; kept: boolean }
  )

/**
 * Stores a change whose message has not arrived yet. Limited per sender, because
 * edits of messages that do not exist would otherwise evict the changes of others.
 */
export async function savePendingChange(
  db: Db,
  instanceId: string,
  change: PendingChange,
  now: Date,
): Promise<void> {
  await db.system`
    insert into pending_change (instance_id, wa_message_id, change, created_at)
    values (${instanceId}, ${change.waMessageId}, ${db.sql.json(change)}, ${now})`
  const { phone, lid } = change.by
  await db.system`
    delete from pending_change where instance_id = ${instanceId} and id in (
      select id from pending_change where instance_id = ${instanceId}
        and (change #>> '{by,phone}' = ${phone} or change #>> '{by,lid}' = ${lid})
      order by id desc offset ${MAX_PENDING_PER_SENDER})`
  await db.system`
    delete from pending_change where instance_id = ${instanceId} and id <= (
      select id from pending_change where instance_id = ${instanceId}
      order by id desc offset ${MAX_PENDING} limit 1)`
}

/** Deletes and returns the pending changes of these messages, oldest first. */
export async function popPendingChanges(
  db: Db,
  messages: { instanceId: string; waMessageId: string }[],
): Promise<{ instanceId: string; change: PendingChange }[]> {
  return db.system<{ instanceId: string; change: PendingChange }[]>`
    with taken as (
      delete from pending_change p using unnest(
        ${messages.map(({ instanceId }) => instanceId)}::text[],
        ${messages.map(({ waMessageId }) => waMessageId)}::text[]) as i(instance_id, wa_message_id)
      where p.instance_id = i.instance_id and p.wa_message_id = i.wa_message_id
      returning p.id, p.instance_id, p.change)
    select instance_id, change from taken order by id`
}

/** Deletes the pending changes stored before `before`. */
export async function sweepPendingChanges(db: Db, before: Date): Promise<void> {
  await db.system`delete from pending_change where created_at < ${before}`
}
