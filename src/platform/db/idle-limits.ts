import type { Db } from './sql.ts'

/**
 * How long a transaction may do nothing between two statements, in milliseconds, before PostgreSQL ends it: a node that
 * froze or lost its network would otherwise keep its locks. The ordinary limit is shorter than the timeout of a statement,
 * so that a statement that waits for such a lock still succeeds.
 */
export const IDLE_LIMITS_MS = {
  ordinary: 4000,
  /** For the server's own statements that may take minutes. */
  patient: 30_000,
  /** For transactions that wait for a network or store a file, and hold nothing that others need until they lock a Project. */
  waiting: 60_000,
}

/** Lets a transaction wait for something else than the database; `lockProjects` ends the permission. */
export async function allowWaiting(tx: Db): Promise<void> {
  const limit = String(IDLE_LIMITS_MS.waiting)
  await tx.system`select set_config('idle_in_transaction_session_timeout', ${limit}, true)`
}
