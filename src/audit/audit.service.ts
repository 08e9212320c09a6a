import type { Db } from '../db/sql.ts'
import type { Clock } from '../lib/clock.ts'
import { insertAudit, listAudit, type AuditEntry } from './audit.sql.ts'

export type AuditService = ReturnType<typeof createAuditService>

/** Who changed what. Entries are written in the transaction of the change and can never be altered. */
export function createAuditService({ clock }: { clock: Clock }) {
  return {
    /** Newest first. */
    list: listAudit,
    record: (tx: Db, entry: AuditEntry) => insertAudit(tx, entry, new Date(clock.now())),
  }
}
