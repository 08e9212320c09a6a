import { Type } from 'typebox'
import { say } from '../../kernel/phrases/phrases.ts'
import { Message } from '../../model/records.schemas.ts'
import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import { PinBody } from './messages.schemas.ts'
import type { MessagesService } from './messages.service.ts'

/** Adds the routes that pin and unpin messages in their chat, and star and unstar them for the account. */
export function addMarkRoutes(
  server: Server,
  deps: { db: Db; messages: MessagesService; guard: Guard },
): void {
  const { db, messages, guard: onRequest } = deps
  const message = '/v1/instances/:id/messages/:messageId'
  const config = { asksNetwork: true as const, changes: 'messages' as const }
  const own = { 404: say.messages.notFound }
  const described = {
    tags: ['Mensagens'],
    security: [{ apiKey: [] }],
    params: Type.Object({ id: Type.String(), messageId: Type.String() }),
  }

  server.put(
    `${message}/pin`,
    {
      config,
      onRequest,
      schema: {
        ...described,
        operationId: 'pinMessage',
        summary: 'Fixar uma mensagem na conversa',
        description:
          'Para todos que estão nela, com um aviso do WhatsApp. Em grupos em que só administradores editam os dados, é preciso ser um.',
        body: PinBody,
        response: responses({ 200: Message }, [400, 401, 402, 403, 404, 409, 413, 415], own),
      },
    },
    (request) => {
      const { id, messageId } = request.params
      return messages.pin(db, scopeOf(request), id, messageId, request.body.seconds)
    },
  )

  server.delete(
    `${message}/pin`,
    {
      config,
      onRequest,
      schema: {
        ...described,
        operationId: 'unpinMessage',
        summary: 'Desafixar uma mensagem',
        response: responses({ 200: Message }, [401, 402, 403, 404, 409], own),
      },
    },
    (request) => {
      const { id, messageId } = request.params
      return messages.pin(db, scopeOf(request), id, messageId, null)
    },
  )

  server.put(
    `${message}/star`,
    {
      config,
      onRequest,
      schema: {
        ...described,
        operationId: 'starMessage',
        summary: 'Marcar uma mensagem com estrela',
        description: 'Só esta conta vê a estrela, em todos os aparelhos dela.',
        response: responses({ 200: Message }, [401, 402, 403, 404, 409], own),
      },
    },
    (request) => {
      const { id, messageId } = request.params
      return messages.star(db, scopeOf(request), id, messageId, true)
    },
  )

  server.delete(
    `${message}/star`,
    {
      config,
      onRequest,
      schema: {
        ...described,
        operationId: 'unstarMessage',
        summary: 'Tirar a estrela de uma mensagem',
        response: responses({ 200: Message }, [401, 402, 403, 404, 409], own),
      },
    },
    (request) => {
      const { id, messageId } = request.params
      return messages.star(db, scopeOf(request), id, messageId, false)
    },
  )
}
