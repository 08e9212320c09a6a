import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import { callerOf, scopeOf, viewerOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import {
  Conversation,
  ConversationList,
  ListConversationsQuery,
  PatchConversationBody,
  PresenceBody,
} from './conversations.schemas.ts'
import type { ConversationsService } from './conversations.service.ts'
import type { PresenceService } from './presence.service.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { ResponseTimes, ResponseTimesQuery } from './response-times.schemas.ts'
import type { ResponseTimesService } from './response-times.service.ts'

const tags = ['Conversas']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const one = Type.Object({ id: Type.String(), conversationId: Type.String() })
const notFound = { 404: say.conversations.notFound }

/** Registers the routes that list, read, file, assign and close an instance's conversations (G37, G79). */
export function addConversationRoutes(
  server: Server,
  deps: {
    db: Db
    conversations: ConversationsService
    responseTimes: ResponseTimesService
    presence: PresenceService
    guard: Guard
  },
): void {
  const { db, conversations, responseTimes, presence, guard: onRequest } = deps

  server.get(
    '/v1/conversations',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listAllConversations',
        summary: 'Listar as conversas de todas as instâncias',
        querystring: ListConversationsQuery,
        response: responses({ 200: ConversationList }, [400, 401, 402, 403]),
      },
    },
    (request) => conversations.list(db, scopeOf(request), null, request.query, viewerOf(request)),
  )

  server.get(
    '/v1/response-times',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getResponseTimes',
        summary: 'Ver em quanto tempo os contatos são respondidos',
        querystring: ResponseTimesQuery,
        response: responses({ 200: ResponseTimes }, [400, 401, 402, 403]),
      },
    },
    (request) => responseTimes.report(db, scopeOf(request), request.query),
  )

  server.get(
    '/v1/conversations/:id',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'findConversation',
        summary: 'Ver uma conversa de qualquer instância',
        params,
        response: responses({ 200: Conversation }, [401, 402, 403, 404], notFound),
      },
    },
    (request) =>
      conversations.get(db, scopeOf(request), null, request.params.id, viewerOf(request)),
  )

  server.get(
    '/v1/instances/:id/conversations',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listConversations',
        summary: 'Listar as conversas, da mais recente para a mais antiga',
        params,
        querystring: ListConversationsQuery,
        response: responses({ 200: ConversationList }, [400, 401, 402, 403, 404]),
      },
    },
    (request) => {
      const viewer = viewerOf(request)
      return conversations.list(db, scopeOf(request), request.params.id, request.query, viewer)
    },
  )

  server.get(
    '/v1/instances/:id/conversations/:conversationId',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getConversation',
        summary: 'Ver uma conversa',
        params: one,
        response: responses({ 200: Conversation }, [401, 402, 403, 404], notFound),
      },
    },
    (request) => {
      const { id, conversationId } = request.params
      return conversations.get(db, scopeOf(request), id, conversationId, viewerOf(request))
    },
  )

  server.patch(
    '/v1/instances/:id/conversations/:conversationId',
    {
      config: { changes: 'conversations' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'updateConversation',
        summary: 'Atribuir, concluir, arquivar, fixar ou marcar como não lida uma conversa',
        params: one,
        body: PatchConversationBody,
        response: responses({ 200: Conversation }, [400, 401, 402, 403, 404, 409, 413, 415], {
          ...notFound,
          409: say.conversations.nothingReceived,
        }),
      },
    },
    (request) => {
      const { id: instanceId, conversationId } = request.params
      const place = { instanceId, conversationId, viewer: viewerOf(request) }
      const by = callerOf(request)
      return conversations.update(db, scopeOf(request), by, place, request.body)
    },
  )

  server.post(
    '/v1/instances/:id/conversations/:conversationId/presence',
    {
      config: { asksNetwork: true },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'showPresence',
        summary: 'Mostrar ao contato que alguém está digitando ou gravando',
        description:
          'Vale por até 25 segundos, ou até a próxima mensagem: repita a cada 10 segundos se a resposta demorar. ' +
          'Para mostrar por um tempo exato antes de uma mensagem, use `typingMs` no envio.',
        params: one,
        body: PresenceBody,
        response: responses({ 204: NoContent }, [400, 401, 402, 403, 404, 409, 413, 415, 503], {
          ...notFound,
          409: say.instances.notConnected,
        }),
      },
    },
    async (request, reply) => {
      const { id, conversationId } = request.params
      await presence.show(db, scopeOf(request), id, conversationId, request.body.state)
      return reply.code(204).send(null)
    },
  )
}
