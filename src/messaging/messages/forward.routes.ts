import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { ForwardBody, SentMessage } from './messages.schemas.ts'
import type { MessagesService } from './messages.service.ts'
import { createSendRoute, singleMessage } from './send.routes.ts'

/** Registers the route that forwards a message. */
export function addForwardRoute(
  server: Server,
  deps: { messages: MessagesService; db: Db; guard: Guard; idempotent: Idempotent },
): void {
  const { messages, guard: onRequest } = deps
  const respond = createSendRoute(deps)
  server.post(
    '/v1/instances/:id/messages/:messageId/forward',
    {
      config: { idempotent: true, waits: true, changes: 'messages' },
      onRequest,
      schema: {
        tags: ['Mensagens'],
        security: [{ apiKey: [] }],
        operationId: 'forwardMessage',
        summary: 'Encaminhar uma mensagem para outra conversa',
        description:
          'Envia de novo o conteúdo e o arquivo, com a marca de encaminhada. Custa o mesmo que um envio.',
        params: Type.Object({ id: Type.String(), messageId: Type.String() }),
        body: ForwardBody,
        response: responses({ 201: SentMessage }, [400, 401, 402, 403, 404, 409, 413, 415, 429], {
          404: say.messages.notFound,
          409: say.messages.notForwardable,
        }),
      },
    },
    (request, reply) => {
      const { id, messageId } = request.params
      return respond(request, reply, {
        instanceId: id,
        to: request.body.to,
        read: async (on) => [
          await messages.toForward(on, scopeOf(request), id, messageId, request.body),
        ],
        hasFiles: true,
        toBody: singleMessage,
      })
    },
  )
}
