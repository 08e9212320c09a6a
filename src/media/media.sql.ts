import type { Mode } from '../kernel/config/config.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { movingProjects, accessGranted, scopedTo, ownedBy, ownerOf } from '../platform/db/sql.ts'
import type { MediaFacts } from '../networks/network-events.port.ts'
import type { MEDIA_STATUSES } from '../model/media-fields.ts'

/** A stored file. */
export type MediaRow = {
  id: string
  projectId: string
  mode: Mode
  instanceId: string | null
  status: (typeof MEDIA_STATUSES)[number]
  mimeType: string | null
  fileName: string | null
  sizeBytes: number | null
  sha256: string | null
  durationSeconds: number | null
  width: number | null
  height: number | null
  source: object | null
  /** Whether this server has decoded it, and stored a thumbnail or a waveform. */
  previewed: boolean
  createdAt: Date
  expiresAt: Date
}

/** A file to insert. */
export type FreshMedia = Pick<
  MediaRow,
  'id' | 'instanceId' | 'mimeType' | 'fileName' | 'sizeBytes' | 'sha256' | 'source' | 'expiresAt'
> & {
  durationSeconds: number | null
  width: number | null
  height: number | null
  /** When to fetch its URL; null without one. */
  dueAt: Date | null
}

/** Inserts a file whose bytes are not stored yet. */
export async function insertMedia(
  db: Db,
  scope: Scope,
  media: FreshMedia,
  now: Date,
): Promise<void> {
  await db.scoped`
    insert into media (id, project_id, mode, instance_id, status, mime_type, file_name, size_bytes,
      sha256, duration_seconds, width, height, source, due_at, created_at, expires_at)
    select ${media.id}, ${ownerOf(db, scope)}, ${media.instanceId}, 'pending',
      ${media.mimeType}, ${media.fileName}, ${media.sizeBytes}::bigint, ${media.sha256},
      ${media.durationSeconds}::float8, ${media.width}::int, ${media.height}::int,
      ${media.source ? db.sql.json(media.source as never) : null}::jsonb, ${media.dueAt}::timestamptz,
      ${now}::timestamptz, ${media.expiresAt}::timestamptz
    where ${accessGranted(db, scope, now)}`
}

/** Sums the sizes of the files that a scope stores to send. */
export async function sumOutgoing(db: Db, scope: Scope): Promise<number> {
  const [row] = await db.scoped<{ bytes: number }[]>`
    select coalesce(sum(size_bytes), 0)::float8 as bytes from media
    where ${ownedBy(db, scope)} and status = 'available' and instance_id is null`
  return row?.bytes ?? 0
}

/** The columns that are set once the bytes are stored. */
export type MediaFactsRow = MediaFacts & {
  /** Base64. */
  preview: string | null
  expiresAt: Date
}

/** Marks a file as available. Returns false if it was neither pending nor failed, or its Project is moving. */
export async function markAvailable(
  db: Db,
  scope: Scope,
  mediaId: string,
  facts: MediaFactsRow,
): Promise<boolean> {
  const rows = await db.scoped`
    update media set status = 'available', mime_type = ${facts.mimeType}, file_name = ${facts.fileName},
      size_bytes = ${facts.sizeBytes}, sha256 = ${facts.sha256},
      duration_seconds = ${facts.durationSeconds}, width = ${facts.width}, height = ${facts.height},
      preview = decode(${facts.preview}::text, 'base64'),
      source = null, due_at = null, expires_at = ${facts.expiresAt}
    where id = ${mediaId} and ${ownedBy(db, scope)}
      and status in ('pending', 'failed') and project_id <> all(${movingProjects(db)})
    returning id`
  return rows.length > 0
}

/** Marks a file as failed; it is not fetched again automatically. */
export async function markFailed(db: Db, scope: Scope, mediaId: string): Promise<void> {
  await db.scoped`
    update media set status = 'failed', due_at = null
    where id = ${mediaId} and ${ownedBy(db, scope)}
      and status = 'pending'`
}

/** Returns a file, or null if it is not in the scope. */
export async function findMedia(
  db: Db,
  scope: Scope,
  mediaId: string,
  now: Date,
): Promise<MediaRow | null> {
  const [row] = await db.scoped<MediaRow[]>`
    select id, project_id, mode, instance_id, status, mime_type, file_name, size_bytes, sha256,
      duration_seconds, width, height, source, preview is not null as previewed, created_at, expires_at
    from media where ${scopedTo(db, scope, now)} and id = ${mediaId}
      -- A key of some instances does not see the files that others received.
      and (instance_id is null or not exists (select 1 from api_key k where k.id = ${scope.keyId}
        and jsonb_typeof(k.restrictions -> 'instanceIds') = 'array'
        and not (k.restrictions -> 'instanceIds') ? media.instance_id))`
  return row ?? null
}

