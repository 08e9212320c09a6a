import { Type } from 'typebox'
import type { Db } from '../platform/db/sql.ts'
import { KeptEventQuery, KeptEvents } from '../events/events.schemas.ts'
import { scopeOf, type Guard } from '../platform/http/principal.ts'
import type { Server } from '../platform/http/server.ts'
import { InstanceHistory, Pairing } from './instances.schemas.ts'
import type { InstancesService } from './instances.service.ts'

const params = Type.Object({ id: Type.String() })

/** The panel's private routes for an instance's pairing and its past, under `/panel/api/:mode`. */
export function addInstancePanelRoutes(
  server: Server,
  deps: {
    db: Db
    instances: InstancesService
    guard: Guard
    /** Whoever reads a code can take the number over. */
    pairingGuard: Guard
  },
): void {
  const { db, instances, guard: onRequest, pairingGuard } = deps

  /** The code that waits, and which of how many it is. Asks the network for none. */
  server.get(
    '/instances/:id/pairing',
    { onRequest: pairingGuard, schema: { params, response: { 200: Pairing } } },
    (request) => instances.pairing(db, scopeOf(request), request.params.id),
  )

  /** What happened to its groups or labels, or its calls, in the last 30 days: the newest first. */
  server.get(
    '/instances/:id/events',
    { onRequest, schema: { params, querystring: KeptEventQuery, response: { 200: KeptEvents } } },
    (request) => instances.events(db, scopeOf(request), request.params.id, request.query),
  )

  /** The last 50 changes of status, the newest first. */
  server.get(
    '/instances/:id/history',
    { onRequest, schema: { params, response: { 200: InstanceHistory } } },
    (request) => instances.history(db, scopeOf(request), request.params.id),
  )
}
