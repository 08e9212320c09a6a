import type { Db } from '../db/sql.ts'
import { Accepted, NoContent } from '../http/answers.ts'
import type { Server } from '../http/server.ts'
import type { FieldSentences } from '../http/validation.ts'
import { ConfirmEmailBody, SignUpBody } from './accounts.schemas.ts'
import type { AccountsService } from './accounts.service.ts'

/** The panel's private routes for making an account. Source: contract §1. */
export function addAccountPanelRoutes(
  server: Server,
  deps: { db: Db; accounts: AccountsService },
): void {
  const { db, accounts } = deps
  const sentences: FieldSentences = {
    company: (say) => say.accounts.company,
    taxId: (say) => say.accounts.taxId,
    email: (say) => say.accounts.email,
    password: (say) => say.accounts.password,
  }

  /** 202 in any case; the mail tells the rest. */
  server.post(
    '/panel/api/signup',
    { schema: { hide: true, body: SignUpBody, response: { 202: Accepted } }, config: { sentences } },
    async (request, reply) => {
      await accounts.signUp(db, request.body)
      return reply.code(202).send({})
    },
  )

  server.post(
    '/panel/api/confirm-email',
    { schema: { hide: true, body: ConfirmEmailBody, response: { 204: NoContent } } },
    async (request, reply) => {
      await accounts.confirmEmail(db, request.body.token)
      return reply.code(204).send(null)
    },
  )
}
