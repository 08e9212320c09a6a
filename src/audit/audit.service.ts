import type { Db } from '../db/sql.ts'
import type { Clock } from '../lib/clock.ts'
import type { AccountAuditEntry } from './audit.schemas.ts'
import { insertAudit, listAccountAudit, listAudit, type AuditEntry } from './audit.sql.ts'

export type AuditService = ReturnType<typeof createAuditService>

/** Who changed what. Entries are written in the transaction of the change and can never be altered. */
export function createAuditService({ clock }: { clock: Clock }) {
  return {
    /** Newest first. */
    list: listAudit,
    /** Of one account, newest first. */
    async ofAccount(
      db: Db,
      userId: string,
      page: { limit: number; offset: number; q: string | null },
    ): Promise<AccountAuditEntry[]> {
      const rows = await listAccountAudit(db, userId, page)
      return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
    },
    record: (tx: Db, entry: AuditEntry) => insertAudit(tx, entry, new Date(clock.now())),
  }
}
