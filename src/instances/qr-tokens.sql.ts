import type { Mode } from '../kernel/config/config.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { accessGranted, ownerOf } from '../platform/db/sql.ts'

/** Inserts an ephemeral token for one instance. */
export async function insertQrToken(
  db: Db,
  scope: Scope,
  token: { hash: Buffer; instanceId: string; expiresAt: Date; now: Date },
): Promise<void> {
  await db.scoped`
    insert into qr_token (hash, instance_id, project_id, mode, key_id, expires_at)
    select ${token.hash}, ${token.instanceId}, ${ownerOf(db, scope)}, ${scope.keyId},
      ${token.expiresAt}::timestamptz
    where ${accessGranted(db, scope, token.now)}`
}

/** A valid ephemeral token; `keyId` is the API key that issued it, if any. */
export type QrTokenRow = {
  instanceId: string
  projectId: string
  mode: Mode
  keyId: string | null
}

/** Returns an unexpired token by its hash, or null. */
export async function findQrToken(db: Db, hash: Buffer, now: Date): Promise<QrTokenRow | null> {
  const [row] = await db.system<QrTokenRow[]>`
    select instance_id, project_id, mode, key_id from qr_token
    where hash = ${hash} and expires_at > ${now}`
  return row ?? null
}

/** Deletes tokens that expired before `now`. */
export async function sweepQrTokens(db: Db, now: Date): Promise<void> {
  await db.system`delete from qr_token where expires_at < ${now}`
}
