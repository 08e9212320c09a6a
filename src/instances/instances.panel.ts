import { Type } from 'typebox'
import type { Db } from '../platform/db/sql.ts'
import { EventHistoryQuery, EventHistory } from '../events/events.schemas.ts'
import { scopeOf, type Guard } from '../platform/http/principal.ts'
import type { Server } from '../platform/http/server.ts'
import { InstanceHistory, Pairing } from './instances.schemas.ts'
import type { InstancesService } from './instances.service.ts'

const params = Type.Object({ id: Type.String() })

/** Adds the panel's private routes for an instance's pairing and history, under `/panel/api/:mode`. */
export function addInstancePanelRoutes(
  server: Server,
  deps: {
    db: Db
    instances: InstancesService
    guard: Guard
    /** Stricter guard for the pairing code: anyone who reads it can pair the instance. */
    pairingGuard: Guard
  },
): void {
  const { db, instances, guard: onRequest, pairingGuard } = deps

  /** The current code, its sequence number and their maximum. Does not start pairing. */
  server.get(
    '/instances/:id/pairing',
    { onRequest: pairingGuard, schema: { params, response: { 200: Pairing } } },
    (request) => instances.pairing(db, scopeOf(request), request.params.id),
  )

  /** Group, label or call events of the last 30 days, newest first. */
  server.get(
    '/instances/:id/events',
    {
      onRequest,
      schema: { params, querystring: EventHistoryQuery, response: { 200: EventHistory } },
    },
    (request) => instances.events(db, scopeOf(request), request.params.id, request.query),
  )

  /** The last 50 status changes, newest first. */
  server.get(
    '/instances/:id/history',
    { onRequest, schema: { params, response: { 200: InstanceHistory } } },
    (request) => instances.history(db, scopeOf(request), request.params.id),
  )
}
