import type { Db } from '../db/sql.ts'
import { pageOf } from '../http/answers.ts'
import { userOf, type Guard } from '../http/principal.ts'
import type { Server } from '../http/server.ts'
import { AuditLog, AuditQuery } from './audit.schemas.ts'
import type { AuditService } from './audit.service.ts'

/** The panel's private route for what was done in an account and to it. */
export function addAuditPanelRoute(
  server: Server,
  deps: { db: Db; audit: AuditService; guard: Guard },
): void {
  const { db, audit, guard } = deps
  /** 200 {"items":[{"id","at","actor","actorEmail","action","object","before","after"}],…}, newest first. */
  server.get(
    '/panel/api/audit',
    {
      onRequest: guard,
      schema: { hide: true, querystring: AuditQuery, response: { 200: AuditLog } },
    },
    async (request) => {
      const { limit, offset, q = null } = request.query
      const page = { limit: limit + 1, offset, q }
      const items = await audit.ofAccount(db, userOf(request).userId, page)
      return pageOf(items, limit, offset)
    },
  )
}
