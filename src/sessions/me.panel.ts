import type { Db } from '../db/sql.ts'
import { NoContent } from '../http/answers.ts'
import { userOf, type Guard } from '../http/principal.ts'
import type { Server } from '../http/server.ts'
import { Appearance, Me, OpenedSessions } from './sessions.schemas.ts'
import type { SessionsService } from './sessions.service.ts'

/** Who is in the panel. */
export function addMePanelRoute(
  server: Server,
  deps: { db: Db; sessions: SessionsService; guard: Guard },
): void {
  const { db, sessions, guard } = deps
  server.get(
    '/panel/api/me',
    { onRequest: guard, schema: { hide: true, response: { 200: Me } } },
    (request) => sessions.me(db, userOf(request).userId),
  )

  server.put(
    '/panel/api/me/appearance',
    { onRequest: guard, schema: { hide: true, body: Appearance, response: { 204: NoContent } } },
    async (request, reply) => {
      await sessions.setAppearance(db, userOf(request).userId, request.body)
      return reply.code(204).send(null)
    },
  )

  server.get(
    '/panel/api/sessions',
    { onRequest: guard, schema: { hide: true, response: { 200: OpenedSessions } } },
    (request) => sessions.list(db, userOf(request)),
  )
}
