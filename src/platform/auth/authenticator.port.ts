import type { Mode } from '../../kernel/config/config.ts'
import type { Failure, RateState } from '../../kernel/phrases/fail.ts'
import type { KeyPermission, KeyPrincipal, UserPrincipal } from '../../kernel/principal.ts'
import type { Db } from '../db/sql.ts'

/** How a request uses a key. */
export type KeyUse = {
  /** The permission it needs; null if every key may make it. */
  permission: KeyPermission | null
  /** The instance it concerns, the whole Project, or only data that any key may see. */
  concerns: { instanceId: string } | 'project' | 'own'
  /** The IP address it comes from. */
  address: string
}

/**
 * Authenticates the callers of HTTP routes. `create-modules.ts` passes it to the HTTP server; `keys` and `sessions` implement it.
 */
export type Authenticator = {
  /** Returns the caller of an API route, or throws 401, 402 or 403 (G15). */
  authenticateKey(token: string | null, mode: Mode): Promise<KeyPrincipal>
  /**
   * Throws 403 if the restrictions of the key forbid this use, and 429 beyond its rate. Returns the state of its rate,
   * or null if it has none.
   */
  authorizeKey(principal: KeyPrincipal, use: KeyUse): Promise<RateState | null>
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
  recheckKey(db: Db, keyId: string): Promise<void>
  /**
   * Returns the failures of those keys that may no longer be used, by key id. For streams, which outlive their request.
   */
  findRejectedKeys(db: Db, keyIds: string[]): Promise<Map<string, Failure>>
}
