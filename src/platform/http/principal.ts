import { isRead } from './methods.ts'
import { hasPermission, type Permission } from '../../kernel/permissions.ts'
import '@fastify/cookie'
import type { FastifyReply, FastifyRequest, preHandlerHookHandler, RouteOptions } from 'fastify'
import type { Authenticator, KeyUse } from '../auth/authenticator.port.ts'
import type { Scope } from '../db/sql.ts'
import type { Mode } from '../../kernel/config/config.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import {
  toCaller,
  type Caller,
  type KeyPermission,
  type Principal,
  type UserPrincipal,
} from '../../kernel/principal.ts'
import type { ErrorEnvelope } from './error-envelope.ts'
import { setRateHeaders } from './rate-headers.ts'

/** The names of the panel's cookies. Over https they have the prefix that binds them to this exact host. */
export const cookieNames = (secure: boolean) => {
  const prefix = secure ? '__Host-' : ''
  return {
    access: `${prefix}recado_access`,
    refresh: `${prefix}recado_refresh`,
    signUp: `${prefix}recado_signup`,
    device: `${prefix}recado_device`,
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    cookieNames: ReturnType<typeof cookieNames>
  }
  interface FastifyRequest {
    mode: Mode
    principal: Principal | null
    /** The error returned to the caller, or null. */
    failure: ErrorEnvelope['error'] | null
  }
}

/** Authenticates a caller in an onRequest hook: sets `request.principal`, or throws 401, 402 or 403 (G15). */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** A guard that, after the given one, also runs a check of the scope, which throws. */
export const guardWith =
  (guard: Guard, check: (scope: Scope) => void): Guard =>
  async (request, reply) => {
    await guard(request, reply)
    check(scopeOf(request))
  }

/** The credential of `Authorization: Bearer <credential>`, or null. */
export function bearerToken(request: FastifyRequest): string | null {
  const match = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}

/** The permission that a restricted key needs for a route's GET, and for its other methods. */
export type KeyPermissions = { read: KeyPermission; write: KeyPermission }

/** Returns the instance that a request names in its path, or the scope that the route declares. */
function concernOf(request: FastifyRequest): KeyUse['concerns'] {
  const { url = '', config } = request.routeOptions
  const { id } = request.params as { id?: string }
  if (url.startsWith('/v1/instances/:id') && id !== undefined) return { instanceId: id }
  return config.keyUse ? 'own' : 'project'
}

/** The guard of API routes. Responses to a key with a rate limit carry the RateLimit headers. */
export function keyGuard(authenticator: Authenticator, permissions: KeyPermissions): Guard {
  return async (request, reply) => {
    const key = await authenticator.authenticateKey(bearerToken(request), request.mode)
    request.principal = key
    const needed = isRead(request.method) ? permissions.read : permissions.write
    const rate = await authenticator.authorizeKey(key, {
      permission: request.routeOptions.config.keyUse === 'self' ? null : needed,
      concerns: concernOf(request),
      address: request.ip,
    })
    if (rate) setRateHeaders(reply, rate)
  }
}

/** The instances that the caller is restricted to, or null if it may use all of its Project's. */
export function instancesOf(request: FastifyRequest): string[] | null {
  const { principal } = request
  return principal?.kind === 'key' ? (principal.restrictions?.instanceIds ?? null) : null
}

/** The guard of /v1/keys. */
export function userGuard(authenticator: Authenticator): Guard {
  return async (request) => {
    const user = await authenticator.authenticateUser(bearerToken(request), request.mode)
    request.principal = { ...user, address: request.ip }
  }
}

/** A header the panel sends with every change; pages of other origins cannot send it. */
const PANEL_HEADER = 'x-recado-panel'

/** Requires the panel's header on a change that is authenticated by a cookie. Throws 403. */
export function requirePanel(request: FastifyRequest): void {
  if (!isRead(request.method) && request.headers[PANEL_HEADER] === undefined) {
    throw fail('forbidden', (say) => say.auth.notThePanel)
  }
}

