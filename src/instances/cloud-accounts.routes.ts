import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { fail } from '../kernel/phrases/fail.ts'
import type { Db } from '../platform/db/sql.ts'
import { callerOf, scopeOf, type Guard } from '../platform/http/principal.ts'
import { requireSoundStructure } from '../platform/http/json-body.ts'
import { responses } from '../platform/http/responses.ts'
import type { Server } from '../platform/http/server.ts'
import { CLOUD_WEBHOOK_PATH, SIGNATURE_HEADER } from '../networks/cloud-api/webhook.ts'
import { CloudAccountBody, CloudAccountView } from './cloud-accounts.schemas.ts'
import type { CloudAccountsService, WebhookOwner } from './cloud-accounts.service.ts'

const tags = ['Instâncias']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const PATH = '/v1/instances/:id/cloud-account'
/** Meta puts up to a thousand updates in one request. */
const MAX_WEBHOOK_BYTES = 3 * 1024 * 1024

type Deps = { db: Db; cloudAccounts: CloudAccountsService; guard: Guard }

/** Adds the routes that connect an instance to the official API. */
export function addCloudAccountRoutes(server: Server, deps: Deps): void {
  const { db, cloudAccounts, guard: onRequest } = deps

  server.put(
    PATH,
    {
      config: { asksNetwork: true, changes: 'instances' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'setCloudAccount',
        summary: 'Conectar a instância à API oficial',
        params,
        body: CloudAccountBody,
        response: responses({ 200: CloudAccountView }, [400, 401, 402, 403, 404, 409, 413, 415]),
      },
    },
    (request) => {
      const { id } = request.params
      return cloudAccounts.connect(db, scopeOf(request), callerOf(request), id, request.body)
    },
  )

  server.get(
    PATH,
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getCloudAccount',
        summary: 'Ver a conta da instância na API oficial',
        params,
        response: responses({ 200: CloudAccountView }, [401, 402, 403, 404, 409]),
      },
    },
    (request) => cloudAccounts.get(db, scopeOf(request), request.params.id),
  )
}

/** Adds the webhook endpoint of numbers on the official API; Meta signs each request. */
export async function addCloudWebhookRoutes(
  server: Server,
  { db, cloudAccounts }: Pick<Deps, 'db' | 'cloudAccounts'>,
): Promise<void> {
  server.get(
    CLOUD_WEBHOOK_PATH,
    {
      schema: {
        hide: true,
        params,
        querystring: Type.Object({
          'hub.mode': Type.Optional(Type.String()),
          'hub.challenge': Type.Optional(Type.String({ maxLength: 200 })),
          'hub.verify_token': Type.Optional(Type.String({ maxLength: 200 })),
        }),
      },
    },
    async (request, reply) => {
      const { 'hub.challenge': challenge = '', 'hub.verify_token': token = '' } = request.query
      if (!(await cloudAccounts.verify(db, request.params.id, token)))
        throw fail('forbidden', (say) => say.instances.cloudSignature)
      return reply.type('text/plain').send(challenge)
    },
  )

  await server.register(async (scope) => {
    // The signature covers the raw bytes, so the body must not be parsed.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_request: unknown, body: Buffer) => {
        requireSoundStructure(body)
        return body
      },
    )
    const owners = new WeakMap<FastifyRequest, WebhookOwner>()
    const options = {
      onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
        // A request that is rejected here never has its body read.
        void reply.header('connection', 'close')
        // Before the parameters are validated.
        const { id } = request.params as { id: string }
        owners.set(request, await cloudAccounts.webhookOwner(db, /^\w{1,100}$/.test(id) ? id : ''))
        reply.removeHeader('connection')
      },
      bodyLimit: MAX_WEBHOOK_BYTES,
      schema: { hide: true, params },
    }
    scope.post(CLOUD_WEBHOOK_PATH, options, async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const owner = owners.get(request)
      if (!owner) throw new Error(`no hook authenticated ${request.method} ${request.url}`)
      await cloudAccounts.receive(owner, body, request.headers[SIGNATURE_HEADER])
      return reply.code(200).send({})
    })
  })
}
