import type { Db, Fragment } from '../platform/db/sql.ts'

/** Whether a queued message `m` is being sent. Only its row in the outbox says so. */
const isSending = (db: Db): Fragment =>
  db.sql`exists (select from outbox o where o.instance_id = m.instance_id and o.seq = m.seq and o.sending)`

/** The status of a message `m` as callers see it. */
export const shownStatus = (db: Db): Fragment =>
  db.sql`case when m.status = 'queued' and ${isSending(db)} then 'sending' else m.status end`

/** The condition that a message `m` has this status. */
export function hasStatus(db: Db, status: string): Fragment {
  if (status === 'queued') return db.sql`m.status = 'queued' and not ${isSending(db)}`
  if (status === 'sending') return db.sql`m.status = 'queued' and ${isSending(db)}`
  return db.sql`m.status = ${status}`
}
