import { Type } from 'typebox'
import { NoContent, Page, PageQuery } from '../../kernel/schemas.ts'
import { MessageTemplate, TemplateBody } from '../../model/templates.schemas.ts'
import type { Db } from '../../platform/db/sql.ts'
import { callerOf, scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import type { TemplatesService } from './templates.service.ts'

const tags = ['Instâncias']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const one = Type.Object({ id: Type.String(), name: Type.String() })
const PATH = '/v1/instances/:id/templates'
const MessageTemplateList = Page(MessageTemplate, 'MessageTemplateList')

/** Adds the routes that list, submit and delete the templates of an instance on the official API. */
export function addTemplateRoutes(
  server: Server,
  deps: { db: Db; templates: TemplatesService; guard: Guard },
): void {
  const { db, templates, guard: onRequest } = deps

  server.get(
    PATH,
    {
      onRequest,
      config: { waits: true },
      schema: {
        tags,
        security,
        operationId: 'listTemplates',
        summary: 'Listar os modelos da instância',
        params,
        querystring: Type.Object(PageQuery),
        response: responses({ 200: MessageTemplateList }, [400, 401, 402, 403, 404, 409]),
      },
    },
    (request) => templates.list(db, scopeOf(request), request.params.id, request.query),
  )

  server.post(
    PATH,
    {
      onRequest,
      config: { asksNetwork: true, changes: 'instances' },
      schema: {
        tags,
        security,
        operationId: 'createTemplate',
        summary: 'Enviar um modelo para aprovação',
        params,
        body: TemplateBody,
        response: responses({ 201: MessageTemplate }, [400, 401, 402, 403, 404, 409, 413, 415]),
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const by = callerOf(request)
      return reply
        .code(201)
        .send(await templates.create(db, scopeOf(request), by, id, request.body))
    },
  )

  server.delete(
    `${PATH}/:name`,
    {
      onRequest,
      config: { asksNetwork: true, changes: 'instances' },
      schema: {
        tags,
        security,
        operationId: 'deleteTemplate',
        summary: 'Apagar um modelo em todos os idiomas',
        params: one,
        response: responses({ 204: NoContent }, [401, 402, 403, 404, 409]),
      },
    },
    async (request, reply) => {
      const { id, name } = request.params
      await templates.remove(db, scopeOf(request), callerOf(request), id, name)
      return reply.code(204).send(null)
    },
  )
}
