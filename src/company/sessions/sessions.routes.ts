import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { bearerToken, requirePanel } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { LoginBody, RefreshBody, Successor, TokensResponse } from './sessions.schemas.ts'
import { readSignInOrigin } from './sign-in-origin.ts'
import type { SessionCookies } from './session-cookies.ts'
import type { SessionsService, Tokens } from './sessions.service.ts'

const TokenHeader = Type.Object({
  'x-token-response': Type.Optional(
    Type.String({ description: '`body` pede os tokens no corpo', examples: ['body'] }),
  ),
})

/** The panel's secret for a renewal by cookie, which it keeps until it gets the response. */
function readRenewal(request: FastifyRequest): string | null {
  const renewal = request.headers['x-recado-renewal']
  return typeof renewal === 'string' && renewal.length <= 100 ? renewal : null
}

/** Adds the public routes to sign in, refresh a session and sign out (G6). */
export function addSessionRoutes(
  server: Server,
  deps: { db: Db; sessions: SessionsService; cookies: SessionCookies },
): void {
  const { db, sessions, cookies } = deps

  const asksForBody = (request: FastifyRequest) => request.headers['x-token-response'] === 'body'

  /** Sends the tokens in the body or in `HttpOnly` cookies. */
  function sendTokens(reply: FastifyReply, tokens: Tokens, inBody: boolean) {
    if (inBody) return reply.code(200).send(tokens)
    return cookies.open(reply, tokens).code(200).send({})
  }

  server.post(
    '/v1/auth/login',
    {
      schema: {
        tags: ['Sessão'],
        operationId: 'login',
        summary: 'Entrar com e-mail e senha',
        body: LoginBody,
        headers: TokenHeader,
        response: responses({ 200: TokensResponse }, [400, 401, 403, 413, 415, 429], {
          401: say.auth.wrongPassword,
          403: say.auth.unconfirmed,
          429: say.auth.tooManyAttempts(540),
        }),
      },
    },
    async (request, reply) => {
      const { email, password, code } = request.body
      const from = await readSignInOrigin(request)
      const device = cookies.deviceOf(request)
      const tokens = await sessions.login(db, { email, password, code, device }, from)
      if (!asksForBody(request)) {
        cookies.markDevice(reply, sessions.deviceToken(email))
      }
      return sendTokens(reply, tokens, asksForBody(request))
    },
  )

  server.post(
    '/v1/auth/refresh',
    {
      // The body is optional: the panel sends the token in a cookie.
      async preValidation(request) {
        request.body ??= {}
      },
      schema: {
        tags: ['Sessão'],
        operationId: 'refreshSession',
        summary: 'Trocar o refreshToken por um novo par',
        body: Type.Optional(RefreshBody),
        response: responses({ 200: TokensResponse }, [400, 401, 403, 413, 415], {
          401: say.auth.badRefresh,
          403: say.auth.notThePanel,
        }),
      },
    },
    async (request, reply) => {
      const given = request.body?.refreshToken
      const token = given ?? cookies.refreshOf(request)
      if (token && !given) requirePanel(request)
      if (!token) throw fail('unauthorized', (say) => say.auth.badRefresh)
      const tokens = await sessions.refresh(db, token, given ? null : readRenewal(request))
      // A token comes back where it was sent: scripts of the panel must not be able to read that of a cookie.
      return sendTokens(reply, tokens, given !== undefined)
    },
  )

  /** Private to the panel: returns the session that superseded this browser's, or 204. */
  server.get(
    '/v1/auth/successor',
    { schema: { hide: true, response: { 200: Successor, 204: NoContent } } },
    async (request, reply) => {
      const token = cookies.refreshOf(request)
      const successor = token ? await sessions.successor(db, token) : null
      return successor ?? reply.code(204).send(null)
    },
  )

  server.post(
    '/v1/auth/logout',
    {
      schema: {
        tags: ['Sessão'],
        operationId: 'logout',
        summary: 'Encerrar a sessão',
        security: [{ userToken: [] }],
        response: responses({ 204: NoContent }, [401, 403, 413, 415]),
      },
    },
    async (request, reply) => {
      // The access cookie may have expired while the refresh cookie is still valid.
      const given = bearerToken(request)
      const token = given ?? cookies.accessOf(request) ?? cookies.refreshOf(request)
      if (token && !given) requirePanel(request)
      if (!token) throw fail('unauthorized', (say) => say.auth.missing)
      await sessions.logout(db, token)
      return cookies.close(reply).code(204).send(null)
    },
  )
}
