import { Type } from 'typebox'
import { say } from '../kernel/phrases/phrases.ts'
import { NoContent } from '../kernel/schemas.ts'
import type { Db } from '../platform/db/sql.ts'
import type { Idempotent } from '../platform/http/idempotent.ts'
import { callerOf, scopeOf, type Guard } from '../platform/http/principal.ts'
import { responses } from '../platform/http/responses.ts'
import type { Server } from '../platform/http/server.ts'
import { AddedOptOuts, AddOptOutsBody, ListOptOutsQuery, OptOutList } from './opt-outs.schemas.ts'
import type { OptOutsService } from './opt-outs.service.ts'

const tags = ['Campanhas']
const security = [{ apiKey: [] }]
const PATH = '/v1/opt-outs'
const notFound = { 404: say.optOuts.notFound }

/** Registers the routes of the opt-out list (G42). */
export function addOptOutRoutes(
  server: Server,
  deps: { db: Db; optOuts: OptOutsService; guard: Guard; idempotent: Idempotent },
): void {
  const { db, optOuts, guard: onRequest, idempotent } = deps

  server.get(
    PATH,
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listOptOuts',
        summary: 'Listar quem não recebe campanhas',
        querystring: ListOptOutsQuery,
        response: responses({ 200: OptOutList }, [400, 401, 402, 403]),
      },
    },
    (request) => optOuts.list(db, scopeOf(request), request.query),
  )

  server.post(
    PATH,
    {
      config: { idempotent: true, changes: 'opt-outs' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'addOptOuts',
        summary: 'Pôr pessoas na lista de quem não recebe campanhas',
        body: AddOptOutsBody,
        response: responses({ 200: AddedOptOuts }, [400, 401, 402, 403, 409, 413, 415]),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 200,
        body: await optOuts.add(tx, scopeOf(request), callerOf(request), request.body.phones),
      })),
  )

  server.delete(
    `${PATH}/:phone`,
    {
      config: { changes: 'opt-outs' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'deleteOptOut',
        summary: 'Voltar a incluir uma pessoa nas campanhas',
        params: Type.Object({ phone: Type.String() }),
        response: responses({ 204: NoContent }, [401, 402, 403, 404], notFound),
      },
    },
    async (request, reply) => {
      await optOuts.remove(db, scopeOf(request), callerOf(request), request.params.phone)
      return reply.code(204).send(null)
    },
  )
}
