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

export async function insertAudit(db: Db, entry: AuditEntry, now: Date): Promise<void> {
  await db.sql`
    insert into audit (at, actor, action, object, before, after)
    values (${now}, ${entry.actor}, ${entry.action}, ${entry.object},
      ${entry.before ? db.sql.json(entry.before as never) : null},
      ${entry.after ? db.sql.json(entry.after as never) : null})`
}
