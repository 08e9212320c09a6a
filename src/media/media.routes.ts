import { refuseFields } from '../platform/http/refuse-fields.ts'
import { responses } from '../platform/http/responses.ts'
import type { Idempotent } from '../platform/http/idempotent.ts'
import {
  multipartBodySchema,
  readMultipart,
  registerMultipart,
} from '../platform/http/multipart.ts'
import type { Surface } from '../platform/http/surfaces.ts'
import { authorizeUserAgain, scopeOf } from '../platform/http/principal.ts'
import type { Server } from '../platform/http/server.ts'
import { MAX_MEDIA_BYTES } from '../model/media-fields.ts'
import { disposableUntilKept } from '../kernel/prepared.ts'
import { say } from '../kernel/phrases/phrases.ts'
import { UploadedMedia } from './media.schemas.ts'
import type { MediaService } from './media.service.ts'

/** Adds the routes that upload files (G32). */
export async function addMediaRoutes(
  server: Server,
  deps: { media: MediaService; idempotent: Idempotent },
  surface: Surface,
): Promise<void> {
  const { media, idempotent } = deps
  const guard = surface.guard('chat')
  await server.register(async (scope) => {
    await registerMultipart(scope)
    scope.post(
      '/v1/media',
      {
        config: { idempotent: true, keyUse: 'own' },
        onRequest: guard,
        bodyLimit: MAX_MEDIA_BYTES + 1024 * 1024,
        schema: {
          tags: ['Mensagens'],
          security: [{ apiKey: [] }],
          operationId: 'uploadMedia',
          summary: 'Enviar um arquivo, para usar em mensagens',
          body: multipartBodySchema(),
          response: responses({ 201: UploadedMedia }, [400, 401, 402, 403, 409, 413, 415], {
            413: say.media.tooLarge('100 MiB'),
            415: say.media.multipartOnly,
          }),
        },
        validatorCompiler: () => () => true,
      },
      async (request, reply) => {
        const { upload: received, fields } = await media.receiveUpload(scopeOf(request), () =>
          readMultipart(request, (stream) => media.stageUpload(stream, MAX_MEDIA_BYTES)),
        )
        await using file = received.file
        refuseFields(fields)
        await authorizeUserAgain(guard, request, reply)
        const { mimeType, fileName } = received
        const declared = { mimeType, fileName }
        // Awaited here: the staged file is deleted when this function returns.
        const upload = () => media.upload(scopeOf(request), file, declared)
        const toReady = (stored: UploadedMedia) =>
          disposableUntilKept({ stored }, () => media.discard(scopeOf(request), stored.id))
        return await idempotent(
          request,
          reply,
          async (_db, ready: ReturnType<typeof toReady> | null) => ({
            status: 201,
            body: ready?.stored ?? (await upload()),
          }),
          {
            body: { ...declared, sha256: file.sha256 },
            // Storing a file may take long, and a transaction must not wait for it.
            prepare: async () => toReady(await upload()),
          },
        )
      },
    )
  })
}
