import { Type } from 'typebox'
import { NoContent } from '../../kernel/schemas.ts'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { BlockedList } from './blocked.schemas.ts'
import type { BlockedService } from './blocked.service.ts'

const tags = ['Contatos']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const one = Type.Object({ id: Type.String(), phone: Type.String() })
const change = responses({ 204: NoContent }, [400, 401, 402, 403, 404, 409])

/** Registers the routes that list, block and unblock people. */
export function addBlockedRoutes(
  server: Server,
  deps: { db: Db; blocked: BlockedService; guard: Guard },
): void {
  const { db, blocked, guard: onRequest } = deps

  server.get(
    '/v1/instances/:id/blocked',
    {
      config: { longLived: true },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listBlocked',
        summary: 'Listar quem o número bloqueou',
        description: 'A lista do próprio WhatsApp, que inclui quem foi bloqueado pelo aplicativo.',
        params,
        response: responses({ 200: BlockedList }, [401, 402, 403, 404, 409]),
      },
    },
    (request) => blocked.list(db, scopeOf(request), request.params.id),
  )

  server.put(
    '/v1/instances/:id/blocked/:phone',
    {
      config: { asksNetwork: true, changes: 'contacts' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'blockContact',
        summary: 'Bloquear um número',
        description: 'As mensagens diretas desse contato deixam de chegar, como no aplicativo.',
        params: one,
        response: change,
      },
    },
    async (request, reply) => {
      const { id, phone } = request.params
      await blocked.block(db, scopeOf(request), id, phone)
      return reply.code(204).send(null)
    },
  )

  server.delete(
    '/v1/instances/:id/blocked/:phone',
    {
      config: { asksNetwork: true, changes: 'contacts' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'unblockContact',
        summary: 'Desbloquear um número',
        description:
          'As mensagens desse contato voltam a chegar; as enviadas durante o bloqueio, não.',
        params: one,
        response: change,
      },
    },
    async (request, reply) => {
      const { id, phone } = request.params
      await blocked.unblock(db, scopeOf(request), id, phone)
      return reply.code(204).send(null)
    },
  )
}
