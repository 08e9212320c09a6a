import type { Db, Fragment, Scope } from '../../platform/db/sql.ts'
import { accessGranted, ownerOf, scopedTo } from '../../platform/db/sql.ts'

/** A stored note, with the name or else the email of its author, or the name of the key; null if it no longer exists. */
export type NoteRow = {
  id: string
  conversationId: string
  text: string
  authorId: string
  authorName: string | null
  /** The members whom it mentions, each with their name or else their email; null if they have left the team. */
  mentions: { id: string; name: string | null }[]
  createdAt: Date
}

/** Restricts to the notes of a conversation and of those that were merged into it. */
const ofConversation = (db: Db, conversationId: string): Fragment =>
  db.sql`conversation_id in (
    select id from conversation where id = ${conversationId} or merged_into = ${conversationId})`

/** Returns a page of a conversation's notes, newest first; only the one with `id` if given. */
export async function listNotes(
  db: Db,
  scope: Scope,
  conversationId: string,
  page: { limit: number; offset: number; now: Date; id?: string },
): Promise<NoteRow[]> {
  return db.scoped<NoteRow[]>`
    select n.id, ${conversationId} as conversation_id, n.text, n.author_id, coalesce(u.name, u.email, k.name) as author_name,
      coalesce((select jsonb_agg(jsonb_build_object('id', m.user_id, 'name', coalesce(who.name, who.email)) order by m.user_id)
        from note_mention m left join app_user who on who.id = m.user_id and who.removed_at is null
        where m.note_id = n.id), '[]') as mentions, n.created_at
    from conversation_note n
      left join app_user u on u.id = n.author_id and u.removed_at is null
      left join api_key k on k.id = n.author_id
    where ${scopedTo(db, scope, page.now, 'n')} and n.${ofConversation(db, conversationId)}
      and n.id = coalesce(${page.id ?? null}, n.id)
    order by n.id desc limit ${page.limit} offset ${page.offset}`
}

/** Counts the notes of a conversation. */
export async function countNotes(db: Db, scope: Scope, conversationId: string, now: Date) {
  const [row] = await db.scoped<{ count: number }[]>`
    select count(*)::int as count from conversation_note
    where ${scopedTo(db, scope, now)} and ${ofConversation(db, conversationId)}`
  return row?.count ?? 0
}

/** Stores a note. */
export async function insertNote(
  db: Db,
  scope: Scope,
  note: { id: string; instanceId: string; conversationId: string; authorId: string; text: string },
  now: Date,
): Promise<void> {
  const { id, instanceId, conversationId, authorId, text } = note
  await db.scoped`
    insert into conversation_note (id, project_id, mode, instance_id, conversation_id, author_id, text,
      created_at)
    select ${id}, ${ownerOf(db, scope)}, ${instanceId}, ${conversationId}, ${authorId}, ${text},
      ${now}::timestamptz
    where ${accessGranted(db, scope, now)}`
}

/** Deletes a note; returns whether it existed. */
export async function deleteNote(
  db: Db,
  scope: Scope,
  conversationId: string,
  noteId: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    delete from conversation_note
    where ${scopedTo(db, scope, now)} and ${ofConversation(db, conversationId)} and id = ${noteId}
    returning id`
  return rows.length > 0
}
