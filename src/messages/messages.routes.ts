import { Type } from 'typebox'
import type { Db } from '../db/sql.ts'
import { answers } from '../http/answers.ts'
import type { Idempotent } from '../http/idempotent.ts'
import { keyGuard, scopeOf, type Authenticator } from '../http/principal.ts'
import type { Server } from '../http/server.ts'
import { say } from '../phrases/phrases.ts'
import { kinds } from './kinds/index.ts'
import {
  ListMessagesQuery,
  MessageDetail,
  MessageList,
  ReadAnswer,
  ReadBody,
  SendBody,
  SentMessage,
} from './messages.schemas.ts'
import type { MessagesService, Send } from './messages.service.ts'

const tags = ['Mensagens']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const sendAnswers = answers({ 201: SentMessage }, [400, 401, 402, 403, 404, 409, 413, 415, 429])
/** Room for media as base64 (contract §2.2). */
const LARGE_BODY = 16 * 1024 * 1024

/** The schema of `POST …/messages`; the bench serves it bare beside the real route. */
export const sendSchema = {
  tags,
  security,
  summary: 'Enviar uma mensagem de qualquer tipo',
  params,
  body: SendBody,
  response: sendAnswers,
}

type Kind = (typeof kinds)[number]

/** Source: specification §4.5, contract §2.2. */
export function addMessageRoutes(
  server: Server,
  deps: {
    db: Db
    messages: MessagesService
    authenticator: Authenticator
    idempotent: Idempotent
  },
): void {
  const { db, messages, authenticator, idempotent } = deps
  const onRequest = keyGuard(authenticator)

  server.post(
    '/v1/instances/:id/messages',
    {
      onRequest,
      bodyLimit: LARGE_BODY,
      schema: sendSchema,
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { type, ...body } = request.body as typeof request.body & { type: Kind['name'] }
        const kind = kinds.find((entry) => entry.name === type) ?? kinds[0]
        const send = toSend(kind, body)
        return {
          status: 201,
          body: await messages.send(tx, scopeOf(request), request.params.id, send),
        }
      }),
  )

  for (const kind of kinds) {
    server.post(
      `/v1/instances/:id/messages${kind.path}`,
      {
        onRequest,
        schema: {
          tags,
          security,
          summary: kind.summary,
          params,
          body: kind.body,
          response: sendAnswers,
        },
      },
      (request, reply) =>
        idempotent(request, reply, async (tx) => {
          const { id } = request.params
          const body = await messages.send(tx, scopeOf(request), id, toSend(kind, request.body))
          return { status: 201, body }
        }),
    )
  }

  server.get(
    '/v1/instances/:id/messages',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Listar as mensagens, da mais nova para a mais antiga',
        params,
        querystring: ListMessagesQuery,
        response: answers({ 200: MessageList }, [400, 401, 402, 403, 404]),
      },
    },
    (request) => messages.list(db, scopeOf(request), request.params.id, request.query),
  )

  server.get(
    '/v1/instances/:id/messages/:messageId',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Ver uma mensagem e por quais status passou',
        params: Type.Object({ id: Type.String(), messageId: Type.String() }),
        response: answers({ 200: MessageDetail }, [401, 402, 403, 404], {
          404: say.messages.notFound,
        }),
      },
    },
    (request) => messages.show(db, scopeOf(request), request.params.id, request.params.messageId),
  )

  server.post(
    '/v1/instances/:id/messages/read',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Marcar mensagens recebidas como lidas',
        params,
        body: ReadBody,
        response: answers({ 200: ReadAnswer }, [400, 401, 402, 403, 404, 409, 413, 415], {
          404: say.messages.notFound,
        }),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id } = request.params
        const ids = await messages.markRead(tx, scopeOf(request), id, request.body)
        return { status: 200, body: { waMessageIds: ids } }
      }),
  )
}

/** Splits a body into the fields every kind has and the kind's content. */
function toSend(kind: Kind, body: Parameters<Kind['toContent']>[0] & Send['fields']): Send {
  const content = kind.toContent(body)
  const linkPreview = 'linkPreview' in body ? (body.linkPreview ?? true) : true
  return { fields: body, content, text: kind.textOf(content), linkPreview }
}
