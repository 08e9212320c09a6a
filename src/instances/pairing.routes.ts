import { Type } from 'typebox'
import type { Db } from '../platform/db/sql.ts'
import { responses } from '../platform/http/responses.ts'
import { bearerToken, scopeOf, type Guard } from '../platform/http/principal.ts'
import type { Server } from '../platform/http/server.ts'
import { fail } from '../kernel/phrases/fail.ts'
import { say } from '../kernel/phrases/phrases.ts'
import {
  PairingCode,
  PairingCodeBody,
  QrPoll,
  QrStreamEvent,
  QrToken,
} from './instances.schemas.ts'
import type { InstancesService } from './instances.service.ts'
import { toPng, toSvg } from './qr-image.ts'
import { Words } from '../kernel/schemas.ts'
import type { PairingCodesService } from './pairing-codes.service.ts'
import type { QrStreams } from './qr-stream.ts'
import { streamFailure, type QrTokensService } from './qr-tokens.service.ts'

const tags = ['Instâncias']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const own = { 503: say.instances.networkMissing }

/**
 * CORS header of the public QR stream, the only route with CORS: pages on a customer's own site open it with an
 * ephemeral token. The panel's copy of the route authenticates with cookies and has no CORS.
 */
const ANY_ORIGIN = { 'access-control-allow-origin': '*' }
const PREFLIGHT = {
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'authorization, cache-control, last-event-id',
  'access-control-max-age': '86400',
}
const isPublic = ({ url }: { url: string }) => url.startsWith('/v1/')

/** Adds the pairing routes: QR stream, poll, ephemeral token and pairing code (G23). */
export function addPairingRoutes(
  server: Server,
  deps: {
    db: Db
    instances: InstancesService
    qrTokens: QrTokensService
    qrStreams: QrStreams
    pairingCodes: PairingCodesService
    guard: Guard
  },
): void {
  const { db, instances, qrTokens, qrStreams, pairingCodes, guard: onRequest } = deps

  server.get(
    '/v1/instances/:id/qr',
    {
      // A HEAD request would start pairing and keep a stream open without a reader.
      exposeHeadRoute: false,
      config: { longLived: true },
      onRequest: async (request, reply) => {
        if (isPublic(request)) void reply.headers(ANY_ORIGIN)
      },
      schema: {
        tags,
        security: [{ apiKey: [] }, {}],
        operationId: 'streamQr',
        summary: 'Seguir o pareamento por server-sent events',
        params,
        querystring: Type.Object({ token: Type.Optional(Type.String()) }),
        produces: ['text/event-stream'],
        response: {
          ...responses({}, [401, 402, 403, 404], {
            ...own,
            401: say.auth.qrUnauthorized,
            403: say.projects.qrInactive,
            404: say.instances.qrNotFound,
          }),
          200: {
            ...QrStreamEvent,
            description: say.docs.qrStream,
            examples: [
              {
                event: 'qr',
                data: {
                  code: '2@q1w2e3',
                  at: '2026-11-20T12:00:00.000Z',
                  expiresAt: '2026-11-20T12:00:20.000Z',
                },
              },
            ],
          },
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const token = request.query.token ?? bearerToken(request)
      const scope = await qrTokens.authenticate(db, token, request.mode, id, request.ip)
      try {
        await instances.poll(db, scope, id)
      } catch (error) {
        throw streamFailure(error)
      }
      const state = await instances.watch(db, scope, id, Number.MAX_SAFE_INTEGER)
      if (!state) throw fail('not_found', (say) => say.instances.qrNotFound)
      const headers = isPublic(request) ? ANY_ORIGIN : {}
      qrStreams.follow(reply, scope, id, state, headers)
      return reply
    },
  )

  server.options('/v1/instances/:id/qr', { schema: { hide: true } }, async (request, reply) =>
    reply
      .headers(isPublic(request) ? { ...ANY_ORIGIN, ...PREFLIGHT } : {})
      .header('allow', 'GET, OPTIONS')
      .code(204)
      .send(),
  )

  server.get(
    '/v1/instances/:id/qr/poll',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'pollQr',
        summary: 'Consultar o código de pareamento',
        params,
        response: responses({ 200: QrPoll }, [401, 402, 403, 404], own),
      },
    },
    (request) => instances.poll(db, scopeOf(request), request.params.id),
  )

  server.get(
    '/v1/instances/:id/qr/image',
    {
      exposeHeadRoute: false,
      // An ephemeral token takes the place of the credential, for an <img> on a page without one.
      onRequest: async (request, reply) => {
        if ((request.query as { token?: string }).token === undefined)
          await onRequest(request, reply)
      },
      schema: {
        tags,
        security: [{ apiKey: [] }, {}],
        operationId: 'getQrImage',
        summary: 'Ver o código de pareamento como imagem',
        produces: ['image/svg+xml', 'image/png'],
        params,
        querystring: Type.Object({
          token: Type.Optional(Type.String()),
          format: Type.Optional(Words(['svg', 'png'])),
        }),
        response: {
          ...responses({}, [400, 401, 402, 403, 404, 409], { ...own, 409: say.instances.noQr }),
          200: Type.String({ description: 'A imagem', examples: ['<svg>…</svg>'] }),
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const { token, format = 'svg' } = request.query
      const scope =
        token === undefined
          ? scopeOf(request)
          : await qrTokens.authenticateEphemeral(db, token, request.mode, id)
      const { code, status } = await instances.poll(db, scope, id)
      if (status === 'CONNECTED') throw fail('conflict', (say) => say.instances.alreadyConnected)
      if (code === null) throw fail('conflict', (say) => say.instances.noQr)
      void reply.header('cache-control', 'no-store')
      return format === 'png'
        ? reply.type('image/png').send(toPng(code) as never)
        : reply.type('image/svg+xml').send(toSvg(code))
    },
  )

  server.post(
    '/v1/instances/:id/qr-token',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'createQrToken',
        summary: 'Emitir um token efêmero para o stream',
        params,
        response: responses({ 201: QrToken }, [401, 402, 403, 404, 415]),
      },
    },
    async (request, reply) => {
      const scope = scopeOf(request)
      await instances.get(db, scope, request.params.id)
      return reply.code(201).send(await qrTokens.issue(db, scope, request.params.id))
    },
  )

  server.post(
    '/v1/instances/:id/pairing-code',
    {
      config: { asksNetwork: true },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'requestPairingCode',
        summary: 'Pedir um código para digitar no telefone',
        params,
        body: PairingCodeBody,
        response: responses({ 201: PairingCode }, [400, 401, 402, 403, 404, 409, 415], own),
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const code = await pairingCodes.request(db, scopeOf(request), id, request.body.phone)
      return reply.code(201).send(code)
    },
  )
}
