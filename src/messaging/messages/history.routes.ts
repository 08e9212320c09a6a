import { Type } from 'typebox'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import { HistoryRequest, HistoryRequestBody } from './history.schemas.ts'
import type { HistoryService } from './history.service.ts'

const DEFAULT_COUNT = 50

/** Registers the route that requests older messages of a conversation from the phone. */
export function addHistoryRoute(
  server: Server,
  deps: { db: Db; history: HistoryService; guard: Guard },
): void {
  const { db, history, guard: onRequest } = deps
  server.post(
    '/v1/instances/:id/conversations/:conversationId/history',
    {
      config: { asksNetwork: true },
      onRequest,
      schema: {
        tags: ['Conversas'],
        security: [{ apiKey: [] }],
        operationId: 'requestHistory',
        summary: 'Pedir ao celular mensagens mais antigas',
        description:
          'O celular responde depois, se estiver ligado; as mensagens aparecem na conversa, sem eventos. O que já está guardado não se repete.',
        params: Type.Object({ id: Type.String(), conversationId: Type.String() }),
        body: HistoryRequestBody,
        response: responses({ 202: HistoryRequest }, [400, 401, 402, 403, 404, 409, 413, 415], {
          404: say.conversations.notFound,
        }),
      },
    },
    async (request, reply) => {
      const { id: instanceId, conversationId } = request.params
      const { count = DEFAULT_COUNT } = request.body
      const place = { instanceId, conversationId }
      return reply.code(202).send(await history.request(db, scopeOf(request), place, count))
    },
  )
}
