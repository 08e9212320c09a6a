import type { EmailChangeService } from '../accounts/change-email.service.ts'
import type { Db } from '../../platform/db/sql.ts'
import { Accepted } from '../../kernel/schemas.ts'
import { userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { ChangeEmailBody, EmailChanged, TokenBody } from './sessions.schemas.ts'
import type { SessionsService } from './sessions.service.ts'

/** Adds the panel's private routes for changing a user's email address. */
export function addEmailChangePanelRoutes(
  server: Server,
  deps: {
    db: Db
    sessions: SessionsService
    emailChange: EmailChangeService
    guard: Guard
  },
): void {
  const { db, sessions, emailChange, guard } = deps

  server.post(
    '/panel/api/change-email',
    {
      config: { waits: true, changes: 'me' },
      onRequest: guard,
      schema: { hide: true, body: ChangeEmailBody, response: { 202: Accepted } },
    },
    async (request, reply) => {
      await sessions.changeEmail(db, userOf(request).userId, request.body)
      return reply.code(202).send({})
    },
  )

  /** Confirms one address; `changed` is false until the other address has confirmed, too. */
  server.post(
    '/panel/api/confirm-email-change',
    {
      config: { changes: 'me' },
      schema: { hide: true, body: TokenBody, response: { 200: EmailChanged } },
    },
    async (request) => ({ changed: await emailChange.confirm(db, request.body.token, request.ip) }),
  )
}
