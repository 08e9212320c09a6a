import type { Db } from '../db/sql.ts'

/** The statuses of instances that have a session, or are to have one: those of the index `instance_open`. */
export const OPEN_STATUSES = ['CONNECTING', 'QR', 'PAIRED', 'CONNECTED', 'DISCONNECTED'] as const
/** Whether instances of this status have a session, or are to have one. */
export const isOpenStatus = (status: string): boolean => OPEN_STATUSES.some((one) => one === status)
const LIST = OPEN_STATUSES.map((status) => `'${status}'`).join(', ')

/** Whether instance `i` has a session, or is to have one. The statuses are literals, as in the predicate of the index. */
export const isOpen = (db: Db) =>
  db.sql`(i.status in (${db.sql.unsafe(LIST)}) and i.deleted_at is null)`
