import { Type } from 'typebox'
import type { Db } from '../db/sql.ts'
import { addPlainPages, escapeHtml, plainPage } from '../http/plain-page.ts'
import type { Server } from '../http/server.ts'
import { say } from '../phrases/phrases.ts'
import { ForgotPasswordBody, ResetPasswordBody } from './sessions.schemas.ts'
import type { SessionsService } from './sessions.service.ts'

const PATH = '/redefinir-senha'
const Token = Type.Object({ token: Type.String({ maxLength: 200 }) })

/** The panel's private routes for a forgotten password. */
export function addPasswordPanelRoutes(
  server: Server,
  deps: { db: Db; sessions: SessionsService },
): void {
  const { db, sessions } = deps

  /** 202 in any case; who owns the address gets a mail. */
  server.post(
    '/panel/api/forgot-password',
    { schema: { hide: true, body: ForgotPasswordBody } },
    async (request, reply) => {
      await sessions.forgotPassword(db, request.body.email, request.ip)
      return reply.code(202).send({})
    },
  )

  server.post(
    '/panel/api/reset-password',
    {
      schema: { hide: true, body: ResetPasswordBody },
      config: { sentences: { password: (say) => say.accounts.password } },
    },
    async (request, reply) => {
      await sessions.resetPassword(db, request.body)
      return reply.code(204).send()
    },
  )

  const { resetTitle, resetLabel, resetAction, resetDone } = say.docs
  /** The page behind the link of the mail, until the panel has one. */
  addPlainPages(server, (scope) => {
    scope.get(PATH, { schema: { hide: true, querystring: Token } }, async (request, reply) => {
      const { token } = request.query as { token: string }
      const form = `<form method="post" action="${PATH}"><input type="hidden" name="token" value="${escapeHtml(token)}">
        <p><label>${resetLabel}<br><input type="password" name="password" minlength="8" maxlength="200"
          autocomplete="new-password" required></label></p><button>${resetAction}</button></form>`
      return reply.type('text/html; charset=utf-8').send(plainPage(resetTitle, form))
    })

    scope.post(
      PATH,
      { schema: { hide: true, body: ResetPasswordBody } },
      async (request, reply) => {
        await sessions.resetPassword(db, request.body as { token: string; password: string })
        const done = plainPage(resetTitle, `<p>${resetDone}</p>`)
        return reply.type('text/html; charset=utf-8').send(done)
      },
    )
  })
}
