import { ownedBy, ownerOf, type Db, type Scope } from '../../platform/db/sql.ts'

/** What is kept of a profile: its texts as JSON, or one of two sizes of the picture. */
export type ProfilePart = 'details' | 'preview' | 'full'
/** The number itself, in place of a chat. */
export const SELF = 'self'

/** Returns what is kept of a profile, and since when; null if nothing is. A null value means that nothing is shown. */
export async function findPart(
  db: Db,
  scope: Scope,
  instanceId: string,
  chatId: string,
  part: ProfilePart,
): Promise<{ value: Buffer | null; fetchedAt: Date } | null> {
  const [row] = await db.scoped<{ value: Buffer | null; fetchedAt: Date }[]>`
    select value, fetched_at from profile where instance_id = ${instanceId} and ${ownedBy(db, scope)}
      and chat_id = ${chatId} and part = ${part}`
  return row ?? null
}

/** Keeps a part of a profile in place of the one before. */
export async function writePart(
  db: Db,
  scope: Scope,
  row: { instanceId: string; chatId: string; part: ProfilePart; value: Buffer | null; now: Date },
): Promise<void> {
  await db.scoped`
    insert into profile (instance_id, project_id, mode, chat_id, part, value, fetched_at)
    values (${row.instanceId}, ${ownerOf(db, scope)}, ${row.chatId}, ${row.part}, ${row.value}, ${row.now})
    on conflict (instance_id, chat_id, part) do update
      set value = excluded.value, fetched_at = excluded.fetched_at`
}

/** Deletes parts of a profile; the number's own address stands for itself, too. */
export async function deleteParts(
  db: Db,
  instanceId: string,
  chatId: string,
  parts: ProfilePart[],
): Promise<void> {
  await db.system`
    delete from profile where instance_id = ${instanceId} and part = any(${parts})
      and (chat_id = ${chatId} or chat_id = ${SELF} and exists (
        select 1 from instance where id = ${instanceId} and phone || '@s.whatsapp.net' = ${chatId}))`
}

/** Deletes what was read before this time. */
export async function deleteOldParts(db: Db, before: Date): Promise<void> {
  await db.system`delete from profile where fetched_at < ${before}`
}
