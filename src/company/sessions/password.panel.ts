import type { Db } from '../../platform/db/sql.ts'
import { Accepted, NoContent } from '../../kernel/schemas.ts'
import { languageOf } from '../../platform/http/languages.ts'
import type { Server } from '../../platform/http/server.ts'
import type { SessionCookies } from './session-cookies.ts'
import { ForgotPasswordBody, ResetPasswordBody } from './sessions.schemas.ts'
import type { SessionsService } from './sessions.service.ts'

/** Adds the panel's private routes for password resets. */
export function addPasswordPanelRoutes(
  server: Server,
  deps: { db: Db; sessions: SessionsService; cookies: SessionCookies },
): void {
  const { db, sessions, cookies } = deps

  /** Returns 202 whether or not the address has an account; only its owner receives a mail. */
  server.post(
    '/panel/api/forgot-password',
    { schema: { hide: true, body: ForgotPasswordBody, response: { 202: Accepted } } },
    async (request, reply) => {
      const from = { address: request.ip, language: languageOf(request) }
      await sessions.forgotPassword(db, request.body.email, from)
      return reply.code(202).send({})
    },
  )

  server.post(
    '/panel/api/reset-password',
    {
      schema: { hide: true, body: ResetPasswordBody, response: { 204: NoContent } },
      config: { sentences: { password: (say) => say.accounts.password } },
    },
    async (request, reply) => {
      const device = await sessions.resetPassword(db, request.body, request.ip)
      return cookies.markDevice(reply, device).code(204).send(null)
    },
  )
}
