import type { Db } from './sql.ts'

/**
 * How long a transaction may be idle between two statements, in milliseconds, before PostgreSQL ends it. A node that froze
 * or lost its network would otherwise keep its locks. The ordinary limit is shorter than the statement timeout, so a
 * statement that waits for such a lock still succeeds.
 */
export const IDLE_LIMITS_MS = {
  ordinary: 4000,
  /** For the server's own statements that may take minutes. */
  patient: 30_000,
  /** For transactions that wait for a network or store a file, and hold nothing that others need until they lock a Project. */
  waiting: 60_000,
}

/** Lets a transaction wait for something other than the database, until `lockProjects` restores the ordinary limit. */
export async function allowWaiting(tx: Db): Promise<void> {
  const limit = String(IDLE_LIMITS_MS.waiting)
  await tx.system`select set_config('idle_in_transaction_session_timeout', ${limit}, true)`
}
