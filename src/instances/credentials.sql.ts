import type { Db } from '../db/sql.ts'
import { byteas } from '../db/sql.ts'

/** All of a kind, or the one of that id. */
export async function loadCredentials(
  db: Db,
  instanceId: string,
  kind: string,
  id: string | null = null,
): Promise<{ id: string; sealed: Buffer }[]> {
  return db.sql<{ id: string; sealed: Buffer }[]>`
    select id, sealed from instance_credential where instance_id = ${instanceId} and kind = ${kind}
      and (${id}::text is null or id = ${id})`
}

/** Writes and deletes in one statement. */
export async function saveCredentials(
  db: Db,
  instanceId: string,
  entries: { kind: string; id: string; sealed: Buffer | null; expiresAt: Date | null }[],
): Promise<void> {
  await db.sql`
    with input as materialized (
      select * from unnest(
        ${entries.map((entry) => entry.kind)}::text[],
        ${entries.map((entry) => entry.id)}::text[],
        ${byteas(
          db,
          entries.map((entry) => entry.sealed),
        )}::bytea[],
        ${entries.map((entry) => entry.expiresAt?.toISOString() ?? null)}::timestamptz[]) as t(kind, id, sealed, expires_at)),
    gone as (
      delete from instance_credential c using input i
      where c.instance_id = ${instanceId} and c.kind = i.kind and c.id = i.id and i.sealed is null)
    insert into instance_credential (instance_id, kind, id, sealed, expires_at)
    select ${instanceId}, kind, id, sealed, expires_at from input where sealed is not null
    on conflict (instance_id, kind, id)
      do update set sealed = excluded.sealed, expires_at = excluded.expires_at`
}

/** Forgets what has expired. */
export async function sweepCredentials(db: Db, now: Date): Promise<void> {
  await db.sql`delete from instance_credential where expires_at <= ${now}`
}

export async function clearCredentials(db: Db, instanceId: string): Promise<void> {
  await db.sql`delete from instance_credential where instance_id = ${instanceId}`
}
