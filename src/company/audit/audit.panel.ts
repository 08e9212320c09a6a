import type { Db } from '../../platform/db/sql.ts'
import { toPage } from '../../kernel/schemas.ts'
import { userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { AuditFileQuery, AuditLog, AuditQuery } from './audit.schemas.ts'
import type { AuditService } from './audit.service.ts'
import type { AuditFilter } from './audit.sql.ts'

/** Adds the panel's private routes for the audit log of an account. */
export function addAuditPanelRoute(
  server: Server,
  deps: { db: Db; audit: AuditService; guard: Guard },
): void {
  const { db, audit, guard } = deps
  /** Returns a page of the account's audit log, newest first. */
  server.get(
    '/panel/api/audit',
    {
      onRequest: guard,
      schema: { hide: true, querystring: AuditQuery, response: { 200: AuditLog } },
    },
    async (request) => {
      const { limit, offset } = request.query
      const page = { limit: limit + 1, offset, ...readFilter(request.query) }
      const items = await audit.listForAccount(db, userOf(request).userId, page)
      return toPage(items, limit, offset)
    },
  )

  /** Returns the newest 10,000 entries as a CSV file. */
  server.get(
    '/panel/api/audit.csv',
    { onRequest: guard, schema: { hide: true, querystring: AuditFileQuery } },
    async (request, reply) => {
      const filter = readFilter(request.query)
      const file = await audit.exportCsv(db, userOf(request).userId, filter)
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="auditoria.csv"')
        .send(file)
    },
  )
}

const readFilter = ({ q, actions = '', mode }: AuditFileQuery): AuditFilter => ({
  q: q ?? null,
  actions: actions.split(',').filter((action) => action !== ''),
  mode: mode ?? null,
})
