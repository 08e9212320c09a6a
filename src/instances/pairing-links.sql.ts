import type { Mode } from '../kernel/config/config.ts'
import { hasPermission, ROLES } from '../kernel/permissions.ts'
import { accessGranted, ownerOf, scopedTo, type Db, type Scope } from '../platform/db/sql.ts'

/** The roles that may create a link. */
const PAIRING_ROLES = ROLES.filter((role) => hasPermission(role, 'develop'))

/** Stores the link of an instance, replacing an earlier one. */
export async function savePairingLink(
  db: Db,
  scope: Scope,
  link: { instanceId: string; hash: Buffer; expiresAt: Date; userId: string | null },
  now: Date,
): Promise<void> {
  await db.scoped`
    insert into pairing_link (instance_id, project_id, mode, hash, key_id, user_id, paired_before,
      created_at, expires_at)
    select ${link.instanceId}, ${ownerOf(db, scope)}, ${link.hash}, ${scope.keyId}, ${link.userId},
      (select paired_at from instance where id = ${link.instanceId}), ${now}::timestamptz,
      ${link.expiresAt}::timestamptz
    where ${accessGranted(db, scope, now)}
    on conflict (instance_id) do update set hash = excluded.hash, key_id = excluded.key_id,
      user_id = excluded.user_id,
      paired_before = excluded.paired_before, created_at = excluded.created_at,
      expires_at = excluded.expires_at`
}

/** Deletes the link of an instance; returns whether there was one. */
export async function deletePairingLink(
  db: Db,
  scope: Scope,
  instanceId: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    delete from pairing_link
    where ${scopedTo(db, scope, now)} and instance_id = ${instanceId} returning instance_id`
  return rows.length > 0
}

/** A valid link, with what its page says about the instance. */
export type PairingLinkRow = {
  instanceId: string
  projectId: string
  mode: Mode
  company: string
  name: string
  /** Whether the instance was paired after the link was created. */
  used: boolean
}

/**
 * Returns the unexpired link with this hash, or null. Its Project must be active, its instance not deleted, the key that
 * made it still valid, and the user who made it still in the company with a role that may pair.
 */
export async function findPairingLink(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<PairingLinkRow | null> {
  const [row] = await db.system<PairingLinkRow[]>`
    select l.instance_id, l.project_id, l.mode, a.company, i.name,
      i.paired_at is distinct from l.paired_before as used
    from pairing_link l join instance i on i.id = l.instance_id
      join project p on p.id = l.project_id join account a on a.id = p.account_id
    where l.hash = ${hash} and l.expires_at > ${now} and i.deleted_at is null
      and a.deleted_at is null and p.status = 'ACTIVE'
      and (l.key_id is null or exists (select 1 from api_key k where k.id = l.key_id
        and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})))
      and (l.user_id is null or exists (select 1 from app_user u where u.id = l.user_id
        and u.removed_at is null and u.role = any(${PAIRING_ROLES}::text[])))`
  return row ?? null
}

/** Deletes links that have expired. */
export async function sweepPairingLinks(db: Db, now: Date): Promise<void> {
  await db.system`delete from pairing_link where expires_at < ${now}`
}
