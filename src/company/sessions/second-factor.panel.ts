import type { SecondFactorService } from '../accounts/second-factor.service.ts'
import type { Db } from '../../platform/db/sql.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { callerOf, userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { CodeBody, OfferedFactor, PasswordBody, RecoveryCodes } from './sessions.schemas.ts'
import type { SessionsService } from './sessions.service.ts'

/** The panel's private routes for a person's second factor. */
export function addSecondFactorPanelRoutes(
  server: Server,
  deps: {
    db: Db
    sessions: SessionsService
    secondFactor: SecondFactorService
    guard: Guard
  },
): void {
  const { db, sessions, secondFactor, guard: onRequest } = deps

  /** 200 {"secret","uri"}; nothing is in force yet. */
  server.post(
    '/panel/api/second-factor',
    {
      config: { changes: 'second-factor' },
      onRequest,
      schema: { hide: true, body: PasswordBody, response: { 200: OfferedFactor } },
    },
    async (request) =>
      sessions.beginSecondFactor(db, userOf(request).userId, request.body.password),
  )

  /** 200 {"recoveryCodes"}, shown this once. */
  server.post(
    '/panel/api/second-factor/confirm',
    {
      config: { changes: 'second-factor' },
      onRequest,
      schema: { hide: true, body: CodeBody, response: { 200: RecoveryCodes } },
    },
    async (request) => secondFactor.confirm(db, callerOf(request), request.body.code),
  )

  server.post(
    '/panel/api/second-factor/end',
    {
      config: { changes: 'second-factor' },
      onRequest,
      schema: { hide: true, body: CodeBody, response: { 204: NoContent } },
    },
    async (request, reply) => {
      await sessions.endSecondFactor(db, callerOf(request), request.body.code)
      return reply.code(204).send(null)
    },
  )
}
