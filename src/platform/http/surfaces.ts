import type { Permission } from '../../kernel/permissions.ts'
import type { Authenticator } from '../auth/authenticator.port.ts'
import {
  keyGuard,
  panelGuard,
  userGuard,
  type Guard,
  type KeyPermissions,
  type RoutePermissions,
} from './principal.ts'

/** The purpose of a group of routes, which determines the permissions they require. */
type Purpose =
  /** Conversations, and everything that attendants do in them. */
  | 'chat'
  /** What attendants manage for the team: contacts' pictures, labels, groups, quick replies. */
  | 'organize'
  /** Instances: attendants can view them, because they send from them, but not change them. */
  | 'operate'
  /** The tools of developers: webhooks, campaigns, virtual phones. */
  | 'develop'
  /** Pairing codes: anyone who reads one can pair, so reading requires the write permission. */
  | 'pair'
  /** API keys, which no key may manage. */
  | 'keys'

/**
 * One of the two ways into the same routes: `api` at `/v1`, where the host selects the mode and a key is the
 * credential; `panel` at `/panel/api/{mode}/v1`, where the path selects the mode, a session is the credential, and
 * sends consume no credits.
 */
export type Surface = { kind: 'api' | 'panel'; guard: (purpose: Purpose) => Guard }

const KEY_PERMISSIONS: Record<Exclude<Purpose, 'keys'>, KeyPermissions> = {
  chat: { read: 'read', write: 'send' },
  organize: { read: 'read', write: 'manage' },
  operate: { read: 'read', write: 'manage' },
  develop: { read: 'read', write: 'manage' },
  pair: { read: 'manage', write: 'manage' },
}

const USER_PERMISSIONS: Record<Purpose, RoutePermissions> = {
  chat: { read: 'attend', write: 'attend' },
  organize: { read: 'attend', write: 'attend' },
  operate: { read: 'viewInstances', write: 'develop' },
  develop: { read: 'develop', write: 'develop' },
  pair: { read: 'develop', write: 'develop' },
  keys: { read: 'develop', write: 'develop' },
}

/** What a panel user needs to read what the routes of a purpose return. */
export const permissionToRead = (purpose: Purpose): Permission => USER_PERMISSIONS[purpose].read

/** The public API. */
export const apiSurface = (authenticator: Authenticator): Surface => ({
  kind: 'api',
  guard: (purpose) =>
    purpose === 'keys'
      ? userGuard(authenticator)
      : keyGuard(authenticator, KEY_PERMISSIONS[purpose]),
})

/** The same routes for panel users. */
export const panelSurface = (authenticator: Authenticator): Surface => ({
  kind: 'panel',
  guard: (purpose) => panelGuard(authenticator, USER_PERMISSIONS[purpose]),
})
