import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import { NoContent } from '../../kernel/schemas.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import {
  CreateLabelBody,
  Label,
  LabelList,
  ListLabelsQuery,
  PatchLabelBody,
} from './labels.schemas.ts'
import type { LabelsService } from './labels.service.ts'

const tags = ['Etiquetas']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const one = Type.Object({ id: Type.String(), labelId: Type.String() })
const placed = Type.Object({
  id: Type.String(),
  labelId: Type.String(),
  conversationId: Type.String(),
})
const own = { 404: say.labels.notFound, 409: say.network.not_business }

/** Registers the routes that manage labels and assign them to conversations (G37). */
export function addLabelRoutes(
  server: Server,
  deps: { db: Db; labels: LabelsService; guard: Guard; idempotent: Idempotent },
): void {
  const { db, labels, guard: onRequest, idempotent } = deps

  server.get(
    '/v1/instances/:id/labels',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listLabels',
        summary: 'Listar as etiquetas',
        params,
        querystring: ListLabelsQuery,
        response: responses({ 200: LabelList }, [400, 401, 402, 403, 404]),
      },
    },
    (request) => labels.list(db, scopeOf(request), request.params.id, request.query),
  )

  server.post(
    '/v1/instances/:id/labels',
    {
      config: { idempotent: true, asksNetwork: true, changes: 'labels' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'createLabel',
        summary: 'Criar uma etiqueta',
        description: 'Só em contas business.',
        params,
        body: CreateLabelBody,
        response: responses({ 201: Label }, [400, 401, 402, 403, 404, 409, 413, 415], {
          409: own[409],
        }),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 201,
        body: await labels.create(tx, scopeOf(request), request.params.id, request.body),
      })),
  )

  server.patch(
    '/v1/instances/:id/labels/:labelId',
    {
      config: { asksNetwork: true, changes: 'labels' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'updateLabel',
        summary: 'Mudar o nome ou a cor de uma etiqueta',
        params: one,
        body: PatchLabelBody,
        response: responses({ 200: Label }, [400, 401, 402, 403, 404, 409, 413, 415], own),
      },
    },
    (request) => {
      const { id, labelId } = request.params
      return labels.update(db, scopeOf(request), id, labelId, request.body)
    },
  )

  server.delete(
    '/v1/instances/:id/labels/:labelId',
    {
      config: { asksNetwork: true, changes: 'labels' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'deleteLabel',
        summary: 'Apagar uma etiqueta',
        params: one,
        response: responses({ 204: NoContent }, [401, 402, 403, 404, 409], own),
      },
    },
    async (request, reply) => {
      const { id, labelId } = request.params
      await labels.remove(db, scopeOf(request), id, labelId)
      return reply.code(204).send(null)
    },
  )

  const ways = {
    PUT: { on: true, operationId: 'applyLabel', summary: 'Aplicar uma etiqueta a uma conversa' },
    DELETE: {
      on: false,
      operationId: 'removeLabel',
      summary: 'Retirar uma etiqueta de uma conversa',
    },
  } as const
  for (const [method, { on, ...named }] of Object.entries(ways)) {
    server.route({
      method,
      url: '/v1/instances/:id/labels/:labelId/conversations/:conversationId',
      config: { asksNetwork: true, changes: 'labels' },
      onRequest,
      schema: {
        tags,
        security,
        ...named,
        params: placed,
        response: responses({ 204: NoContent }, [401, 402, 403, 404, 409, 415], own),
      },
      async handler(request, reply) {
        const { id, labelId, conversationId } = request.params
        await labels.associate(db, scopeOf(request), id, labelId, conversationId, on)
        return reply.code(204).send(null)
      },
    })
  }
}
