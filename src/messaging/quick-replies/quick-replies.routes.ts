import { Type } from 'typebox'
import { NoContent } from '../../kernel/schemas.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { callerOf, scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import {
  ListQuickRepliesQuery,
  PatchQuickReplyBody,
  QuickReply,
  QuickReplyBody,
  QuickReplyList,
} from './quick-replies.schemas.ts'
import type { QuickRepliesService } from './quick-replies.service.ts'

const tags = ['Conversas']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const PATH = '/v1/quick-replies'
const notFound = { 404: say.quickReplies.notFound }

/** Registers the routes that manage the ready-made replies of a Project (G79). */
export function addQuickReplyRoutes(
  server: Server,
  deps: { db: Db; quickReplies: QuickRepliesService; guard: Guard; idempotent: Idempotent },
): void {
  const { db, quickReplies, guard: onRequest, idempotent } = deps

  server.get(
    PATH,
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listQuickReplies',
        summary: 'Listar as respostas rápidas, por atalho',
        querystring: ListQuickRepliesQuery,
        response: responses({ 200: QuickReplyList }, [400, 401, 402, 403]),
      },
    },
    (request) => quickReplies.list(db, scopeOf(request), request.query),
  )

  server.post(
    PATH,
    {
      config: { idempotent: true, changes: 'quick-replies' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'createQuickReply',
        summary: 'Criar uma resposta rápida',
        body: QuickReplyBody,
        response: responses({ 201: QuickReply }, [400, 401, 402, 403, 409, 413, 415]),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 201,
        body: await quickReplies.create(tx, scopeOf(request), callerOf(request), request.body),
      })),
  )

  server.patch(
    `${PATH}/:id`,
    {
      config: { changes: 'quick-replies' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'updateQuickReply',
        summary: 'Mudar o atalho ou o texto de uma resposta rápida',
        params,
        body: PatchQuickReplyBody,
        response: responses(
          { 200: QuickReply },
          [400, 401, 402, 403, 404, 409, 413, 415],
          notFound,
        ),
      },
    },
    (request) => {
      const { id } = request.params
      return quickReplies.update(db, scopeOf(request), callerOf(request), id, request.body)
    },
  )

  server.delete(
    `${PATH}/:id`,
    {
      config: { changes: 'quick-replies' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'deleteQuickReply',
        summary: 'Apagar uma resposta rápida',
        params,
        response: responses({ 204: NoContent }, [401, 402, 403, 404], notFound),
      },
    },
    async (request, reply) => {
      await quickReplies.remove(db, scopeOf(request), callerOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}
