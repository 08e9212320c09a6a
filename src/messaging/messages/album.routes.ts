import { Type } from 'typebox'
import { say } from '../../kernel/phrases/phrases.ts'
import { MEDIA_BODY_BYTES } from '../../model/media-fields.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import { AlbumBody, SentAlbum } from './messages.schemas.ts'
import type { MessagesService } from './messages.service.ts'
import { createSendRoute } from './send.routes.ts'

/** Registers the route that sends several photos and videos as an album. */
export function addAlbumRoute(
  server: Server,
  deps: { messages: MessagesService; db: Db; guard: Guard; idempotent: Idempotent },
): void {
  const { messages, guard: onRequest } = deps
  const respond = createSendRoute(deps)
  server.post(
    '/v1/instances/:id/messages/album',
    {
      config: { idempotent: true, changes: 'messages' },
      onRequest,
      bodyLimit: MEDIA_BODY_BYTES,
      schema: {
        tags: ['Mensagens'],
        security: [{ apiKey: [] }],
        operationId: 'sendAlbum',
        summary: 'Enviar fotos e vídeos como um álbum',
        description:
          'Uma mensagem para cada foto ou vídeo, todas aceitas ou nenhuma; cada uma custa o mesmo que um envio.',
        params: Type.Object({ id: Type.String() }),
        body: AlbumBody,
        response: responses({ 201: SentAlbum }, [400, 401, 402, 403, 404, 409, 413, 415, 429], {
          404: say.instances.notFound,
          409: say.instances.notConnected,
        }),
      },
    },
    (request, reply) => {
      const { id } = request.params
      return respond(request, reply, {
        instanceId: id,
        to: request.body.to,
        read: (on) => messages.toAlbum(on, scopeOf(request), id, request.body),
        hasFiles: true,
        toBody: (items) => ({ items }),
      })
    },
  )
}
