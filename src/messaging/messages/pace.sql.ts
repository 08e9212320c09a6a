import type { Ownership } from '../../instances/fence.service.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { scopedTo } from '../../platform/db/sql.ts'

/**
 * Whether the chat of the message `m` has started, that is, a
 * message in it was received or sent. Failed messages do not count.
 */
const hasStarted = (db: Db) => db.sql`exists (
  select from message e
  where e.conversation_id = m.conversation_id and e.status not in ('queued', 'failed'))`

/** Whether another message of the conversation of `m` has taken a turn and may have been sent. */
const isStarting = (db: Db) => db.sql`exists (
  select from outbox x join message e on e.id = x.message_id
  where x.instance_id = m.instance_id and x.admitted and e.conversation_id = m.conversation_id
    and e.id <> m.id)`

/** The pacing state of a claimed message of a direct chat. */
export type PacedMessage = {
  seq: number
  conversationId: string
  /** Starts a chat, and has not taken a turn. */
  starts: boolean
  /** An earlier message of its conversation waits. */
  behind: boolean
}

/** Reads the pacing state of claimed messages, in the order of acceptance. */
export async function readPaced(
  db: Db,
  instanceId: string,
  seqs: number[],
): Promise<PacedMessage[]> {
  return db.system<PacedMessage[]>`
    select o.seq, m.conversation_id,
      not o.admitted and not ${hasStarted(db)} and not ${isStarting(db)} as starts,
      exists (
        select from outbox w join message e on e.id = w.message_id
        where w.instance_id = o.instance_id and w.waits and w.seq < o.seq
          and e.conversation_id = m.conversation_id) as behind
    from outbox o join message m on m.id = o.message_id
    where o.instance_id = ${instanceId} and o.seq = any(${seqs}::bigint[]) and m.chat_type = 'direct'
    order by o.seq`
}

/** Returns claimed messages to the outbox; with `waits`, until they take a turn. Skips instances of another node. */
export async function requeueClaimed(
  db: Db,
  owner: Ownership,
  instanceId: string,
  seqs: number[],
  { waits, now }: { waits: boolean; now: Date },
): Promise<void> {
  await db.system`
    update outbox o set sending = false, first_sent_at = null, due_at = ${now}, waits = ${waits}
    where o.instance_id = ${instanceId} and o.seq = any(${seqs}::bigint[]) and o.sending
      and not o.admitted and exists (
        select from instance n
        where n.id = o.instance_id and n.owner_node = ${owner.node} and n.owner_epoch = ${owner.epoch})`
}

/** Returns the ids of the conversations in which these messages of an instance are. */
export async function findChatsOf(
  db: Db,
  instanceId: string,
  waMessageIds: string[],
): Promise<string[]> {
  const rows = await db.system<{ conversationId: string }[]>`
    select distinct conversation_id from message
    where instance_id = ${instanceId} and wa_message_id = any(${waMessageIds})`
  return rows.map(({ conversationId }) => conversationId)
}

/** Releases the waiting messages of these conversations, whose chats have started. */
export async function releaseWaiting(
  db: Db,
  instanceId: string,
  conversationIds: string[],
): Promise<void> {
  await db.system`
    update outbox o set waits = false from message m
    where o.instance_id = ${instanceId} and o.waits and m.id = o.message_id
      and m.conversation_id = any(${conversationIds})`
}

/**
 * Claims the turn of an instance for a message if it is free and the daily limit is not reached. A single
 * statement, so that a turn is claimed once and a retried message claims no other. Returns whether it succeeded.
 */
export async function claimTurn(
  db: Db,
  message: { instanceId: string; seq: number },
  turn: { now: Date; freeAt: Date; day: string; most: number },
): Promise<boolean> {
  const { instanceId, seq } = message
  const { now, freeAt, day, most } = turn
  const rows = await db.system`
    with turn as (
      insert into pace as p (instance_id, free_at, day, started)
      values (${instanceId}, ${freeAt}, ${day}::date, 1)
      on conflict (instance_id) do update set free_at = excluded.free_at, day = excluded.day,
        started = case when p.day = excluded.day then p.started + 1 else 1 end
        where p.free_at <= ${now} and (p.day <> excluded.day or p.started < ${most})
      returning instance_id)
    update outbox o set admitted = true, waits = false from turn
    where o.instance_id = turn.instance_id and o.seq = ${seq}
    returning o.seq`
  return rows.length > 0
}

/** Postpones the next turn of an instance to `until` if it is free now. */
export async function postponeTurn(
  db: Db,
  instanceId: string,
  { until, now, day }: { until: Date; now: Date; day: string },
): Promise<void> {
  await db.system`
    insert into pace as p (instance_id, free_at, day, started)
    values (${instanceId}, ${until}, ${day}::date, 0)
    on conflict (instance_id) do update set free_at = excluded.free_at where p.free_at <= ${now}`
}

/** Returns when an instance was paired; null if it never was. */
export async function findPairedAt(db: Db, instanceId: string): Promise<Date | null> {
  const [row] = await db.system<{ pairedAt: Date | null }[]>`
    select paired_at from instance where id = ${instanceId}`
  return row?.pairedAt ?? null
}

/** The chats that an instance has started on a day, the messages that wait for its turn, and when it is free. */
export type PaceState = { started: number; waiting: number; freeAt: Date | null }

/** Reads the pace of an instance on a day. */
export async function readPace(
  db: Db,
  scope: Scope,
  instanceId: string,
  day: string,
  now: Date,
): Promise<PaceState> {
  const [row] = await db.scoped<PaceState[]>`
    select coalesce((select started from pace where instance_id = i.id and day = ${day}::date), 0) as started,
      (select count(*) from outbox o where o.instance_id = i.id and o.waits) as waiting,
      (select free_at from pace where instance_id = i.id) as free_at
    from (select id from instance where ${scopedTo(db, scope, now)} and id = ${instanceId}) i`
  return row ?? { started: 0, waiting: 0, freeAt: null }
}

/** Whether a chat, named by its id or that of its conversation, has started. */
export async function hasChatStarted(
  db: Db,
  scope: Scope,
  instanceId: string,
  chat: { chatId: string | null; conversationId: string | null },
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    select 1 from (
      select coalesce(merged_into, id) as conversation_id from conversation
      where ${scopedTo(db, scope, now)} and instance_id = ${instanceId}
        and (chat_id = ${chat.chatId}::text or id = ${chat.conversationId}::text)) m
    where ${hasStarted(db)}`
  return rows.length > 0
}
