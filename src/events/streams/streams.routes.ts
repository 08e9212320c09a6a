import fastifyWebsocket from '@fastify/websocket'
import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { EVENT_NAMES } from '../catalog/index.ts'
import { responses } from '../../platform/http/responses.ts'
import { bearerToken, scopeOf } from '../../platform/http/principal.ts'
import type { Authenticator } from '../../platform/auth/authenticator.port.ts'
import type { Server } from '../../platform/http/server.ts'
import { fail, Failure, type FailureKind } from '../../kernel/phrases/fail.ts'
import type { StreamFilter } from './connection.ts'
import { StreamQuery } from './streams.schemas.ts'
import type { InstanceLookup, StreamsService } from './streams.service.ts'

const MAX_MESSAGE_BYTES = 4096
const REFUSAL_KINDS = new Set<FailureKind>(['unauthorized', 'forbidden', 'payment_required'])

declare module 'fastify' {
  interface FastifyRequest {
    /** Why access to the stream is refused; sent as the close code once the socket is open. */
    refusal: { kind: FailureKind; reason: string | null } | null
    /** The events that the caller subscribes to; null until validated. */
    filter: StreamFilter | null
  }
}

/** Adds the event stream, GET /v1/events over WebSocket (G53). */
export async function addStreamRoutes(
  server: Server,
  deps: {
    db: Db
    streams: StreamsService
    instances: InstanceLookup
    authenticator: Authenticator
  },
): Promise<void> {
  const { db, streams, instances, authenticator } = deps
  await server.register(fastifyWebsocket, {
    options: { maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false },
    errorHandler: (_error, socket) => socket.terminate(),
    preClose(done) {
      streams.disconnectAll()
      done()
    },
  })
  server.decorateRequest('refusal', null)
  server.decorateRequest('filter', null)

  server.route({
    method: 'GET',
    url: '/v1/events',
    // Validated in preHandler: a refused credential is reported by the close code, even if the query is invalid.
    attachValidation: true,
    config: { longLived: true },
    schema: {
      tags: ['Eventos'],
      security: [{ apiKey: [] }],
      operationId: 'streamEvents',
      summary: 'Receber eventos por WebSocket',
      description:
        'Primeiro quadro: {"type":"ready","connectionId","mode"}; depois, os envelopes dos webhooks, sem reenvio. ' +
        'Ping a cada 25 s. Sem o upgrade, a mesma requisição confere a chave e os filtros. Fechamento: 4401 credencial, 4402 API não habilitada, 4403 projeto inativo, ' +
        '4429 conexões demais, 1013 cliente lento, 1012 o servidor vai parar: conecte de novo.',
      querystring: StreamQuery,
      response: {
        ...responses({}, [400, 401, 402, 403, 404, 426]),
        101: Type.Null({ description: 'Switching Protocols' }),
      },
    },
    async onRequest(request) {
      const token = bearerToken(request)
      if (!request.ws && token === null)
        throw fail('upgrade_required', (say) => say.streams.upgrade)
      try {
        const key = await authenticator.authenticateKey(token, request.mode)
        request.principal = key
        await authenticator.recheckKey(db, key.keyId)
        const { instanceId } = request.query
        await authenticator.authorizeKey(key, {
          permission: 'read',
          concerns: typeof instanceId === 'string' ? { instanceId } : 'project',
          address: request.ip,
        })
      } catch (error) {
        // Without an upgrade, return the errors that a WebSocket client cannot read.
        if (!request.ws || !(error instanceof Failure && REFUSAL_KINDS.has(error.kind))) throw error
        // Other routes return 403 for a credential of the wrong type and for a restricted key, but here 4403 means an
        // inactive Project.
        const wrongType = error.kind === 'forbidden' && request.principal === null
        const restricted = error.details.reason === 'KEY_RESTRICTED'
        request.refusal = {
          kind: wrongType || restricted ? 'unauthorized' : error.kind,
          reason: restricted ? error.message : null,
        }
      }
    },
    async preHandler(request) {
      if (request.refusal) return
      if (request.validationError) throw request.validationError
      const { instanceId = null, events, ping = false } = request.query
      request.filter = { instanceId, events: parseEventNames(events), ping }
      if (instanceId !== null) await instances.get(db, scopeOf(request), instanceId)
    },
    handler: async () => {
      throw fail('upgrade_required', (say) => say.streams.upgrade)
    },
    wsHandler(socket, request) {
      const { refusal, filter } = request
      if (refusal || !filter)
        streams.refuse(socket, refusal?.kind ?? 'unauthorized', refusal?.reason ?? null)
      else streams.open(socket, scopeOf(request), filter)
    },
  })
}

/** Parses `a,b` into event names; null without a filter. Throws 400 for an unknown name. */
function parseEventNames(list: string | undefined): Set<string> | null {
  if (list === undefined || list === '') return null
  const names = list.split(',').map((name) => name.trim())
  const known: readonly string[] = EVENT_NAMES
  const wrong = names.find((name) => !known.includes(name))
  if (wrong !== undefined)
    throw fail('bad_request', (say) => say.webhooks.invalidEvent(wrong), { field: 'events' })
  return new Set(names)
}
