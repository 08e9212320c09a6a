import type { Ownership } from '../../instances/fence.service.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { scopedTo, timestamps } from '../../platform/db/sql.ts'

/** Whether an earlier message of conversation `m.conversation_id` has left or come in: whether its chat has begun. */
const hasBegun = (db: Db) => db.sql`exists (
  select from message e where e.conversation_id = m.conversation_id and e.status <> 'queued'
    and e.id <> m.id)`

/** A message that starts a chat; `slotted` if it has waited for its time. */
type Starter = { seq: number; slotted: boolean; conversationId: string }

/**
 * Returns which of these claimed messages start a chat and may still wait. One that was handed to the network before this
 * claim, at `now`, may not: the network may have it.
 */
export async function findStarters(
  db: Db,
  instanceId: string,
  seqs: number[],
  now: Date,
): Promise<Starter[]> {
  return db.system<Starter[]>`
    select o.seq, o.waits_until is not null as slotted, m.conversation_id
    from outbox o join message m on m.id = o.message_id
    where o.instance_id = ${instanceId} and o.seq = any(${seqs}::bigint[]) and m.chat_type = 'direct'
      and o.first_sent_at >= ${now} and not ${hasBegun(db)} and not exists (
        select from outbox x join message e on e.id = x.message_id
        where x.instance_id = o.instance_id and x.sending and x.first_sent_at < ${now}
          and e.conversation_id = m.conversation_id)
    order by o.seq`
}

/** Returns claimed messages to the outbox, each until its time. Skips instances that another node has taken over. */
export async function holdPlaces(
  db: Db,
  owner: Ownership,
  instanceId: string,
  places: { seq: number; until: Date }[],
  now: Date,
): Promise<void> {
  await db.system`
    update outbox o set sending = false, first_sent_at = null, due_at = ${now}, waits_until = i.until
    from unnest(${places.map(({ seq }) => seq)}::bigint[],
      ${timestamps(
        db,
        places.map(({ until }) => until),
      )}::timestamptz[]) as i(seq, until)
    where o.instance_id = ${instanceId} and o.seq = i.seq and o.sending and exists (
      select from instance n
      where n.id = o.instance_id and n.owner_node = ${owner.node} and n.owner_epoch = ${owner.epoch})`
}

/** Counts one more chat started on a day, unless there are `most`; returns whether it did. */
export async function takeNewChat(
  db: Db,
  instanceId: string,
  day: string,
  most: number,
): Promise<boolean> {
  const rows = await db.system`
    insert into pace_day as p (instance_id, day, started) values (${instanceId}, ${day}::date, 1)
    on conflict (instance_id, day) do update set started = p.started + 1 where p.started < ${most}
    returning 1`
  return rows.length > 0
}

/** When the last waiting message of an instance may leave, or null. */
export async function findLastSlot(db: Db, instanceId: string): Promise<Date | null> {
  const [row] = await db.system<{ at: Date | null }[]>`
    select max(waits_until) as at from outbox where instance_id = ${instanceId}`
  return row?.at ?? null
}

/** When an instance was paired. */
export async function findPairedAt(db: Db, instanceId: string): Promise<Date | null> {
  const [row] = await db.system<{ pairedAt: Date | null }[]>`
    select paired_at from instance where id = ${instanceId}`
  return row?.pairedAt ?? null
}

/** The chats that an instance has started on a day, and the messages that wait because of its pace. */
export type PaceState = { started: number; waiting: number; nextAt: Date | null }

/** Reads the pace of an instance on a day. */
export async function readPace(
  db: Db,
  scope: Scope,
  instanceId: string,
  day: string,
  now: Date,
): Promise<PaceState> {
  const [row] = await db.scoped<PaceState[]>`
    select coalesce((select started from pace_day where instance_id = instance.id and day = ${day}::date), 0) as started,
      (select count(*) from outbox where instance_id = instance.id and waits_until > ${now}) as waiting,
      (select min(waits_until) from outbox where instance_id = instance.id and waits_until > ${now}) as next_at
    from instance where ${scopedTo(db, scope, now)} and id = ${instanceId}`
  return row ?? { started: 0, waiting: 0, nextAt: null }
}

/** Whether a chat, by its id or that of its conversation, has begun: whether a message has left or come in. */
export async function chatHasBegun(
  db: Db,
  scope: Scope,
  instanceId: string,
  chat: { chatId: string | null; conversationId: string | null },
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    select 1 from conversation c
    where ${scopedTo(db, scope, now)} and c.instance_id = ${instanceId}
      and (c.chat_id = ${chat.chatId}::text or c.id = ${chat.conversationId}::text)
      and exists (select from message m where m.conversation_id = coalesce(c.merged_into, c.id)
        and m.status <> 'queued')`
  return rows.length > 0
}

/** Deletes the counts of days before this one. */
export async function deletePaceDaysBefore(db: Db, day: string): Promise<void> {
  await db.system`delete from pace_day where day < ${day}::date`
}
