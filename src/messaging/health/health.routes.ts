import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { InstanceHealth } from './health.schemas.ts'
import type { HealthService } from './health.service.ts'

/** Registers the route that reports the health of a number. */
export function addHealthRoute(
  server: Server,
  deps: { db: Db; health: HealthService; guard: Guard },
): void {
  const { db, health, guard: onRequest } = deps
  server.get(
    '/v1/instances/:id/health',
    {
      onRequest,
      schema: {
        tags: ['Instâncias'],
        security: [{ apiKey: [] }],
        operationId: 'getInstanceHealth',
        summary: 'Ver a saúde do número e o que a piora',
        description:
          'Nota de 0 a 100 pelos últimos sete dias. É uma estimativa nossa: a rede não publica seus critérios.',
        params: Type.Object({ id: Type.String() }),
        response: responses({ 200: InstanceHealth }, [401, 402, 403, 404]),
      },
    },
    (request) => health.report(db, scopeOf(request), request.params.id),
  )
}