/**
 * A user's token from the header, or from the panel's cookie, which scripts cannot read and other sites do not send. A
 * change authenticated by the cookie must also carry the panel's header. Throws 403 if it does not.
 */
function userToken(request: FastifyRequest): string | null {
  const bearer = bearerToken(request)
  if (bearer !== null || request.headers.authorization !== undefined) return bearer
  const token = request.cookies[request.server.cookieNames.access] ?? null
  if (token !== null) requirePanel(request)
  return token
}

/**
 * The guard of routes that remain available when the user's Project is suspended: payments, and the user's own data and
 * account.
 */
export function ownerGuard(authenticator: Authenticator): Guard {
  return async (request) => {
    const token = userToken(request)
    const suspended = true
    const user = await authenticator.authenticateUser(token, request.mode, { suspended })
    request.principal = { ...user, address: request.ip }
  }
}

/**
 * Authenticates the users who change something a second time, after the body has arrived and a slot was free: a member
 * who was removed meanwhile, or a session that was ended, changes nothing. Keys are checked in every statement.
 */
export function authorizeAgain(server: {
  addHook(name: 'onRoute', hook: (route: RouteOptions) => void): unknown
}): void {
  server.addHook('onRoute', (route) => {
    const { onRequest: guard, method } = route
    if (typeof guard !== 'function' || [method].flat().every(isRead)) return
    const again: preHandlerHookHandler = (request, reply, done) => {
      if (request.principal?.kind !== 'user') return done()
      const authorize = guard as unknown as Guard
      authorize(request, reply).then(() => done(), done)
    }
    route.preHandler = [...[route.preHandler ?? []].flat(), again]
  })
}

/** Like `authorizeAgain`, for routes that read the body, or wait for a turn, in their handler. */
export async function authorizeUserAgain(
  guard: Guard,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (request.principal?.kind === 'user') await guard(request, reply)
}

/** The permission required by a route's GET, and by its other methods; null if they are forbidden to everyone. */
export type RoutePermissions = { read: Permission; write: Permission | null }

/** The guard of the panel's routes. On routes of a mode, `request.mode` comes from the path, never from the host. */
export function panelGuard(
  authenticator: Authenticator,
  rights: RoutePermissions | null = null,
): Guard {
  return async (request) => {
    const user = await authenticator.authenticateUser(userToken(request), request.mode)
    if (rights) {
      const needed = isRead(request.method) ? rights.read : rights.write
      if (!needed || !hasPermission(user.role, needed)) {
        throw fail('forbidden', (say) => say.auth.roleForbids)
      }
    }
    request.principal = { ...user, address: request.ip }
  }
}

/** The rows that the caller of a guarded route may access. Throws if no guard has run. */
export function scopeOf(request: FastifyRequest): Scope {
  const { principal } = request
  if (!principal)
    throw fail('internal', (say) => say.http.internal, {
      internal: `no guard authenticated ${request.method} ${request.routeOptions.url}`,
    })
  return {
    projectId: principal.projectId,
    mode: request.mode,
    ...(principal.kind === 'key'
      ? { keyId: principal.keyId }
      : { keyId: null, userId: principal.userId }),
  }
}

/** The caller of a guarded route, for the audit log. Throws if no guard has run. */
export function callerOf(request: FastifyRequest): Caller {
  const { principal } = request
  if (!principal)
    throw fail('internal', (say) => say.http.internal, {
      internal: `no guard authenticated ${request.method} ${request.routeOptions.url}`,
    })
  if (principal.kind === 'user') return toCaller(principal)
  return { actor: principal.keyId, address: request.ip }
}

/** The id of the signed-in user who called, or null for an API key. */
export const viewerOf = ({ principal }: FastifyRequest): string | null =>
  principal?.kind === 'user' ? principal.userId : null

/** The user who called a route guarded for users. Throws if no such guard has run. */
export function userOf(request: FastifyRequest): UserPrincipal {
  const { principal } = request
  if (principal?.kind !== 'user') {
    throw fail('internal', (say) => say.http.internal, {
      internal: `no guard authenticated a user for ${request.method} ${request.routeOptions.url}`,
    })
  }
  return principal
}
