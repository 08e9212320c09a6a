import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../platform/db/sql.ts'
import { responses } from '../platform/http/responses.ts'
import type { Idempotent } from '../platform/http/idempotent.ts'
import { authorizeUserAgain, callerOf, scopeOf, type Guard } from '../platform/http/principal.ts'
import type { Server } from '../platform/http/server.ts'
import { compilePart, validateBody } from '../kernel/validation.ts'
import type { MediaService } from '../media/media.service.ts'
import { say } from '../kernel/phrases/phrases.ts'
import {
  Campaign,
  CampaignList,
  CreateCampaignBody,
  ListCampaignsQuery,
  PatchCampaignBody,
} from './campaigns.schemas.ts'
import {
  AddRecipientsBody,
  ListRecipientsQuery,
  MAX_LINES,
  RecipientImport,
  RecipientList,
} from './recipients.schemas.ts'
import type { CampaignsService } from './campaigns.service.ts'
import { messageSchema } from './read-message.ts'

const tags = ['Campanhas']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const notFound = { 404: say.campaigns.notFound }
/** Large enough for ten thousand recipients with their variables, or for a file as base64. */
const MAX_BODY_BYTES = 16 * 1024 * 1024
const MAX_CSV_BYTES = 64 * 1024 * 1024

const actions = {
  start: 'Iniciar uma campanha, agora ou na hora marcada',
  pause: 'Pausar uma campanha',
  resume: 'Retomar uma campanha, no destinatário exato',
  cancel: 'Cancelar uma campanha',
} as const

const authorOf = (request: FastifyRequest) => ({
  scope: scopeOf(request),
  by: callerOf(request),
})

