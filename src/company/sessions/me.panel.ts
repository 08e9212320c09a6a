import type { Db } from '../../platform/db/sql.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { Appearance, Me, NameBody, OpenedSessions } from './sessions.schemas.ts'
import type { SessionsService } from './sessions.service.ts'

/** Adds the panel's private routes for the signed-in user. */
export function addMePanelRoute(
  server: Server,
  deps: { db: Db; sessions: SessionsService; guard: Guard },
): void {
  const { db, sessions, guard } = deps

  /** Returns the signed-in user with their role, company and Project. */
  server.get(
    '/panel/api/me',
    { onRequest: guard, schema: { hide: true, response: { 200: Me } } },
    (request) => sessions.me(db, userOf(request).userId),
  )

  /** Stores the panel preferences of the user, for all devices; returns 204. */
  server.put(
    '/panel/api/me/appearance',
    {
      config: { changes: 'me' },
      onRequest: guard,
      schema: { hide: true, body: Appearance, response: { 204: NoContent } },
    },
    async (request, reply) => {
      await sessions.setAppearance(db, userOf(request).userId, request.body)
      return reply.code(204).send(null)
    },
  )

  /** Stores the display name of the user; an empty name removes it. Returns 204. */
  server.put(
    '/panel/api/me/name',
    {
      config: { changes: 'me' },
      onRequest: guard,
      schema: { hide: true, body: NameBody, response: { 204: NoContent } },
    },
    async (request, reply) => {
      await sessions.setName(db, userOf(request).userId, request.body.name)
      return reply.code(204).send(null)
    },
  )

  /** Lists the user's recent sessions, newest first, and marks the current one. */
  server.get(
    '/panel/api/sessions',
    { onRequest: guard, schema: { hide: true, response: { 200: OpenedSessions } } },
    (request) => sessions.list(db, userOf(request)),
  )
}
