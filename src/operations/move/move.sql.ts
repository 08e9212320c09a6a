import type { Readable, Writable } from 'node:stream'
import { endsWhileFull, type BackupTable } from '../../platform/db/backup.sql.ts'
import type { Db, Session } from '../../platform/db/sql.ts'
import { MOVED, REPLACED, VOLATILE } from './moved-tables.ts'

/** A Project that may be moved, as one installation knows it. */
export type MovableProject = {
  id: string
  accountId: string
  status: string
  /** `no`, `moving` while a move works on it, `gone` once another installation has it. */
  moves: 'no' | 'moving' | 'gone'
  /** The address of that installation. */
  movingTo: string | null
  accountDeleted: boolean
}

/** Returns a Project, or null. */
export async function findMovable(db: Db, projectId: string): Promise<MovableProject | null> {
  const [row] = await db.system<MovableProject[]>`
    select p.id, p.account_id, p.status, p.moving_to, a.deleted_at is not null as account_deleted,
      case when p.moving_until = 'infinity' then 'gone' when p.moving_until > now() then 'moving' else 'no' end as moves
    from project p join account a on a.id = p.account_id where p.id = ${projectId}`
  return row ?? null
}

/** The lease with which one run of a move fences off a Project. */
export type MoveLease = { projectId: string; run: string; to: string; seconds: number }

/**
 * Takes the lease of a Project that works, or of one that was given up without having arrived. False if another move has
 * it, or it was given up to another installation.
 */
export async function takeProject(db: Db, lease: MoveLease): Promise<boolean> {
  const { projectId, run, to, seconds } = lease
  const rows = await db.system`
    update project set moving_by = ${run}, moving_to = ${to},
      moving_until = greatest(moving_until, now() + ${seconds}::int * interval '1 second')
    where id = ${projectId} and (
      status = 'ACTIVE' and (moving_until is null or moving_until <= now())
      or moving_until = 'infinity' and moving_to = ${to})
    returning id`
  return rows.length > 0
}

/** Renews a lease; false if it has ended, so that others may have changed the Project. */
export async function renewProject(db: Db, lease: MoveLease): Promise<boolean> {
  const { projectId, run, seconds } = lease
  const rows = await db.system`
    update project set moving_until = greatest(moving_until, now() + ${seconds}::int * interval '1 second')
    where id = ${projectId} and moving_by = ${run} and moving_until > now() returning id`
  return rows.length > 0
}

/** Releases a lease unless the Project was given up, so that it works again. */
export async function releaseLease(db: Db, { projectId, run }: MoveLease): Promise<void> {
  await db.system`
    update project set moving_until = null, moving_by = null, moving_to = null
    where id = ${projectId} and moving_by = ${run} and moving_until < 'infinity'`
}

/** Gives a Project up for good, while the lease still holds. False if it does not. */
export async function handProjectOver(db: Db, { projectId, run }: MoveLease): Promise<boolean> {
  const rows = await db.system`
    update project set moving_until = 'infinity'
    where id = ${projectId} and moving_by = ${run} and moving_until > now() returning id`
  return rows.length > 0
}

/** Open sessions and delivery attempts of a Project, on any node. */
export async function countUnderWay(
  db: Db,
  projectId: string,
): Promise<{ sessions: number; attempts: number }> {
  const [row] = await db.system<{ sessions: number; attempts: number }[]>`
    select (select count(*) from instance i join node n on n.id = i.owner_node and n.epoch = i.owner_epoch
        where i.project_id = ${projectId}) as sessions,
      (select count(*) from delivery d join webhook w on w.id = d.webhook_id
        join node n on n.id = d.lease_node and n.epoch = d.lease_epoch
        where w.project_id = ${projectId} and d.visible_at > now() and d.visible_at < 'infinity') as attempts`
  return row ?? { sessions: 0, attempts: 0 }
}

/**
 * Revokes sessions and leases that nodes still hold. Later writes of such a node are rejected, as for a node
 * that was declared dead.
 */
export async function revokeRemainingLeases(db: Db, projectId: string): Promise<void> {
  await db.system`
    update instance set owner_node = null, owner_epoch = null
    where project_id = ${projectId} and owner_node is not null`
  await db.system`
    update delivery d set lease_node = null, lease_epoch = null, visible_at = d.due_at
    from webhook w where w.id = d.webhook_id and w.project_id = ${projectId} and d.lease_node is not null`
}

/** Serializes moves into this database until the transaction ends, because they reserve sequence numbers. */
export async function waitForOtherMoves(db: Db): Promise<void> {
  await db.system`select pg_advisory_xact_lock(hashtext('recado.move'))`
}

/** The ids of a Project's instances. */
export async function listInstances(db: Db, projectId: string): Promise<string[]> {
  const rows = await db.system<{ id: string }[]>`
    select id from instance where project_id = ${projectId}`
  return rows.map(({ id }) => id)
}

/** Where the running nodes of an installation store files: one name, or none without a running node. */
export async function listMediaStores(db: Db): Promise<string[]> {
  const rows = await db.system<{ mediaStore: string }[]>`
    select distinct media_store from node where heartbeat_at > now() - interval '1 minute' and media_store is not null`
  return rows.map(({ mediaStore }) => mediaStore)
}

/** The time of the database, as text of full precision. */
export async function databaseTime(db: Db): Promise<string> {
  const [row] = await db.system<{ at: string }[]>`select clock_timestamp()::text as at`
  return row?.at ?? ''
}

