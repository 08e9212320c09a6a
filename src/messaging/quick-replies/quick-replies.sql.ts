import type { Db, Scope } from '../../platform/db/sql.ts'
import { accessGranted, likePattern, ownerOf, scopedTo } from '../../platform/db/sql.ts'

/** A stored quick reply. */
export type QuickReplyRow = {
  id: string
  shortcut: string
  text: string
  createdAt: Date
  updatedAt: Date
}

const columns = (db: Db) => db.sql`id, shortcut, text, created_at, updated_at`

/** Returns a page of a scope's quick replies, by shortcut. */
export async function listQuickReplies(
  db: Db,
  scope: Scope,
  q: string | null,
  page: { limit: number; offset: number; now: Date },
): Promise<QuickReplyRow[]> {
  const like = q === null ? null : likePattern(q)
  return db.scoped<QuickReplyRow[]>`
    select ${columns(db)} from quick_reply
    where ${scopedTo(db, scope, page.now)}
      and (${like}::text is null or fold_text(shortcut) like fold_text(${like})
        or fold_text(text) like fold_text(${like}))
    order by shortcut, id limit ${page.limit} offset ${page.offset}`
}

/** Returns a quick reply, or null. */
export async function findQuickReply(
  db: Db,
  scope: Scope,
  id: string,
  now: Date,
): Promise<QuickReplyRow | null> {
  const [row] = await db.scoped<QuickReplyRow[]>`
    select ${columns(db)} from quick_reply where ${scopedTo(db, scope, now)} and id = ${id}`
  return row ?? null
}

/** Counts the quick replies of a scope. */
export async function countQuickReplies(db: Db, scope: Scope, now: Date): Promise<number> {
  const [row] = await db.scoped<{ count: number }[]>`
    select count(*)::int as count from quick_reply where ${scopedTo(db, scope, now)}`
  return row?.count ?? 0
}

/** Stores a quick reply; returns null if its shortcut is taken. */
export async function insertQuickReply(
  db: Db,
  scope: Scope,
  reply: { id: string; shortcut: string; text: string },
  now: Date,
): Promise<QuickReplyRow | null> {
  const [row] = await db.scoped<QuickReplyRow[]>`
    insert into quick_reply (id, project_id, mode, shortcut, text, created_at, updated_at)
    select ${reply.id}, ${ownerOf(db, scope)}, ${reply.shortcut}, ${reply.text}, ${now}::timestamptz,
      ${now}::timestamptz
    where ${accessGranted(db, scope, now)}
    on conflict (project_id, mode, shortcut) do nothing returning ${columns(db)}`
  return row ?? null
}

/** Returns whether another quick reply of the scope has this shortcut. */
export async function isShortcutTaken(
  db: Db,
  scope: Scope,
  reply: { id: string; shortcut: string },
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    select 1 from quick_reply
    where ${scopedTo(db, scope, now)} and shortcut = ${reply.shortcut} and id <> ${reply.id}`
  return rows.length > 0
}

/** Changes a quick reply; returns null if there is none. */
export async function updateQuickReply(
  db: Db,
  scope: Scope,
  reply: { id: string; shortcut: string; text: string },
  now: Date,
): Promise<QuickReplyRow | null> {
  const [row] = await db.scoped<QuickReplyRow[]>`
    update quick_reply set shortcut = ${reply.shortcut}, text = ${reply.text}, updated_at = ${now}
    where ${scopedTo(db, scope, now)} and id = ${reply.id} returning ${columns(db)}`
  return row ?? null
}

/** Deletes a quick reply; returns whether it existed. */
export async function deleteQuickReply(
  db: Db,
  scope: Scope,
  id: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    delete from quick_reply where ${scopedTo(db, scope, now)} and id = ${id} returning id`
  return rows.length > 0
}
