import type { Db } from '../../platform/db/sql.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { callerOf, userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { CodeBody, OfferedFactor, PasswordBody, RecoveryCodes } from './sessions.schemas.ts'
import type { SessionsService } from './sessions.service.ts'

/** Adds the panel's private routes for a user's second factor. */
export function addSecondFactorPanelRoutes(
  server: Server,
  deps: {
    db: Db
    sessions: SessionsService
    guard: Guard
  },
): void {
  const { db, sessions, guard: onRequest } = deps

  /** Returns a new secret, which has no effect until a code confirms it. */
  server.post(
    '/panel/api/second-factor',
    {
      config: { waits: true, changes: 'second-factor' },
      onRequest,
      schema: { hide: true, body: PasswordBody, response: { 200: OfferedFactor } },
    },
    async (request) =>
      sessions.beginSecondFactor(db, userOf(request).userId, request.body.password),
  )

  /** Turns the second factor on and returns the recovery codes, which are shown only once. */
  server.post(
    '/panel/api/second-factor/confirm',
    {
      config: { waits: true, changes: 'second-factor' },
      onRequest,
      schema: { hide: true, body: CodeBody, response: { 200: RecoveryCodes } },
    },
    async (request) => sessions.confirmSecondFactor(db, callerOf(request), request.body.code),
  )

  server.post(
    '/panel/api/second-factor/end',
    {
      config: { waits: true, changes: 'second-factor' },
      onRequest,
      schema: { hide: true, body: CodeBody, response: { 204: NoContent } },
    },
    async (request, reply) => {
      await sessions.endSecondFactor(db, callerOf(request), request.body.code)
      return reply.code(204).send(null)
    },
  )
}
