import type { Mode } from '../../kernel/config/config.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Caller } from '../../kernel/principal.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { AccountAuditEntry } from './audit.schemas.ts'
import {
  insertAudit,
  listAccountAudit,
  listAudit,
  type AuditEntry,
  type AuditFilter,
} from './audit.sql.ts'
import { toCsv } from './to-csv.ts'

/** Row limit of the CSV export. */
const MAX_EXPORTED_ROWS = 10_000
const UNCHANGED = { before: null, after: null }

/** Records and lists changes and their authors; see `createAuditService`. */
export type AuditService = ReturnType<typeof createAuditService>

/** The audit log: who changed what. Entries are written in the transaction of the change and are immutable. */
export function createAuditService({ clock }: { clock: Clock }) {
  const record = (tx: Db, entry: AuditEntry) => insertAudit(tx, entry, new Date(clock.now()))

  /** Lists a page of the entries of the user's account, newest first. */
  async function listForAccount(
    db: Db,
    userId: string,
    page: AuditFilter & { limit: number; offset: number },
  ): Promise<AccountAuditEntry[]> {
    const rows = await listAccountAudit(db, userId, page)
    return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
  }

  return {
    /** Lists entries of one object or of all, newest first. */
    list: listAudit,
    listForAccount,
    /** Returns the newest 10,000 entries of the user's account as CSV. */
    exportCsv: async (db: Db, userId: string, filter: AuditFilter): Promise<string> =>
      toCsv(await listForAccount(db, userId, { limit: MAX_EXPORTED_ROWS, offset: 0, ...filter })),
    record,
    /** Records an action of a user on their own account. */
    recordOwnAction: (tx: Db, caller: Caller, action: string): Promise<void> =>
      record(tx, { ...caller, action, object: caller.actor, ...UNCHANGED }),
    /** Records an action of a caller in a mode of their Project. */
    recordAction: (
      tx: Db,
      { mode }: { mode: Mode },
      caller: Caller,
      action: string,
      object: string,
      change: Pick<AuditEntry, 'before' | 'after'> = UNCHANGED,
    ): Promise<void> => record(tx, { ...caller, mode, action, object, ...change }),
  }
}

/**
 * A phone number or LID as the audit log names it: its last four digits. The log cannot be changed, and would otherwise
 * keep the personal data of contacts that were erased.
 */
export const maskedAddress = (address: string): string => `…${address.split('@', 1)[0]?.slice(-4)}`
