import type { Role } from './permissions.ts'
import type { Mode } from './config/config.ts'

/** Who called: a company's key, or a person who signed in. */
export type KeyPrincipal = { kind: 'key'; keyId: string; projectId: string; mode: Mode }
export type UserPrincipal = {
  kind: 'user'
  userId: string
  sessionId: string
  projectId: string
  role: Role
  /** The IP address that he calls from. */
  address: string
}
export type Principal = KeyPrincipal | UserPrincipal

/** Who asks for what the audit log tells of, and from which IP address. */
export type Caller = { actor: string; address: string | null }

/** A person as the caller. */
export const asCaller = ({ userId, address }: UserPrincipal): Caller => ({ actor: userId, address })
