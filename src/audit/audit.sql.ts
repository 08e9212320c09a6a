import type { Db } from '../db/sql.ts'

export type AuditEntry = {
  /** `operator`, or a user's id. */
  actor: string
  /** What was done, such as `project.suspend`. */
  action: string
  /** The id of what it was done to. */
  object: string
  before: object | null
  after: object | null
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

export async function insertAudit(db: Db, entry: AuditEntry, now: Date): Promise<void> {
  await db.sql`
    insert into audit (at, actor, action, object, before, after)
    values (${now}, ${entry.actor}, ${entry.action}, ${entry.object},
      ${entry.before ? db.sql.json(entry.before as never) : null},
      ${entry.after ? db.sql.json(entry.after as never) : null})`
}
