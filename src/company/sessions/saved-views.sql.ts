import type { Db } from '../../platform/db/sql.ts'
import type { SavedView } from './saved-views.schemas.ts'

/** Lists the saved views of a user, by page and name. */
export async function listViews(db: Db, userId: string): Promise<SavedView[]> {
  return db.system<SavedView[]>`
    select page, name, search from saved_view where user_id = ${userId} order by page, name`
}

/**
 * Stores a view of a user, replacing one of the same page and name. Returns false if the
 * user already has `most`; the lock on the user's row keeps concurrent calls within it.
 */
export async function upsertView(
  db: Db,
  userId: string,
  { page, name, search }: SavedView,
  most: number,
): Promise<boolean> {
  await db.system`select 1 from app_user where id = ${userId} for update`
  const rows = await db.system`
    insert into saved_view (user_id, page, name, search)
    select ${userId}, ${page}, ${name}, ${search}
    where (select count(*) from saved_view
      where user_id = ${userId} and (page, name) <> (${page}, ${name})) < ${most}
    on conflict (user_id, page, name) do update set search = excluded.search
    returning 1`
  return rows.length > 0
}

/** Deletes a view of a user; returns whether it existed. */
export async function deleteView(
  db: Db,
  userId: string,
  { page, name }: Pick<SavedView, 'page' | 'name'>,
): Promise<boolean> {
  const rows = await db.system`
    delete from saved_view where user_id = ${userId} and page = ${page} and name = ${name}
    returning 1`
  return rows.length > 0
}
