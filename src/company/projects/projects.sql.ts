import type { Db } from '../../platform/db/sql.ts'
import type { ProjectStatus, Subscription, UsageMode } from '../../model/vocabulary.ts'

/** A stored Project. */
export type ProjectRow = {
  id: string
  accountId: string
  name: string
  status: ProjectStatus
  usageMode: UsageMode
  exempt: boolean
  subscription: Subscription
  addons: string[]
  /** The ISO country whose calling code completes national numbers; null leaves them as is. */
  defaultCountry: string | null
  createdAt: Date
  /** The installation that it is moving or has moved to; null if it is not moving. */
  movingTo: string | null
}
/** The settings that `updateProject` may change. */
export type ProjectSettings = Partial<
  Pick<ProjectRow, 'status' | 'usageMode' | 'exempt' | 'subscription' | 'addons' | 'defaultCountry'>
>

/** Inserts a Project with an empty balance. */
export async function insertProject(
  db: Db,
  project: { id: string; accountId: string; name: string; now: Date },
): Promise<void> {
  await db.system`
    with made as (
      insert into project (id, account_id, name, created_at)
      values (${project.id}, ${project.accountId}, ${project.name}, ${project.now}) returning id)
    insert into balance (project_id) values (${project.id})`
}

/** Returns a Project, or null. */
export async function findProject(db: Db, projectId: string): Promise<ProjectRow | null> {
  const [row] = await db.system<ProjectRow[]>`
    select id, account_id, name, status, usage_mode, exempt, subscription, addons, default_country, created_at,
      case when moving_until > now() then moving_to end as moving_to
    from project where id = ${projectId}`
  return row ?? null
}

/** Whether the data of a Project may be served: it is active, is not moving, and its account is not deleted. */
export async function isServed(db: Db, projectId: string): Promise<boolean> {
  const rows = await db.system`
    select 1 from project p join account a on a.id = p.account_id
    where p.id = ${projectId} and p.status = 'ACTIVE' and a.deleted_at is null
      and (p.moving_until is null or p.moving_until <= now())`
  return rows.length > 0
}

/** Lists all Projects. */
export async function listProjects(db: Db): Promise<ProjectRow[]> {
  return db.system<ProjectRow[]>`
    select id, account_id, name, status, usage_mode, exempt, subscription, addons, default_country, created_at,
      case when moving_until > now() then moving_to end as moving_to
    from project order by id`
}

/** Changes settings of a Project. */
export async function updateProject(
  db: Db,
  projectId: string,
  settings: ProjectSettings,
): Promise<void> {
  await db.system`
    update project set
      status = coalesce(${settings.status ?? null}, status),
      usage_mode = coalesce(${settings.usageMode ?? null}, usage_mode),
      exempt = coalesce(${settings.exempt ?? null}, exempt),
      subscription = coalesce(${settings.subscription ?? null}, subscription),
      addons = coalesce(${settings.addons ?? null}, addons),
      default_country = case when ${settings.defaultCountry !== undefined}::boolean
        then ${settings.defaultCountry ?? null} else default_country end
    where id = ${projectId}`
}

declare const locked: unique symbol
/**
 * A transaction that holds the locks of its Projects. Functions that need the lock require this
 * type instead of `Db`.
 */
export type LockedDb = Db & { readonly [locked]: true }

/**
 * Locks these Projects in id order until the transaction ends. Every transaction that writes
 * conversations of a Project acquires this lock first, so that sending and receiving messages
 * cannot deadlock.
 */
export async function lockProjects(tx: Db, projectIds: string[]): Promise<LockedDb> {
  await tx.system`
    select 1 from balance where project_id = any(${projectIds}) order by project_id for update`
  return tx as LockedDb
}

/** Locks those of these Projects that no other transaction has locked, without waiting; returns their ids. */
export async function lockFreeProjects(
  tx: Db,
  projectIds: string[],
): Promise<{ tx: LockedDb; locked: Set<string> }> {
  const rows = await tx.system<{ projectId: string }[]>`
    select project_id from balance where project_id = any(${projectIds}) order by project_id for update skip locked`
  return { tx: tx as LockedDb, locked: new Set(rows.map(({ projectId }) => projectId)) }
}
