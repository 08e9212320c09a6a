import type { Db } from '../../platform/db/sql.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { AlertSettings, SaveAlertsBody } from './alerts.schemas.ts'
import type { AlertsService } from './alerts.service.ts'

/** The panel's private routes for what a person is told by mail. */
export function addAlertPanelRoutes(
  server: Server,
  deps: { db: Db; alerts: AlertsService; guard: Guard },
): void {
  const { db, alerts, guard: onRequest } = deps

  server.get(
    '/panel/api/alerts',
    { onRequest, schema: { hide: true, response: { 200: AlertSettings } } },
    (request) => alerts.settings(db, userOf(request)),
  )

  /** 204. 403 for a limit of credits from somebody whose role has nothing to do with them. */
  server.put(
    '/panel/api/alerts',
    {
      config: { changes: 'alerts' },
      onRequest,
      schema: { hide: true, body: SaveAlertsBody, response: { 204: NoContent } },
    },
    async (request, reply) => {
      await alerts.save(db, userOf(request), request.body)
      return reply.code(204).send(null)
    },
  )
}
