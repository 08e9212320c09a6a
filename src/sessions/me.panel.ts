import type { Db } from '../db/sql.ts'
import { userOf, type Guard } from '../http/principal.ts'
import type { Server } from '../http/server.ts'
import { Me } from './sessions.schemas.ts'
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
}
