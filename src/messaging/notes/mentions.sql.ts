import type { Db, Scope } from '../../platform/db/sql.ts'
import { scopedTo } from '../../platform/db/sql.ts'

/** A note that mentions a member who has not opened its conversation since. */
export type MentionRow = {
  noteId: string
  instanceId: string
  conversationId: string
  /** Name of the contact or group; null if unknown. */
  chatName: string | null
  /** Phone number of the contact; null in groups and while it is unknown. */
  chatPhone: string | null
  text: string
  authorId: string
  authorName: string | null
  createdAt: Date
}

/** Records the members whom a new note mentions, except its author, who has read it. */
export async function insertMentions(
  db: Db,
  scope: Scope,
  note: { id: string; authorId: string; userIds: readonly string[] },
  now: Date,
): Promise<void> {
  const { id, authorId, userIds } = note
  await db.scoped`
    insert into note_mention (note_id, user_id, read_at)
    select n.id, m.user_id, case when m.user_id = ${authorId} then ${now}::timestamptz end
    from conversation_note n cross join unnest(${userIds}::text[]) m (user_id)
    where ${scopedTo(db, scope, now, 'n')} and n.id = ${id}`
}

/** Returns the notes that mention a member and that they have not read, newest first. */
export async function listUnreadMentions(
  db: Db,
  scope: Scope,
  userId: string,
  { limit, now }: { limit: number; now: Date },
): Promise<MentionRow[]> {
  return db.scoped<MentionRow[]>`
    select n.id as note_id, n.instance_id, c.id as conversation_id,
      c.name as chat_name, c.phone as chat_phone, n.text, n.author_id, coalesce(u.name, u.email, k.name) as author_name, n.created_at
    from note_mention m
      join conversation_note n on n.id = m.note_id
      join instance i on i.id = n.instance_id and i.deleted_at is null
      join conversation o on o.id = n.conversation_id
      join conversation c on c.id = coalesce(o.merged_into, o.id)
      left join app_user u on u.id = n.author_id and u.removed_at is null
      left join api_key k on k.id = n.author_id
    where ${scopedTo(db, scope, now, 'n')} and m.user_id = ${userId} and m.read_at is null
    order by n.id desc limit ${limit}`
}

/** Marks the notes of a conversation, and of those merged into it, as read by a member whom they mention. */
export async function readMentions(
  db: Db,
  scope: Scope,
  userId: string,
  conversationId: string,
  now: Date,
): Promise<void> {
  await db.scoped`
    update note_mention m set read_at = ${now}
    from conversation_note n join conversation c on c.id = n.conversation_id
    where ${scopedTo(db, scope, now, 'n')} and n.id = m.note_id and m.user_id = ${userId}
      and m.read_at is null and (c.id = ${conversationId} or c.merged_into = ${conversationId})`
}
