import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import { ApiRequestQuery, ApiRequests } from './requests.schemas.ts'
import type { RequestsService } from './requests.service.ts'

/** Adds the public route of the request log (G57). */
export function addRequestRoutes(
  server: Server,
  deps: { db: Db; requests: RequestsService; guard: Guard },
): void {
  const { db, requests, guard: onRequest } = deps
  server.get(
    '/v1/requests',
    {
      onRequest,
      schema: {
        tags: ['Projeto'],
        security: [{ apiKey: [] }],
        operationId: 'listRequests',
        summary: 'Listar as chamadas à API',
        querystring: ApiRequestQuery,
        response: responses({ 200: ApiRequests }, [400, 401, 402, 403]),
      },
    },
    (request) => requests.list(db, scopeOf(request), request.query),
  )
}
