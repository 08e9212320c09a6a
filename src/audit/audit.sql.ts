import { containing, type Db } from '../db/sql.ts'

export type AuditEntry = {
  /** `operator`, or a user's id. */
  actor: string
  /** What was done, such as `project.suspend`. */
  action: string
  /** The id of what it was done to. */
  object: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

export type AuditItem = AuditEntry & { id: number; at: Date }

/** What was done, newest first; to one object, or to all. */
export async function listAudit(
  db: Db,
  object: string | null,
  limit: number,
): Promise<AuditItem[]> {
  return db.sql<AuditItem[]>`
    select id, at, actor, action, object, before, after from audit
    where ${object}::text is null or object = ${object}
    order by id desc limit ${limit}`
}

/** What was done in the account of this person and to it, newest first, with the address of who is in it still. */
export async function listAccountAudit(
  db: Db,
  userId: string,
  page: { limit: number; offset: number; q: string | null },
): Promise<(AuditItem & { actorEmail: string | null })[]> {
  const like = page.q === null ? null : containing(page.q)
  return db.sql<(AuditItem & { actorEmail: string | null })[]>`
    with mine as (select account_id from app_user where id = ${userId}),
    concerned as (
      select account_id as id from mine
      union all select id from project where account_id in (select account_id from mine)
      union all select id from app_user where account_id in (select account_id from mine)),
    found as (
      select a.* from concerned c join audit a on a.object = c.id
      union
      select a.* from concerned c join audit a on a.actor = c.id)
    select f.id, f.at, f.actor, u.email as actor_email, f.action, f.object, f.before, f.after
    from found f left join app_user u on u.id = f.actor and u.removed_at is null
    where ${like}::text is null or f.action ilike ${like} or f.object ilike ${like}
      or u.email ilike ${like}
    order by f.id desc limit ${page.limit} offset ${page.offset}`
}

export async function insertAudit(db: Db, entry: AuditEntry, now: Date): Promise<void> {
  await db.sql`
    insert into audit (at, actor, action, object, before, after)
    values (${now}, ${entry.actor}, ${entry.action}, ${entry.object},
      ${entry.before ? db.sql.json(entry.before as never) : null},
      ${entry.after ? db.sql.json(entry.after as never) : null})`
}
