import { Type } from 'typebox'
import type { EmailChangeService } from '../accounts/change-email.service.ts'
import type { Db } from '../db/sql.ts'
import { addPlainPages, escapeHtml, plainPage } from '../http/plain-page.ts'
import { userGuard, userOf, type Authenticator } from '../http/principal.ts'
import type { Server } from '../http/server.ts'
import { say } from '../phrases/phrases.ts'
import { ChangeEmailBody, TokenBody } from './sessions.schemas.ts'
import type { SessionsService } from './sessions.service.ts'

const PATH = '/mudar-email'
const Token = Type.Object({ token: Type.String({ maxLength: 200 }) })

/** The panel's private routes for a person's new address. */
export function addEmailChangePanelRoutes(
  server: Server,
  deps: {
    db: Db
    sessions: SessionsService
    emailChange: EmailChangeService
    authenticator: Authenticator
  },
): void {
  const { db, sessions, emailChange, authenticator } = deps

  server.post(
    '/panel/api/change-email',
    { onRequest: userGuard(authenticator), schema: { hide: true, body: ChangeEmailBody } },
    async (request, reply) => {
      await sessions.changeEmail(db, userOf(request).userId, request.body)
      return reply.code(202).send({})
    },
  )

  /** 200 {"changed"}: false while the other address has not agreed. */
  server.post(
    '/panel/api/confirm-email-change',
    { schema: { hide: true, body: TokenBody } },
    async (request) => ({ changed: await emailChange.confirm(db, request.body.token) }),
  )

  const { changeTitle, changeAction, changeDone, changeHalf } = say.docs
  /** The page behind the links of the mails, until the panel has one. */
  addPlainPages(server, (scope) => {
    scope.get(PATH, { schema: { hide: true, querystring: Token } }, async (request, reply) => {
      const { token } = request.query as { token: string }
      const form = `<form method="post" action="${PATH}"><input type="hidden" name="token" value="${escapeHtml(token)}">
        <button>${changeAction}</button></form>`
      return reply.type('text/html; charset=utf-8').send(plainPage(changeTitle, form))
    })

    scope.post(PATH, { schema: { hide: true, body: TokenBody } }, async (request, reply) => {
      const changed = await emailChange.confirm(db, (request.body as { token: string }).token)
      const done = plainPage(changeTitle, `<p>${changed ? changeDone : changeHalf}</p>`)
      return reply.type('text/html; charset=utf-8').send(done)
    })
  })
}
