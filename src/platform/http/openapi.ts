import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Server } from './server.ts'

/** Documentation of the events, by event name. */
export type WebhookDocs = Record<string, { summary: string; schema: object; example: unknown }>

/** Collects the routes into an OpenAPI 3.1 document; must be called before the first route is added. */
export async function addOpenapi(
  server: Server,
  options: { publicUrl: string; sandboxUrl: string; version: string; events: WebhookDocs },
): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Recado',
        version: options.version,
        description:
          'Gateway de mensagens: pareie um número, envie por HTTP e receba eventos assinados.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [
        { url: options.sandboxUrl, description: 'Teste' },
        { url: options.publicUrl, description: 'Produção' },
      ],
      tags: Object.entries(say.docs.tags).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'svc_test_… ou svc_live_…' },
          userToken: { type: 'http', scheme: 'bearer', description: 'accessToken do login' },
        },
      },
      webhooks: Object.fromEntries(
        Object.entries(options.events).map(([name, event]) => [
          name,
          webhookOperation(name, event),
        ]),
      ),
    },
    transform({ schema, url, route }) {
      const [method = ''] = [route.method].flat()
      // A route that declares no credential needs none. Every operation gets an id, which client generators use as its
      // name.
      const named = { operationId: operationIdOf(method, url), security: [], ...schema }
      return { schema: schema?.hide ? schema : named, url }
    },
  })
}

/** Derives `getInstancesByIdMessages` from `GET /v1/instances/:id/messages`. */
function operationIdOf(method: string, url: string): string {
  const words = url
    .replace(/^\/v1/, '')
    .split(/[/-]/)
    .filter(Boolean)
    .flatMap((part) => (part.startsWith(':') ? ['by', part.slice(1)] : [part]))
  const named = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return `${method.toLowerCase()}${named}`
}

/** Collects the panel's private routes, only to generate types from; the document is never served. */
export async function addPanelDocument(server: Server): Promise<void> {
  await server.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: 'Recado: panel', version: 'private' } },
    decorator: 'panelDocument' as 'swagger',
    transform({ schema, url }) {
      // The panel's copies of API routes are already in the public document.
      const own = schema?.hide && schema.response && !url.startsWith('/panel/api/:mode/v1/')
      return { schema: { ...schema, hide: !own }, url }
    },
  })
}

function webhookOperation(name: string, event: WebhookDocs[string]) {
  const header = (title: string) => ({
    name: title,
    in: 'header' as const,
    required: true,
    schema: { type: 'string' as const },
  })
  return {
    post: {
      operationId: `on${name.replaceAll(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase())}`,
      summary: event.summary,
      security: [],
      parameters: [
        header('X-Service-Event'),
        header('X-Service-Webhook-Id'),
        header('X-Service-Signature'),
        header('webhook-id'),
        header('webhook-timestamp'),
        header('webhook-signature'),
      ],
      requestBody: {
        content: { 'application/json': { schema: event.schema, example: event.example } },
      },
      responses: { '2XX': { description: 'Entrega aceita' } },
    },
  }
}

/** Serves /openapi.json and the readable reference at /docs; both load only from this origin. */
export async function serveOpenapi(server: Server): Promise<void> {
  // Rendered once, because unauthenticated callers may request it at any rate.
  let document: Buffer | null = null
  server.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(server.swagger()))
    return reply.type('application/json; charset=utf-8').send(document)
  })
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    theme: { title: say.docs.title },
    uiConfig: { deepLinking: true, persistAuthorization: false, tryItOutEnabled: true },
  })
}

/** Describes the events as OpenAPI `webhooks`: the common envelope with the data of each event. */
export function describeEvents(
  definitions: readonly { name: string; when: string; data: object; example: object }[],
): WebhookDocs {
  return Object.fromEntries(
    definitions.map(({ name, when, data, example }) => [
      name,
      {
        summary: when,
        schema: {
          type: 'object',
          required: ['event', 'instanceId', 'timestamp', 'data'],
          properties: {
            event: { type: 'string', const: name },
            instanceId: { type: 'string' },
            timestamp: { type: 'string', format: 'date-time' },
            data,
          },
        },
        example: {
          event: name,
          instanceId: 'ins_01jcqz3v8xf6k9m2n4p5r7s8t9',
          timestamp: '2026-11-20T12:00:00.000Z',
          data: { eventId: 'evt_01jcqz3v8xf6k9m2n4p5r7s8t9', ...example },
        },
      },
    ]),
  )
}

/** The panel's document in the form in which it is committed. */
export function renderPanelDocument(server: Server): string {
  const { panelDocument } = server as unknown as { panelDocument: () => object }
  return `${JSON.stringify(panelDocument(), null, 2)}\n`
}

/** The API document in the form in which it is committed, with the addresses of a server with default settings. */
export function renderOpenapi(server: Server): string {
  const servers = [
    { url: 'http://sandbox.localhost:3000', description: 'Teste' },
    { url: 'http://localhost:3000', description: 'Produção' },
  ]
  return `${JSON.stringify({ ...server.swagger(), servers }, null, 2)}\n`
}
