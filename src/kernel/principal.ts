import type { Role } from './permissions.ts'
import type { Mode } from './config/config.ts'

/** A caller authenticated by a company's API key. */
export type KeyPrincipal = { kind: 'key'; keyId: string; projectId: string; mode: Mode }
/** A caller authenticated as a signed-in user. */
export type UserPrincipal = {
  kind: 'user'
  userId: string
  sessionId: string
  projectId: string
  role: Role
  /** The IP address the user calls from. */
  address: string
}
/** The authenticated caller of a request. */
export type Principal = KeyPrincipal | UserPrincipal

/** The actor of an audit log entry: a user id or a key id, and the IP address the call came from. */
export type Caller = { actor: string; address: string | null }

/** The audit log actor for a user. */
export const toCaller = ({ userId, address }: UserPrincipal): Caller => ({ actor: userId, address })
