import { ownedBy, ownerOf, type Db, type Scope } from '../../platform/db/sql.ts'

/** A cached part of a profile: its texts as JSON, or the picture in one of two sizes. */
export type ProfilePart = 'details' | 'preview' | 'full'
/** Identifies a cached part of a chat's profile, as seen by `number`, which was then paired with the instance. */
export type PartKey = { instanceId: string; number: string; chatId: string; part: ProfilePart }

/** Returns the stored part of a profile and when it was read, or null. A null value means that nothing is shown. */
export async function findPart(
  db: Db,
  scope: Scope,
  { instanceId, number, chatId, part }: PartKey,
): Promise<{ value: Buffer | null; fetchedAt: Date } | null> {
  const [row] = await db.scoped<{ value: Buffer | null; fetchedAt: Date }[]>`
    select value, fetched_at from profile where instance_id = ${instanceId} and ${ownedBy(db, scope)}
      and number = ${number} and chat_id = ${chatId} and part = ${part}`
  return row ?? null
}

/** Stores a part of a profile, replacing the previous one. */
export async function writePart(
  db: Db,
  scope: Scope,
  { instanceId, number, chatId, part }: PartKey,
  value: Buffer | null,
  now: Date,
): Promise<void> {
  await db.scoped`
    insert into profile (instance_id, project_id, mode, number, chat_id, part, value, fetched_at)
    values (${instanceId}, ${ownerOf(db, scope)}, ${number}, ${chatId}, ${part}, ${value}, ${now})
    on conflict (instance_id, number, chat_id, part) do update
      set value = excluded.value, fetched_at = excluded.fetched_at`
}

/** Deletes the stored pictures of a chat. */
export async function deletePictures(db: Db, instanceId: string, chatId: string): Promise<void> {
  await db.system`
    delete from profile where instance_id = ${instanceId} and chat_id = ${chatId}
      and part in ('preview', 'full')`
}

/** Deletes parts read before this time. */
export async function deleteOldParts(db: Db, before: Date): Promise<void> {
  await db.system`delete from profile where fetched_at < ${before}`
}