/** Extends the retention of a file that is sent again. */
export async function extendRetention(
  db: Db,
  scope: Scope,
  mediaId: string,
  expiresAt: Date,
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    update media set expires_at = greatest(expires_at, ${expiresAt})
    where ${scopedTo(db, scope, now)} and id = ${mediaId} and status = 'available' and expires_at > ${now}
    returning id`
  return rows.length > 0
}

/** A file to be fetched. */
export type DueMedia = {
  id: string
  projectId: string
  mode: Mode
  attempts: number
  fileName: string | null
  mimeType: string | null
  source: { url: string; kind: string; voice: boolean }
}

/** Claims due URLs, up to a limit per Project, and hides them from other nodes until `hiddenUntil`. */
export async function claimDueMedia(
  db: Db,
  claim: { most: number; mostOfProject: number; busy: string[]; hiddenUntil: Date },
  now: Date,
): Promise<DueMedia[]> {
  return db.system<DueMedia[]>`
    with due as materialized (
      select id, row_number() over (partition by project_id order by due_at) as place, project_id, due_at
      from media where due_at <= ${now} and project_id <> all(${movingProjects(db)})),
    busy as (
      select project_id, count(*) as count from unnest(${claim.busy}::text[]) as b(project_id)
      group by project_id),
    chosen as (
      select d.id from due d left join busy b using (project_id)
      where d.place + coalesce(b.count, 0) <= ${claim.mostOfProject} order by d.due_at limit ${claim.most})
    update media set due_at = ${claim.hiddenUntil}, attempts = attempts + 1
    where id in (select id from media where id in (select id from chosen) and due_at <= ${now}
      for update skip locked)
    returning id, project_id, mode, attempts, file_name, mime_type, source`
}

/** Whether a URL is due to be fetched. */
export const anyMediaDue = (db: Db, now: Date) =>
  db.sql`exists (select from media
    where due_at <= ${now} and project_id <> all(${movingProjects(db)}))`

/** Schedules the next attempt to fetch a URL. */
export async function postponeMedia(db: Db, mediaId: string, until: Date): Promise<void> {
  await db.system`
    update media set due_at = ${until} where id = ${mediaId} and status = 'pending'`
}

/** Schedules another attempt after one that does not count. Returns false after the first half hour of a file. */
export async function postponeUncounted(db: Db, mediaId: string, until: Date): Promise<boolean> {
  const rows = await db.system`
    update media set due_at = ${until}, attempts = attempts - 1
    where id = ${mediaId} and status = 'pending'
      and created_at > ${until}::timestamptz - interval '30 minutes' returning id`
  return rows.length > 0
}

/** An expired file whose bytes are still stored. */
export type ExpiredMedia = Pick<MediaRow, 'id' | 'projectId' | 'mode'> & { expiresAt: Date }

/** Lists expired files whose bytes are still stored. */
export async function findExpired(
  db: Db,
  most: number,
  now: Date,
  after: ExpiredMedia | null,
): Promise<ExpiredMedia[]> {
  return db.system<ExpiredMedia[]>`
    select id, project_id, mode, expires_at from media
    where expires_at <= ${now} and status <> 'expired' and project_id <> all(${movingProjects(db)})
      and (expires_at, id) > (${after?.expiresAt ?? new Date(0)}::timestamptz, ${after?.id ?? ''})
    order by expires_at, id limit ${most}`
}

/** Marks files whose bytes were removed as expired, even if their retention was extended meanwhile. */
export async function markExpired(db: Db, ids: string[]): Promise<void> {
  await db.system`
    update media set status = 'expired', source = null, due_at = null where id = any(${ids})`
}

/** A stored file with what its store needs to know. */
export type StoredFile = {
  id: string
  projectId: string
  mode: 'test' | 'production'
  sizeBytes: number
  mimeType: string
}

/** Lists the stored files of a Project with an id above `after`, in order of id. */
export async function listStoredFiles(
  db: Db,
  projectId: string,
  after: string,
  most: number,
): Promise<StoredFile[]> {
  return db.system<StoredFile[]>`
    select id, project_id, mode, size_bytes, mime_type from media
    where project_id = ${projectId} and status = 'available' and id > ${after}
    order by id limit ${most}`
}
