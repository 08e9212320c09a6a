import { Type } from 'typebox'
import type { Db } from '../db/sql.ts'
import { addPlainPages, escapeHtml, plainPage } from '../http/plain-page.ts'
import type { Server } from '../http/server.ts'
import { say } from '../phrases/phrases.ts'
import type { AccountsService } from './accounts.service.ts'

const PATH = '/confirmar-email'
const Token = Type.Object({ token: Type.String({ maxLength: 200 }) })

/**
 * The page behind the link of the confirmation mail, until the panel has one: a button, because opening the link
 * alone must not use it up (mail scanners open links).
 */
export function addConfirmEmailPage(
  server: Server,
  deps: { db: Db; accounts: AccountsService },
): void {
  const { db, accounts } = deps
  const { confirmTitle, confirmAction, confirmDone } = say.docs
  addPlainPages(server, (scope) => {
    scope.get(PATH, { schema: { hide: true, querystring: Token } }, async (request, reply) => {
      const { token } = request.query as { token: string }
      const form = `<form method="post" action="${PATH}"><input type="hidden" name="token" value="${escapeHtml(token)}">
        <button>${confirmAction}</button></form>`
      return reply.type('text/html; charset=utf-8').send(plainPage(confirmTitle, form))
    })

    scope.post(PATH, { schema: { hide: true, body: Token } }, async (request, reply) => {
      await accounts.confirmEmail(db, (request.body as { token: string }).token)
      const done = plainPage(confirmTitle, `<p>${confirmDone}</p>`)
      return reply.type('text/html; charset=utf-8').send(done)
    })
  })
}
