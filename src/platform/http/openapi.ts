import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import swagger from '@fastify/swagger'
import type { Clock } from '../../kernel/clock.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { createTokenBuckets } from '../../kernel/token-bucket.ts'
import { describeWebSocket } from './asyncapi.ts'
import {
  eventSchemaName,
  IDEMPOTENT_MARK,
  completeDocument,
  type OpenapiDocument,
} from './openapi-document.ts'
import { addReference } from './reference.ts'
import type { Server } from './server.ts'

/** The rate per client address, for compressed documents, which need no credential. */
const DOCUMENT_RATE = { perSecond: 8, burst: 40 }
/** The cost of an uncompressed document of 400 kB. */
const PLAIN_COST = 4

const compress = promisify(gzip)
/** Generated from the routes; a test keeps it up to date. */
const COMMITTED = new URL('../../../openapi.json', import.meta.url)

/**
 * Reads the API's document as it is committed. Collecting it from the routes blocks the
 * event loop for a quarter of a second.
 */
export const readDocument = async (): Promise<OpenapiDocument> =>
  JSON.parse(await readFile(COMMITTED, 'utf8')) as OpenapiDocument

/** Base URLs of the API in test and production mode. */
const serversOf = ({ publicUrl, sandboxUrl }: { publicUrl: string; sandboxUrl: string }) => [
  { url: sandboxUrl, description: 'Teste' },
  { url: publicUrl, description: 'Produção' },
]

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
          'Gateway de mensagens: pareie um número, envie por HTTP e receba eventos assinados. As mensagens de erro são em português; com o cabeçalho `Accept-Language: en` ou `es`, em inglês ou espanhol. Instantes são ISO 8601 em UTC, com milissegundos.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: serversOf(options),
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
      if (!schema || schema.hide) return { schema: schema ?? { hide: true }, url }
      if (!schema.operationId) throw new Error(`${method} ${url}: its schema has no operationId`)
      const { idempotent = false } = route.config ?? {}
      // A route that declares no credential needs none.
      const described = {
        security: [],
        description: say.docs.operations[schema.operationId] ?? '',
        ...schema,
        [IDEMPOTENT_MARK]: idempotent,
      }
      return { schema: described, url }
    },
  })
}

/** Collects the API's document from the routes, with shared components, as it is committed. */
export const describeApi = (server: Server): OpenapiDocument =>
  completeDocument(server.swagger() as unknown as OpenapiDocument, say.docs)

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
  const header = (title: string, required = true) => ({
    name: title,
    in: 'header' as const,
    required,
    schema: { type: 'string' as const },
  })
  return {
    post: {
      operationId: `on${name.replaceAll(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase())}`,
      summary: event.summary,
      description: say.docs.delivery,
      security: [],
      parameters: [
        header('X-Service-Event'),
        header('X-Service-Webhook-Id'),
        header('X-Service-Signature'),
        header('X-Service-Signature-Next', false),
        header('webhook-id'),
        header('webhook-timestamp'),
        header('webhook-signature'),
      ],
      requestBody: {
        content: { 'application/json': { schema: event.schema, example: event.example } },
      },
      responses: { '2XX': { description: say.docs.deliveryAccepted } },
    },
  }
}

/** Serves /openapi.json, /asyncapi.json and the readable reference at /docs; all load only from this origin. */
export function serveOpenapi(
  server: Server,
  options: { clock: Clock; publicUrl: string; sandboxUrl: string },
): void {
  const { clock } = options
  const buckets = createTokenBuckets({ clock, maxWaitMs: 0 })
  const allow = (address: string, cost: number) => {
    if (buckets.take(address, cost, DOCUMENT_RATE) === null)
      throw fail('rate_limited', (say) => say.auth.tooManyAttempts(1), { retryAfter: 1 })
  }
  const servers = serversOf(options)
  const describe = async () => ({ ...(await readDocument()), servers })
  serveDocument(server, { path: '/openapi.json', allow, describe })
  serveDocument(server, {
    path: '/asyncapi.json',
    allow,
    describe: async () => describeWebSocket(await describe()),
  })
  addReference(server, options)
}

/** Serves a JSON document, compressed for clients that accept it. */
function serveDocument(
  server: Server,
  document: {
    path: string
    allow: (address: string, cost: number) => void
    describe: () => Promise<object>
  },
): void {
  const { path, allow, describe } = document
  async function render(): Promise<Record<'identity' | 'gzip', Buffer>> {
    const identity = Buffer.from(JSON.stringify(await describe()))
    return { identity, gzip: await compress(identity) }
  }
  // Rendered once, and again after a failure.
  let rendered: ReturnType<typeof render> | null = null
  server.get(path, { schema: { hide: true } }, async (request, reply) => {
    const accepts = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    allow(request.ip, accepts ? 1 : PLAIN_COST)
    rendered ??= render().catch((error: unknown) => {
      rendered = null
      throw error
    })
    const { identity, gzip } = await rendered
    if (accepts) void reply.header('content-encoding', 'gzip')
    void reply.header('vary', 'accept-encoding').type('application/json; charset=utf-8')
    return reply.send(accepts ? gzip : identity)
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
          title: eventSchemaName(name),
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
  const servers = serversOf({
    publicUrl: 'http://localhost:3000',
    sandboxUrl: 'http://sandbox.localhost:3000',
  })
  return `${JSON.stringify({ ...describeApi(server), servers }, null, 2)}\n`
}
