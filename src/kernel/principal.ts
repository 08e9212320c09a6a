import type { Role } from './permissions.ts'
import type { Mode } from './config/config.ts'

/** What a restricted key may be permitted to do: read data, send and answer messages, or everything else. */
export const KEY_PERMISSIONS = ['read', 'send', 'manage'] as const
/** A permission of a restricted key. */
export type KeyPermission = (typeof KEY_PERMISSIONS)[number]

/** The limits of a restricted key; null where it has none of that kind. */
export type KeyRestrictions = {
  permissions: KeyPermission[] | null
  instanceIds: string[] | null
  /** IP addresses and ranges that the key may be used from. */
  addresses: string[] | null
  requestsPerMinute: number | null
}

/** A caller authenticated by a company's API key. `restrictions` is null if the key may do everything. */
export type KeyPrincipal = {
  kind: 'key'
  keyId: string
  projectId: string
  mode: Mode
  restrictions: KeyRestrictions | null
}
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

/** The actor of an operator's command. */
export const OPERATOR: Caller = { actor: 'operator', address: null }

/** Prefixes the user id in the actor of an operator's actions; companies see only `operator`. */
export const OPERATOR_PREFIX = `${OPERATOR.actor}/`

/** The audit log actor for a user. */
export const toCaller = ({ userId, address }: UserPrincipal): Caller => ({ actor: userId, address })
