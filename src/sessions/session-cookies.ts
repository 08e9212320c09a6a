import type { FastifyReply } from 'fastify'
import { ACCESS_COOKIE } from '../http/principal.ts'
import { ACCESS_MS, REFRESH_MS, type Tokens } from './sessions.service.ts'

export const REFRESH_COOKIE = 'recado_refresh'
const SIGN_UP_COOKIE = 'recado_signup'
const SIGN_UP_SECONDS = 24 * 3600

export type SessionCookies = ReturnType<typeof createSessionCookies>

/** The cookies of the panel: no script reads them, and no other site's page sends them. */
export function createSessionCookies({ secure }: { secure: boolean }) {
  const cookie = { httpOnly: true, sameSite: 'strict', secure } as const
  const access = { ...cookie, path: '/' }
  const refresh = { ...cookie, path: '/v1/auth' }
  // The link of the mail opens the page; what the page then asks for is of this site.
  const signUp = { ...cookie, path: '/panel/api/confirm-email' }
  return {
    open: (reply: FastifyReply, tokens: Tokens) =>
      reply
        .setCookie(ACCESS_COOKIE, tokens.accessToken, { ...access, maxAge: ACCESS_MS / 1000 })
        .setCookie(REFRESH_COOKIE, tokens.refreshToken, { ...refresh, maxAge: REFRESH_MS / 1000 }),
    close: (reply: FastifyReply) =>
      reply.clearCookie(ACCESS_COOKIE, access).clearCookie(REFRESH_COOKIE, refresh),
    /** Marks the browser that signs up. */
    markSignUp: (reply: FastifyReply, secret: string) =>
      reply.setCookie(SIGN_UP_COOKIE, secret, { ...signUp, maxAge: SIGN_UP_SECONDS }),
    signUpOf: (request: { cookies: Record<string, string | undefined> }) =>
      request.cookies[SIGN_UP_COOKIE] ?? null,
  }
}
