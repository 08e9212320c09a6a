import type { LockedDb } from '../../company/projects/projects.service.ts'
import type { Db } from '../../platform/db/sql.ts'

/**
 * Locks the outbox row of the message `old`, after the message itself and unless
 * it is being sent, so that no worker claims it before the transaction ends.
 */
const waiting = (db: Db) => db.sql`waiting as materialized (
      select old.id, o.instance_id, o.seq from old join outbox o on o.instance_id = old.instance_id and o.seq = old.seq
      where old.status = 'queued' and not o.sending for update of o)`

/** Changes the text or caption of a message; with `onlyQueued`, only while it is queued. Returns whether it changed. */
export async function editMessage(
  db: Db,
  messageId: string,
  edit: { text: string; at: Date; onlyQueued: boolean },
): Promise<boolean> {
  const rows = await db.system`
    with old as (
      select id, instance_id, seq, status from message where id = ${messageId} and deleted_at is null for update),
    ${waiting(db)}
    update message m set text = ${edit.text}, edited_at = ${edit.at},
      content = content || case when content ? 'caption' then jsonb_build_object('caption', ${edit.text}::text)
        when content ? 'text' then jsonb_build_object('text', ${edit.text}::text) else '{}' end
    from old where m.id = old.id and (not ${edit.onlyQueued}::boolean or old.id in (select id from waiting))
    returning m.id`
  return rows.length > 0
}

/** Fails and deletes a queued message. Returns the credits to refund, or null if the message is no longer queued. */
export async function cancelQueued(
  db: LockedDb,
  messageId: string,
  at: Date,
): Promise<number | null> {
  const [row] = await db.system<{ cost: number }[]>`
    with old as (
      select id, instance_id, seq, status, cost from message where id = ${messageId} for update),
    ${waiting(db)},
    ended as (
      update message m set status = 'failed', deleted_at = ${at}, cost = 0 from waiting w where m.id = w.id),
    gone as (
      delete from outbox o using waiting w where o.instance_id = w.instance_id and o.seq = w.seq),
    recorded as (
      insert into message_history (message_id, status, at) select id, 'failed', ${at}::timestamptz from waiting)
    select cost from old where id in (select id from waiting)`
  return row?.cost ?? null
}

/** Marks a message as deleted; returns false if it already was. */
export async function markDeleted(db: Db, messageId: string, at: Date): Promise<boolean> {
  const rows = await db.system`
    update message set deleted_at = ${at}, pinned_until = null, starred = null, kept = null
    where id = ${messageId} and deleted_at is null returning id`
  return rows.length > 0
}

/** Pins a message until a time, or unpins it; a change older than the last one has no effect. */
export async function pinMessage(
  db: Db,
  messageId: string,
  { until, at }: { until: Date | null; at: Date },
): Promise<void> {
  await db.system`
    update message set pinned_until = ${until}, pinned_at = ${at}
    where id = ${messageId} and deleted_at is null and (pinned_at is null or pinned_at <= ${at})`
}

/** Stores whether a message is kept; a change older than the last one has no effect. */
export async function keepMessage(
  db: Db,
  messageId: string,
  { kept, at }: { kept: boolean; at: Date },
): Promise<void> {
  await db.system`
    update message set kept = nullif(${kept}::boolean, false), kept_at = ${at}
    where id = ${messageId} and deleted_at is null and (kept_at is null or kept_at <= ${at})`
}

/**
 * Stars or unstars a message for its account; a change older than the last one has no effect.
 * Returns whether it changed.
 */
export async function starMessage(
  db: Db,
  messageId: string,
  { starred, at }: { starred: boolean; at: Date },
): Promise<boolean> {
  const [row] = await db.system<{ changed: boolean }[]>`
    with old as (
      select id, coalesce(starred, false) as starred from message
      where id = ${messageId} and deleted_at is null and (starred_at is null or starred_at <= ${at}) for update)
    update message m set starred = nullif(${starred}::boolean, false), starred_at = ${at}
    from old where m.id = old.id returning old.starred <> ${starred}::boolean as changed`
  return row?.changed ?? false
}

/** Stars messages that were just stored. */
export async function starMessages(db: Db, messageIds: string[]): Promise<void> {
  if (messageIds.length === 0) return
  await db.system`update message set starred = true where id = any(${messageIds})`
}

/**
 * Stores votes in polls of the same chat. A newer vote replaces the person's older
 * one, even if one of them was cast while only the phone or only the LID was known.
 */
export async function saveVotes(
  db: Db,
  votes: {
    instanceId: string
    chatId: string
    pollWaMessageId: string
    senderPhone: string | null
    senderLid: string | null
    options: string[]
    at: Date
  }[],
): Promise<void> {
  for (const vote of votes) {
    const { senderPhone: phone, senderLid: lid, instanceId } = vote
    await db.system`
      with poll as (
        select id from message where instance_id = ${instanceId} and wa_message_id = ${vote.pollWaMessageId}
          and type = 'poll' and same_chat(instance_id, chat_id, ${vote.chatId})),
      address as (
        select unnest(array[${phone}, ${lid}]::text[]) as voter
        union select phone from contact where instance_id = ${instanceId} and lid = ${lid}
        union select lid from contact where instance_id = ${instanceId} and phone = ${phone}),
      cast_before as (
        select v.poll_message_id, v.voter, v.at from poll_vote v join poll on v.poll_message_id = poll.id
        where v.voter in (select voter from address)),
      replaced as (
        delete from poll_vote v using cast_before b
        where v.poll_message_id = b.poll_message_id and v.voter = b.voter and b.at <= ${vote.at}
          and b.voter <> ${phone ?? lid})
      insert into poll_vote as o (instance_id, poll_message_id, voter, options, at)
      select ${instanceId}, id, ${phone ?? lid}, ${vote.options}::text[], ${vote.at}
      from poll where not exists (select from cast_before where at > ${vote.at})
      on conflict (poll_message_id, voter) do update set options = excluded.options, at = excluded.at
        where o.at <= excluded.at`
  }
}
