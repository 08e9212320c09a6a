/**
 * How long a transaction may be idle between two statements, in milliseconds, before PostgreSQL ends it. A node that froze
 * or lost its network would otherwise keep its locks. The ordinary limit is shorter than the statement timeout, so a
 * statement that waits for such a lock still succeeds.
 */
export const IDLE_LIMITS_MS = {
  ordinary: 4000,
  /** For the server's own statements that may take minutes. */
  patient: 30_000,
}
