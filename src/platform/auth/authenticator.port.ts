import type { Mode } from '../../kernel/config/config.ts'
import type { Failure } from '../../kernel/phrases/fail.ts'
import type { KeyPrincipal, UserPrincipal } from '../../kernel/principal.ts'
import type { Db } from '../db/sql.ts'

/**
 * Authenticates the callers of HTTP routes. `app.ts` passes it to the HTTP server; `keys` and `sessions` implement it.
 */
export type Authenticator = {
  /** Returns the caller of an API route, or throws 401, 402 or 403 (G15). */
  authenticateKey(token: string | null, mode: Mode): Promise<KeyPrincipal>
  /**
   * Returns the user of a key-management or panel route, or throws. Users of a suspended Project are accepted only with
   * `suspended: true`.
   */
  authenticateUser(
    token: string | null,
    mode: Mode,
    options?: { suspended: boolean },
  ): Promise<Omit<UserPrincipal, 'address'>>
  /**
   * Throws if the key may no longer be used, for responses that no guarded statement has validated. `db` is the
   * caller's transaction if there is one, because a second connection per request could exhaust the pool.
   */
  recheckKey(db: Db, principal: KeyPrincipal): Promise<void>
  /**
   * Returns the failures of those keys that may no longer be used, by key id. For streams, which outlive their request.
   */
  findRejectedKeys(db: Db, keyIds: string[]): Promise<Map<string, Failure>>
}
