import type { Db } from '../../platform/db/sql.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { AlertSettings, SaveAlertsBody } from './alerts.schemas.ts'
import type { AlertsService } from './alerts.service.ts'

/** Adds the panel's private routes for alerts by mail. */
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

  /**
   * Stores the alerts of a user; returns 204. Throws 403 for a credit threshold from a role without access to credits.
   */
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