/** Adds the campaign routes. Reading consumes no credits (G42). */
export async function addCampaignRoutes(
  server: Server,
  deps: {
    db: Db
    campaigns: CampaignsService
    media: MediaService
    guard: Guard
    idempotent: Idempotent
  },
): Promise<void> {
  const { db, campaigns, media, guard: onRequest, idempotent } = deps

  server.post(
    '/v1/campaigns',
    {
      // It waits for its turn to import, which must not keep the changes of others waiting.
      config: { idempotent: true, changes: 'campaigns', longLists: true, waits: true },
      onRequest,
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        tags,
        security,
        operationId: 'createCampaign',
        summary: 'Criar uma campanha',
        description:
          'Em produção, requer um plano ativo e o adicional de disparo em massa. A mensagem é a de um envio, sem destinatário; {{nome}} dá lugar ao valor da variável de cada um.',
        body: {
          ...CreateCampaignBody,
          properties: { ...CreateCampaignBody.properties, message: messageSchema },
        } as typeof CreateCampaignBody,
        response: responses({ 201: Campaign }, [400, 401, 402, 403, 404, 409, 413, 415]),
      },
      // The message is validated by its type, so that errors name the fields of that type.
      validatorCompiler: () => (value: unknown) => ({
        value: validateBody(CreateCampaignBody, value),
      }),
    },
    async (request, reply) => {
      const { body } = request
      const scope = scopeOf(request)
      const prepare = () => campaigns.prepare.create(db, scope, body)
      return idempotent(
        request,
        reply,
        async (tx, draft: Awaited<ReturnType<typeof prepare>>) => ({
          status: 201,
          body: await campaigns.create(tx, authorOf(request), draft, body.recipients),
        }),
        {
          // Not for a request whose response is stored: it may be repeated when its time or its file is gone.
          prepare,
          preparesAlways: true,
          limit: (work) =>
            campaigns.limitImports(scope.projectId, async () => {
              await authorizeUserAgain(onRequest, request, reply)
              return work()
            }),
        },
      )
    },
  )

  server.get(
    '/v1/campaigns',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listCampaigns',
        summary: 'Listar as campanhas',
        querystring: ListCampaignsQuery,
        response: responses({ 200: CampaignList }, [400, 401, 402, 403]),
      },
    },
    (request) => campaigns.list(db, scopeOf(request), request.query),
  )

  server.get(
    '/v1/campaigns/:id',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getCampaign',
        summary: 'Ver uma campanha',
        params,
        response: responses({ 200: Campaign }, [401, 402, 403, 404], notFound),
      },
    },
    (request) => campaigns.show(db, scopeOf(request), request.params.id),
  )

  server.patch(
    '/v1/campaigns/:id',
    {
      config: { changes: 'campaigns' },
      onRequest,
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        tags,
        security,
        operationId: 'updateCampaign',
        summary: 'Editar um rascunho de campanha',
        params,
        body: {
          ...PatchCampaignBody,
          properties: { ...PatchCampaignBody.properties, message: messageSchema },
        } as typeof PatchCampaignBody,
        response: responses({ 200: Campaign }, [400, 401, 402, 403, 404, 409, 413, 415], {
          ...notFound,
          409: say.campaigns.wrongStatus('RUNNING'),
        }),
      },
      // The message is validated by its type, so that errors name the fields of that type.
      validatorCompiler:
        ({ schema, httpPart }) =>
        (value: unknown) =>
          httpPart === 'body'
            ? { value: validateBody(PatchCampaignBody, value) }
            : compilePart(schema, 'params')(value),
    },
    async (request) => {
      const { body, params: given } = request
      const scope = scopeOf(request)
      // Checked first, so that no file is stored for an unknown campaign.
      await campaigns.show(db, scope, given.id)
      const change = await campaigns.prepare.change(db, scope, body)
      return db.transaction((tx) => campaigns.patch(tx, authorOf(request), given.id, change))
    },
  )

  for (const [way, summary] of Object.entries(actions) as [keyof typeof actions, string][]) {
    server.post(
      `/v1/campaigns/:id/${way}`,
      {
        config: { idempotent: true, changes: 'campaigns' },
        onRequest,
        schema: {
          tags,
          security,
          operationId: `${way}Campaign`,
          summary,
          params,
          response: responses({ 200: Campaign }, [401, 402, 403, 404, 409, 415], {
            ...notFound,
            409: say.campaigns.wrongStatus('COMPLETED'),
          }),
        },
      },
      (request, reply) =>
        idempotent(request, reply, async (tx) => ({
          status: 200,
          body: await campaigns[way](tx, authorOf(request), request.params.id),
        })),
    )
  }

  server.get(
    '/v1/campaigns/:id/recipients',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listRecipients',
        summary: 'Listar os destinatários, com o resultado de cada um',
        params,
        querystring: ListRecipientsQuery,
        response: responses({ 200: RecipientList }, [400, 401, 402, 403, 404], notFound),
      },
    },
    (request) => campaigns.recipients(db, scopeOf(request), request.params.id, request.query),
  )

  await server.register(async (scope) => {
    scope.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload))
    scope.post(
      '/v1/campaigns/:id/recipients',
      {
        config: { idempotent: true, changes: 'campaigns', longLists: true, waits: true },
        onRequest,
        bodyLimit: MAX_BODY_BYTES,
        schema: {
          tags,
          security,
          operationId: 'addRecipients',
          summary: 'Acrescentar destinatários: uma lista, contatos ou um CSV',
          description: `\`audience\` acrescenta os contatos de uma instância, todos ou só os de uma etiqueta, com o nome e os campos deles como variáveis. CSV: até ${MAX_LINES.toLocaleString('pt-BR')} linhas; a primeira dá nome às colunas: to (ou telefone), clientReference, e as variáveis. Repetidos e inválidos são relatados por linha.`,
          params,
          body: {
            content: {
              'application/json': { schema: AddRecipientsBody },
              'text/csv': { schema: { type: 'string', examples: ['to,nome\n5511999998888,Ana'] } },
            },
          },
          response: responses({ 200: RecipientImport }, [400, 401, 402, 403, 404, 409, 413, 415], {
            ...notFound,
            415: say.campaigns.csvOnly,
          }),
        },
        validatorCompiler: () => () => true,
      },
      async (request: FastifyRequest, reply) => {
        const { id } = request.params as { id: string }
        const { body } = request
        if (!(body instanceof Readable)) {
          const source = validateBody(AddRecipientsBody, body) as AddRecipientsBody
          return campaigns.limitImports(scopeOf(request).projectId, async () => {
            await authorizeUserAgain(onRequest, request, reply)
            return idempotent(request, reply, async (tx) => ({
              status: 200,
              body: await campaigns.addRecipients(tx, scopeOf(request), id, source),
            }))
          })
        }
        // Checks the key, too, before anything of the file is received.
        await campaigns.show(db, scopeOf(request), id)
        const { projectId } = scopeOf(request)
        return campaigns.limitFiles(projectId, async () => {
          await using file = await media.stageUpload(drainOnError(body), MAX_CSV_BYTES)
          const { path, sha256 } = file
          return await campaigns.limitImports(projectId, async () => {
            await authorizeUserAgain(onRequest, request, reply)
            return idempotent(
              request,
              reply,
              async (tx) => ({
                status: 200,
                body: await campaigns.addFile(tx, scopeOf(request), id, path),
              }),
              { body: { sha256 } },
            )
          })
        })
      },
    )
  })
}

/**
 * Wraps the body so that it is drained, not destroyed, when reading it fails: many clients read the
 * response only after they have sent everything.
 */
function drainOnError(body: Readable): Readable {
  const stream = Readable.from(body.iterator({ destroyOnReturn: false }))
  stream.once('error', () => body.resume())
  return stream
}