/** Counts the transactions of this database that began before this time and have not ended. */
export async function countOlderTransactions(db: Db, at: string): Promise<number> {
  const [row] = await db.system<{ count: number }[]>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      and xact_start < ${at}::text::timestamptz`
  return row?.count ?? 0
}

/** Counts how many of these email addresses already belong to users in this database. */
export async function countKnownEmails(db: Db, emails: string[]): Promise<number> {
  const [row] = await db.system<{ count: number }[]>`
    select count(*) as count from app_user where email = any(${emails})`
  return row?.count ?? 0
}

/** Returns the email addresses of an account's users. */
export async function listEmails(db: Db, accountId: string): Promise<string[]> {
  const rows = await db.system<{ email: string }[]>`
    select email from app_user where account_id = ${accountId}`
  return rows.map(({ email }) => email)
}

/** Names the Project of this session, for the conditions of `MOVED`, and fixes how values are written as text. */
export async function setMovingProject(sql: Session, projectId: string): Promise<void> {
  await sql`
    select set_config('recado.moving', ${projectId}, false), set_config('TimeZone', 'UTC', false),
      set_config('DateStyle', 'ISO', false), set_config('extra_float_digits', '1', false)`
}

/** Streams the rows of a table that move; `shift` is added to its numbers. */
export async function copyRowsOut(
  sql: Session,
  { name, columns }: BackupTable,
  shift: { column: string; by: number } | null,
): Promise<Readable> {
  const values = columns.map((column) => {
    const replaced = REPLACED[name]?.[column]
    if (replaced !== undefined) return `${replaced} as "${column}"`
    if (column === shift?.column) return `"${column}" + ${shift.by}::bigint as "${column}"`
    return `"${column}"`
  })
  const rows = `select ${values.join(', ')} from "${name}" where ${MOVED[name]}`
  return endsWhileFull(await sql`copy (${sql.unsafe(rows)}) to stdout`.readable())
}

/** Accepts rows of a table. */
export function copyRowsIn(sql: Session, { name, columns }: BackupTable): Promise<Writable> {
  return sql`copy ${sql(name)} (${sql(columns)}) from stdin`.writable()
}

/** A checksum of a Project's rows in one table. */
export type TableChecksum = { table: string; rows: number; hash: string }

/**
 * Sums up the rows of a table that move: all columns that are copied unchanged, or, if `steady`, those that may not
 * change during a move.
 */
export async function checksumTable(
  sql: Session,
  { name, columns }: BackupTable,
  numbered: string | null,
  steady: boolean,
): Promise<TableChecksum> {
  const ignored = new Set([
    ...Object.keys(REPLACED[name] ?? {}),
    ...(numbered === null ? [] : [numbered]),
    ...(steady ? (VOLATILE[name] ?? []) : []),
  ])
  if (ignored.has('*')) return { table: name, rows: 0, hash: '0' }
  const kept = columns.filter((column) => !ignored.has(column)).map((column) => `"${column}"`)
  const [row] = await sql<{ rows: string; hash: string }[]>`
    select count(*)::text as rows,
      coalesce(sum(hashtextextended(row(${sql.unsafe(kept.join(', '))})::text, 0)::numeric), 0)::text as hash
    from ${sql(name)} where ${sql.unsafe(MOVED[name] ?? 'false')}`
  return { table: name, rows: Number(row?.rows), hash: row?.hash ?? '0' }
}

/**
 * Closes what remains here of a Project that has moved: no user can sign in, nothing is sent, and its data is
 * erased at `eraseAt`. With `sharedFiles`, the rows of its files go now, because their bytes belong to the other one.
 */
export async function closeMovedAccount(
  db: Db,
  { id, accountId }: MovableProject,
  { now, eraseAt, sharedFiles }: { now: Date; eraseAt: Date; sharedFiles: boolean },
): Promise<void> {
  const instances = db.sql`(select id from instance where project_id = ${id})`
  await db.system`delete from instance_credential where instance_id in ${instances}`
  await db.system`delete from outbox where instance_id in ${instances}`
  await db.system`
    delete from delivery where webhook_id in (select id from webhook where project_id = ${id})`
  if (sharedFiles) await db.system`delete from media where project_id = ${id}`
  // The other installation manages the subscription, so nothing here may cancel it.
  await db.system`delete from payment_customer where project_id = ${id}`
  await db.system`delete from invitation where account_id = ${accountId}`
  await db.system`
    delete from email_token where user_id in (select id from app_user where account_id = ${accountId})`
  await db.system`
    update app_user set removed_at = ${now}, email = 'removido:' || id, name = null
    where account_id = ${accountId} and removed_at is null`
  await db.system`
    update session set ended_at = ${now} where ended_at is null
      and user_id in (select id from app_user where account_id = ${accountId})`
  await db.system`
    update account set deleted_at = ${now}, erase_at = ${eraseAt} where id = ${accountId}`
}

/** Lists the prefixes of a Project's keys that are not revoked. */
export async function listKeyPrefixes(db: Db, projectId: string): Promise<string[]> {
  const rows = await db.system<{ keyPrefix: string }[]>`
    select key_prefix from api_key where project_id = ${projectId} and revoked_at is null order by id`
  return rows.map(({ keyPrefix }) => keyPrefix)
}

/**
 * Lists the prefixes of all keys here that are not revoked, without those of Projects that another installation
 * has.
 */
export async function listAllKeyPrefixes(db: Db): Promise<string[]> {
  const rows = await db.system<{ keyPrefix: string }[]>`
    select distinct k.key_prefix from api_key k join project p on p.id = k.project_id
    where k.revoked_at is null and p.moving_until is distinct from 'infinity' order by 1`
  return rows.map(({ keyPrefix }) => keyPrefix)
}
