import type { Mode } from '../../kernel/config/config.ts'
import type { Failure } from '../../kernel/phrases/fail.ts'
import type { KeyPrincipal, UserPrincipal } from '../../kernel/principal.ts'
import type { Db } from '../db/sql.ts'

/** What `app.ts` hands to the edge; the rooms `keys` and `sessions` stand behind it. */
export type Authenticator = {
  /** Answers the caller of an API route, or throws the failure of specification §7. */
  authenticateKey(token: string | null, mode: Mode): Promise<KeyPrincipal>
  /** Answers the caller of a key-management route; of a suspended Project only where that is allowed. */
  authenticateUser(
    token: string | null,
    mode: Mode,
    options?: { suspended: boolean },
  ): Promise<Omit<UserPrincipal, 'address'>>
  /**
   * Throws if the key may not be used any more: for answers that no statement has proved. `db` is the caller's
   * transaction if it has one: a second connection beside it could exhaust the pool.
   */
  recheckKey(db: Db, principal: KeyPrincipal): Promise<void>
  /** Which of these keys may not be used any more, and why: for streams, which outlive their request. */
  refusedKeys(db: Db, keyIds: string[]): Promise<Map<string, Failure>>
}
