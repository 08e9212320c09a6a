import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { DeliveryLog, DeliveryLogQuery } from './deliveries.schemas.ts'
import type { DeliveriesService } from './deliveries.service.ts'

/** Adds the public route of the delivery log (G48). */
export function addDeliveryRoutes(
  server: Server,
  deps: { db: Db; deliveries: DeliveriesService; guard: Guard },
): void {
  const { db, deliveries, guard } = deps
  server.get(
    '/v1/webhooks/:id/deliveries',
    {
      onRequest: guard,
      schema: {
        tags: ['Webhooks'],
        security: [{ apiKey: [] }],
        operationId: 'listDeliveries',
        summary: 'Listar as tentativas de entrega dos últimos 30 dias',
        params: Type.Object({ id: Type.String() }),
        querystring: DeliveryLogQuery,
        response: responses({ 200: DeliveryLog }, [400, 401, 402, 403, 404], {
          404: say.webhooks.notFound,
        }),
      },
    },
    async (request) => deliveries.list(db, scopeOf(request), request.params.id, request.query),
  )
}
