import { Type } from 'typebox'
import type { Db } from '../platform/db/sql.ts'
import { responses } from '../platform/http/responses.ts'
import { scopeOf, type Guard } from '../platform/http/principal.ts'
import type { Server } from '../platform/http/server.ts'
import { Audience, AudienceQuery } from './audience.schemas.ts'
import type { AudiencesService } from './audiences.service.ts'

/** Adds the route that shows whom `audience` would add to a campaign (G42). */
export function addAudienceRoutes(
  server: Server,
  deps: { db: Db; audiences: AudiencesService; guard: Guard },
): void {
  const { db, audiences, guard: onRequest } = deps

  server.get(
    '/v1/instances/:id/audience',
    {
      onRequest,
      schema: {
        tags: ['Campanhas'],
        security: [{ apiKey: [] }],
        operationId: 'getAudience',
        summary: 'Ver quem seriam os destinatários',
        description:
          'Os contatos de uma instância, ou só as pessoas cuja conversa tem uma etiqueta. Para acrescentá-los a uma campanha, use `audience` no lugar de `recipients`.',
        params: Type.Object({ id: Type.String() }),
        querystring: AudienceQuery,
        response: responses({ 200: Audience }, [400, 401, 402, 403, 404]),
      },
    },
    (request) =>
      audiences.show(db, scopeOf(request), { instanceId: request.params.id, ...request.query }),
  )
}
