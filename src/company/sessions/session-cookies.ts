import type { FastifyReply } from 'fastify'
import { cookieNames } from '../../platform/http/principal.ts'
import { ACCESS_MS, REFRESH_MS, type Tokens } from './sessions.service.ts'

const SIGN_UP_SECONDS = 24 * 3600
const DEVICE_SECONDS = 180 * 24 * 3600

type Cookies = { cookies: Record<string, string | undefined> }
/** Sets and clears session cookies; see `createSessionCookies`. */
export type SessionCookies = ReturnType<typeof createSessionCookies>

/** Manages the panel's cookies, which are `HttpOnly` and `SameSite=Strict`. */
export function createSessionCookies({ secure }: { secure: boolean }) {
  const names = cookieNames(secure)
  // The `__Host-` prefix requires this path.
  const cookie = { httpOnly: true, sameSite: 'strict', secure, path: '/' } as const
  return {
    open: (reply: FastifyReply, tokens: Tokens) =>
      reply
        .setCookie(names.access, tokens.accessToken, { ...cookie, maxAge: ACCESS_MS / 1000 })
        .setCookie(names.refresh, tokens.refreshToken, { ...cookie, maxAge: REFRESH_MS / 1000 }),
    close: (reply: FastifyReply) =>
      reply.clearCookie(names.access, cookie).clearCookie(names.refresh, cookie),
    accessOf: (request: Cookies) => request.cookies[names.access] ?? null,
    refreshOf: (request: Cookies) => request.cookies[names.refresh] ?? null,
    /** Marks the browser as the one that started the sign-up. */
    markSignUp: (reply: FastifyReply, secret: string) =>
      reply.setCookie(names.signUp, secret, { ...cookie, maxAge: SIGN_UP_SECONDS }),
    signUpOf: (request: Cookies) => request.cookies[names.signUp] ?? null,
    /**
     * Marks a browser that has signed in to an account, so that failed attempts from other browsers
     * do not lock it out.
     */
    markDevice: (reply: FastifyReply, token: string) =>
      reply.setCookie(names.device, token, { ...cookie, maxAge: DEVICE_SECONDS }),
    deviceOf: (request: Cookies) => request.cookies[names.device] ?? null,
  }
}
