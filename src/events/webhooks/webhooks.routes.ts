import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import { NoContent, Page, toPage } from '../../kernel/schemas.ts'
import { nameSentence } from '../../kernel/validation.ts'
import { callerOf, scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { WholeListQuery } from '../../company/keys/keys.schemas.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import {
  CreatedWebhook,
  CreateWebhookBody,
  DEFAULT_OVERLAP_HOURS,
  PatchWebhookBody,
  RotateSecretBody,
  Webhook,
} from './webhooks.schemas.ts'
import type { WebhooksService } from './webhooks.service.ts'

const tags = ['Webhooks']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const notFound = { 404: say.webhooks.notFound }

/** Adds the public routes that manage webhooks (G46). */
export function addWebhookRoutes(
  server: Server,
  deps: { db: Db; webhooks: WebhooksService; guard: Guard },
): void {
  const { db, webhooks, guard: onRequest } = deps

  server.post(
    '/v1/webhooks',
    {
      onRequest,
      config: {
        changes: 'webhooks',
        sentences: {
          name: nameSentence((say) => say.webhooks.nameRequired),
          url: (say) => say.webhooks.url(say.webhooks.urlProblem.host),
          'events/*': (say, value) => {
            const text = typeof value === 'string' ? value : JSON.stringify(value)
            return say.webhooks.invalidEvent(text)
          },
        },
      },
      schema: {
        tags,
        security,
        operationId: 'createWebhook',
        summary: 'Registrar um webhook',
        body: CreateWebhookBody,
        response: responses({ 201: CreatedWebhook }, [400, 401, 402, 403, 413, 415], {
          400: say.webhooks.invalidEvent('foo'),
        }),
      },
    },
    async (request, reply) =>
      reply
        .code(201)
        .send(await webhooks.create(db, scopeOf(request), callerOf(request), request.body)),
  )

  server.get(
    '/v1/webhooks',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listWebhooks',
        summary: 'Listar os webhooks do modo',
        querystring: WholeListQuery,
        response: responses({ 200: Page(Webhook, 'WebhookList') }, [400, 401, 402, 403]),
      },
    },
    async (request) => {
      const { limit = null, offset } = request.query
      const items = await webhooks.list(db, scopeOf(request), { limit, offset })
      return toPage(items, limit ?? items.length, offset)
    },
  )

  server.get(
    '/v1/webhooks/:id',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getWebhook',
        summary: 'Ver um webhook',
        params,
        response: responses({ 200: Webhook }, [400, 401, 402, 403, 404], notFound),
      },
    },
    (request) => webhooks.get(db, scopeOf(request), request.params.id),
  )

  server.patch(
    '/v1/webhooks/:id',
    {
      config: { changes: 'webhooks' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'updateWebhook',
        summary: 'Pausar ou retomar um webhook',
        params,
        body: PatchWebhookBody,
        response: responses({ 200: Webhook }, [400, 401, 402, 403, 404, 415], notFound),
      },
    },
    async (request) =>
      webhooks.setEnabled(
        db,
        scopeOf(request),
        callerOf(request),
        request.params.id,
        request.body.enabled,
      ),
  )

  server.post(
    '/v1/webhooks/:id/rotate-secret',
    {
      config: { changes: 'webhooks' },
      onRequest,
      async preValidation(request) {
        request.body ??= {}
      },
      schema: {
        tags,
        security,
        operationId: 'rotateWebhookSecret',
        summary: 'Trocar o segredo de um webhook',
        params,
        body: Type.Optional(RotateSecretBody),
        response: responses({ 200: CreatedWebhook }, [400, 401, 402, 403, 404, 409, 413, 415], {
          ...notFound,
          409: say.webhooks.rotating('2026-11-20T12:00:00.000Z'),
        }),
      },
    },
    async (request) =>
      webhooks.rotateSecret(
        db,
        scopeOf(request),
        callerOf(request),
        request.params.id,
        request.body?.overlapHours ?? DEFAULT_OVERLAP_HOURS,
      ),
  )

  server.delete(
    '/v1/webhooks/:id',
    {
      config: { changes: 'webhooks' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'deleteWebhook',
        summary: 'Remover um webhook',
        params,
        response: responses({ 204: NoContent }, [401, 402, 403, 404], notFound),
      },
    },
    async (request, reply) => {
      await webhooks.remove(db, scopeOf(request), callerOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}
