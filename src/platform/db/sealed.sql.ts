import type { Db } from './sql.ts'

/** A sealed value and the context it is bound to. */
export type SealedRow = { sealed: Buffer; context: string }

/** Returns the known value, sealed with each master key that has sealed values. */
export async function findProbes(db: Db): Promise<Buffer[]> {
  const rows = await db.system<{ sealed: Buffer }[]>`select sealed from seal_probe`
  return rows.map(({ sealed }) => sealed)
}

/** Keeps others from storing probes until the transaction ends. */
export async function lockProbes(db: Db): Promise<void> {
  await db.system`lock table seal_probe in exclusive mode`
}

/** Stores the probe of a key, which `header` identifies, unless it exists. */
export async function insertProbe(db: Db, header: Buffer, sealed: Buffer): Promise<void> {
  await db.system`
    insert into seal_probe (header, sealed) values (${header}, ${sealed}) on conflict do nothing`
}

/** Deletes the probes of other keys, which seal nothing any more; returns how many there were. */
export async function deleteOtherProbes(db: Db, header: Buffer): Promise<number> {
  const { count } = await db.system`delete from seal_probe where header <> ${header}`
  return count
}

/** One sealed value of each kind. A removed webhook has no secret. */
export async function findSamples(db: Db): Promise<SealedRow[]> {
  return db.system<SealedRow[]>`
    (select secret_sealed as sealed, id as context from webhook where secret_sealed <> '' limit 1)
    union all
    (select sealed, instance_id || '/' || kind || '/' || id from instance_credential limit 1)
    union all
    (select decode(settings ->> 'proxyUrlSealed', 'base64'), id || '/proxy' from instance
      where settings ->> 'proxyUrlSealed' is not null limit 1)
    union all
    (select totp_sealed, id || '/totp' from app_user where totp_sealed is not null limit 1)`
}

/** Where sealed values are stored. */
export const SEALED_KINDS = [
  'webhook',
  'webhook-previous',
  'webhook-headers',
  'credential',
  'proxy',
  'totp',
] as const
/** A kind of sealed value. */
export type SealedKind = (typeof SEALED_KINDS)[number]

/** The Project whose values are meant, without its credentials, or the credentials of one instance. */
export type SealedOwner = { projectId: string } | { instanceId: string }

/**
 * Locks up to `limit` values of one kind that do not start with `header`, of all owners or of one, waiting for rows locked
 * by others.
 */
export async function lockSealed(
  db: Db,
  place: SealedKind,
  header: Buffer,
  limit: number,
  owner: SealedOwner | null = null,
): Promise<(SealedRow & { key: string[] })[]> {
  const { sql, system } = db
  const stale = (column: string) =>
    system`substring(${sql.unsafe(column)} from 1 for ${header.length}) <> ${header}`
  const projectId = owner && 'projectId' in owner ? owner.projectId : null
  const instanceId = owner && 'instanceId' in owner ? owner.instanceId : null
  const ofProject = projectId === null ? sql`` : sql`and project_id = ${projectId}`
  const ofInstance = instanceId === null ? sql`` : sql`and instance_id = ${instanceId}`
  const ofCompany =
    projectId === null
      ? sql``
      : sql`and account_id = (select account_id from project where id = ${projectId})`
  switch (place) {
    case 'webhook':
      return system`select secret_sealed as sealed, id as context, array[id] as key from webhook
        where secret_sealed <> '' and ${stale('secret_sealed')} ${ofProject} limit ${limit} for update`
    case 'webhook-previous':
      return system`select previous_secret_sealed as sealed, id as context, array[id] as key from webhook
        where previous_secret_sealed is not null and ${stale('previous_secret_sealed')} ${ofProject}
        limit ${limit} for update`
    case 'webhook-headers':
      return system`select headers_sealed as sealed, id || '/headers' as context, array[id] as key
        from webhook
        where headers_sealed is not null and ${stale('headers_sealed')} ${ofProject} limit ${limit} for update`
    case 'credential':
      return system`select sealed, instance_id || '/' || kind || '/' || id as context,
          array[instance_id, kind, id] as key from instance_credential
        where ${stale('sealed')} ${ofInstance} limit ${limit} for update`
    case 'proxy':
      return system`select decode(settings ->> 'proxyUrlSealed', 'base64') as sealed, id || '/proxy' as context,
          array[id] as key from instance
        where settings ->> 'proxyUrlSealed' is not null
          and ${stale("decode(settings ->> 'proxyUrlSealed', 'base64')")} ${ofProject}
        limit ${limit} for update`
    case 'totp':
      return system`select totp_sealed as sealed, id || '/totp' as context, array[id] as key from app_user
        where totp_sealed is not null and ${stale('totp_sealed')} ${ofCompany} limit ${limit} for update`
  }
}

/** Stores a resealed value in the row that `lockSealed` returned with this key. */
export async function writeSealed(
  db: Db,
  place: SealedKind,
  [first = '', kind = '', id = '']: string[],
  sealed: Buffer,
): Promise<void> {
  const { system } = db
  switch (place) {
    case 'webhook':
      await system`update webhook set secret_sealed = ${sealed} where id = ${first}`
      return
    case 'webhook-previous':
      await system`update webhook set previous_secret_sealed = ${sealed} where id = ${first}`
      return
    case 'webhook-headers':
      await system`update webhook set headers_sealed = ${sealed} where id = ${first}`
      return
    case 'credential':
      await system`update instance_credential set sealed = ${sealed}
        where instance_id = ${first} and kind = ${kind} and id = ${id}`
      return
    case 'proxy':
      await system`update instance
        set settings = settings || jsonb_build_object('proxyUrlSealed', ${sealed.toString('base64')}::text)
        where id = ${first}`
      return
    case 'totp':
      await system`update app_user set totp_sealed = ${sealed} where id = ${first}`
  }
}
