import { Type } from 'typebox'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import { AnsweredJoinRequests, AnswerJoinRequestsBody, JoinRequestList } from './groups.schemas.ts'
import type { JoinRequestsService } from './join-requests.service.ts'

const tags = ['Grupos']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String(), groupId: Type.String() })
const own = { 404: say.groups.notFound, 409: say.network.not_admin }

/** Registers the routes that list and answer requests to join a group (G37). */
export function addJoinRequestRoutes(
  server: Server,
  deps: { db: Db; joinRequests: JoinRequestsService; guard: Guard; idempotent: Idempotent },
): void {
  const { db, joinRequests, guard: onRequest, idempotent } = deps

  server.get(
    '/v1/instances/:id/groups/:groupId/join-requests',
    {
      config: { longLived: true },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listJoinRequests',
        summary: 'Ver quem pede para entrar em um grupo',
        description:
          'Só administradores veem os pedidos, que existem em grupos com `joinApproval`. Vêm do mais antigo ao mais novo.',
        params,
        response: responses({ 200: JoinRequestList }, [401, 402, 403, 404, 409], own),
      },
    },
    (request) => {
      const { id, groupId } = request.params
      return joinRequests.list(db, scopeOf(request), id, groupId)
    },
  )

  server.post(
    '/v1/instances/:id/groups/:groupId/join-requests',
    {
      config: { idempotent: true, asksNetwork: true, changes: 'groups' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'answerJoinRequests',
        summary: 'Aprovar ou recusar pedidos de entrada em um grupo',
        description:
          'Quem é aprovado entra no grupo, com um evento `group.participants`. Quem não pediu fica fora da resposta; se ninguém da lista pediu, 400.',
        params,
        body: AnswerJoinRequestsBody,
        response: responses(
          { 200: AnsweredJoinRequests },
          [400, 401, 402, 403, 404, 409, 413, 415],
          own,
        ),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id, groupId } = request.params
        const body = await joinRequests.answer(tx, scopeOf(request), id, groupId, request.body)
        return { status: 200, body }
      }),
  )
}
