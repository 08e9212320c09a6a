import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import {
  VerifiedRequests,
  DeliveredEventQuery,
  DeliveredEvents,
  DeliveryHealth,
} from './deliveries.schemas.ts'
import { HistoryEnvelope } from '../events.schemas.ts'
import type { DeliveriesService } from './deliveries.service.ts'

/**
 * Adds the panel's private routes for delivered events, inbox requests and delivery health, under `/panel/api/:mode`.
 */
export function addDeliveryPanelRoutes(
  server: Server,
  deps: { db: Db; deliveries: DeliveriesService; guard: Guard },
): void {
  const { db, deliveries, guard: onRequest } = deps

  /** Events of a webhook with all their attempts, ordered by newest attempt first. */
  server.get(
    '/webhooks/:id/events',
    {
      onRequest,
      schema: {
        params: Type.Object({ id: Type.String() }),
        querystring: DeliveredEventQuery,
        response: { 200: DeliveredEvents },
      },
    },
    (request) => deliveries.events(db, scopeOf(request), request.params.id, request.query),
  )

  /** The envelope of an event as it was delivered to a webhook, while it is retained. */
  server.get(
    '/webhooks/:id/events/:eventId',
    {
      onRequest,
      schema: {
        params: Type.Object({ id: Type.String(), eventId: Type.String() }),
        response: { 200: HistoryEnvelope },
      },
    },
    (request) =>
      deliveries.envelope(db, scopeOf(request), request.params.id, request.params.eventId),
  )

  /** The last requests of an inbox, with their signatures verified against the current secrets of the webhooks. */
  server.get(
    '/inboxes/:id/requests',
    {
      onRequest,
      schema: { params: Type.Object({ id: Type.String() }), response: { 200: VerifiedRequests } },
    },
    (request) => deliveries.verifiedRequests(db, scopeOf(request), request.params.id),
  )

  /** Delivery statistics of the last 24 hours. */
  server.get(
    '/deliveries/health',
    { onRequest, schema: { response: { 200: DeliveryHealth } } },
    (request) => deliveries.health(db, scopeOf(request)),
  )
}
