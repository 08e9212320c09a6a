import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { Call, CallList, ListCallsQuery } from './calls.schemas.ts'
import type { CallsService } from './calls.service.ts'

const tags = ['Chamadas']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })

/** Registers the routes that list an instance's calls and reject a ringing one (G37). */
export function addCallRoutes(
  server: Server,
  deps: { db: Db; calls: CallsService; guard: Guard; idempotent: Idempotent },
): void {
  const { db, calls, guard: onRequest, idempotent } = deps

  server.get(
    '/v1/instances/:id/calls',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listCalls',
        summary: 'Listar as chamadas recebidas',
        params,
        querystring: ListCallsQuery,
        response: responses({ 200: CallList }, [400, 401, 402, 403, 404]),
      },
    },
    (request) => calls.list(db, scopeOf(request), request.params.id, request.query),
  )

  server.post(
    '/v1/instances/:id/calls/:callId/reject',
    {
      config: { idempotent: true, asksNetwork: true, changes: 'calls' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'rejectCall',
        summary: 'Recusar uma chamada que está tocando',
        params: Type.Object({ id: Type.String(), callId: Type.String() }),
        response: responses({ 200: Call }, [400, 401, 402, 403, 404, 409, 415], {
          404: say.calls.notFound,
          409: say.calls.over,
        }),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id, callId } = request.params
        return { status: 200, body: await calls.reject(tx, scopeOf(request), id, callId) }
      }),
  )
}
