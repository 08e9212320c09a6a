import { compileWithBody } from '../../platform/http/compile-schema.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { bodyByType } from '../../kernel/body-by-type.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import {
  multipartBodySchema,
  readMultipart,
  registerMultipart,
} from '../../platform/http/multipart.ts'
import { authorizeUserAgain, scopeOf, viewerOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import type { MediaService } from '../../media/media.service.ts'
import { fileResponses, sendFile } from '../../platform/http/send-bytes.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { allKinds, kindNamed, type AnyKind } from '../../model/kinds/index.ts'
import { MAX_MEDIA_BYTES, MEDIA_BODY_BYTES } from '../../model/media-fields.ts'
import {
  anyKind,
  EditBody,
  ListMessagesQuery,
  MessageDetail,
  MessageList,
  MarkReadResponse,
  MarkReadBody,
  SentMessage,
  uploadFields,
} from './messages.schemas.ts'
import type { MessagesService } from './messages.service.ts'
import type { Send } from './send.ts'
import { groupKindsByPath } from './kinds-by-path.ts'
import { createSendRoute, singleMessage } from './send.routes.ts'
import { readUploadFields } from './upload-fields.ts'

const tags = ['Mensagens']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const one = Type.Object({ id: Type.String(), messageId: Type.String() })
const notFound = { 404: say.messages.notFound }
const sendResponses = responses({ 201: SentMessage }, [400, 401, 402, 403, 404, 409, 413, 415, 429])

/** Schema of `POST …/messages`. A benchmark serves it on a bare Fastify route, as the upper bound of the real one. */
export const sendSchema = {
  tags,
  security,
  operationId: 'sendMessage',
  summary: 'Enviar uma mensagem de qualquer tipo',
  params,
  body: anyKind.body,
  response: sendResponses,
}

/** Registers the routes that send, list, edit, delete and read messages (G29). */
export async function addMessageRoutes(
  server: Server,
  deps: {
    db: Db
    messages: MessagesService
    media: MediaService
    guard: Guard
    idempotent: Idempotent
  },
): Promise<void> {
  const { db, messages, media, guard: onRequest, idempotent } = deps

  const respond = createSendRoute({ db, messages, idempotent })

  /** Sends the body as the kind of the path, or of its own `type` if `kind` is null. */
  function send(
    request: FastifyRequest,
    reply: Parameters<Idempotent>[1],
    pathKind: AnyKind | null,
  ) {
    const { id } = request.params as { id: string }
    const { type = 'text', ...body } = request.body as { type?: string } & Send['body']
    const kind = pathKind ?? kindNamed(type) ?? allKinds[0]
    return respond(request, reply, {
      instanceId: id,
      to: body.to,
      read: async () => [{ kind, body }],
      hasFiles: kind.media !== null,
      toBody: singleMessage,
    })
  }

  server.post(
    '/v1/instances/:id/messages',
    {
      config: { idempotent: true, changes: 'messages', batched: true },
      onRequest,
      bodyLimit: MEDIA_BODY_BYTES,
      schema: sendSchema,
      validatorCompiler: compileWithBody(anyKind.validate),
    },
    (request, reply) => send(request, reply, null),
  )

  for (const { path, operationId, summary, kinds: group } of groupKindsByPath()) {
    const [only] = group
    const several = group.length > 1
    const byType = bodyByType(group.map((kind) => [kind.name, kind.typedBody]))
    const schema = { tags, security, operationId, summary, params, response: sendResponses }
    server.post(
      `/v1/instances/:id/messages${path}`,
      {
        config: { idempotent: true, changes: 'messages', batched: true },
        onRequest,
        ...(group.some((kind) => kind.media) ? { bodyLimit: MEDIA_BODY_BYTES } : {}),
        schema: { ...schema, body: several ? byType.body : (only?.body ?? Type.Object({})) },
        ...(several ? { validatorCompiler: compileWithBody(byType.validate) } : {}),
      },
      (request, reply) => send(request, reply, several ? null : (only ?? null)),
    )
  }

  await server.register(async (scope) => {
    await registerMultipart(scope)
    scope.post(
      '/v1/instances/:id/messages/media-upload',
      {
        config: { idempotent: true, changes: 'messages' },
        onRequest,
        bodyLimit: MAX_MEDIA_BYTES + 1024 * 1024,
        schema: {
          tags,
          security,
          operationId: 'sendUpload',
          summary: 'Enviar imagem, vídeo, áudio, documento ou figurinha por upload',
          params,
          body: multipartBodySchema(uploadFields),
          response: responses({ 201: SentMessage }, [400, 401, 402, 403, 404, 409, 413, 415, 429], {
            413: say.media.tooLarge('100 MiB'),
            415: say.media.multipartOnly,
          }),
        },
        validatorCompiler: () => () => true,
      },
      async (request, reply) => {
        const { fields, upload } = await media.receiveUpload(scopeOf(request), () =>
          readMultipart(request, (stream) => media.stageUpload(stream, MAX_MEDIA_BYTES)),
        )
        await using file = upload.file
        const { kind, body } = readUploadFields(fields)
        await authorizeUserAgain(onRequest, request, reply)
        const { mimeType, fileName } = upload
        const fingerprint = { fields, mimeType, fileName, sha256: file.sha256 }
        // Awaited here: the staged file is deleted when this function returns.
        return await respond(request, reply, {
          instanceId: (request.params as { id: string }).id,
          to: body.to,
          read: async () => [{ kind, body, upload: { file, mimeType, fileName } }],
          hasFiles: true,
          toBody: singleMessage,
          fingerprint,
        })
      },
    )
  })

  server.get(
    '/v1/instances/:id/messages',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listMessages',
        summary: 'Listar as mensagens, da mais nova para a mais antiga',
        params,
        querystring: ListMessagesQuery,
        response: responses({ 200: MessageList }, [400, 401, 402, 403, 404]),
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
        operationId: 'getMessage',
        summary: 'Ver uma mensagem e por quais status passou',
        params: one,
        response: responses({ 200: MessageDetail }, [401, 402, 403, 404], notFound),
      },
    },
    (request) => messages.get(db, scopeOf(request), request.params.id, request.params.messageId),
  )

  server.get(
    '/v1/instances/:id/messages/:messageId/media',
    {
      onRequest,
      exposeHeadRoute: false,
      config: { longLived: true },
      schema: {
        tags,
        security,
        operationId: 'downloadMedia',
        summary: 'Baixar o arquivo de uma mensagem',
        description: 'Aceita Range (uma faixa) e If-None-Match.',
        params: one,
        response: {
          ...responses({}, [401, 402, 403, 404, 416], { 404: say.media.expired }),
          ...fileResponses({ description: 'O arquivo' }),
        },
      },
    },
    async (request, reply) => {
      const { id, messageId } = request.params
      const { facts, open } = await messages.file(db, scopeOf(request), id, messageId)
      return sendFile(request, reply, facts, open)
    },
  )

  server.patch(
    '/v1/instances/:id/messages/:messageId',
    {
      config: { asksNetwork: true, changes: 'messages' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'editMessage',
        summary: 'Editar o texto ou a legenda de uma mensagem enviada',
        params: one,
        body: EditBody,
        response: responses(
          { 200: SentMessage },
          [400, 401, 402, 403, 404, 409, 413, 415],
          notFound,
        ),
      },
    },
    (request) => {
      const { id, messageId } = request.params
      return messages.edit(db, scopeOf(request), id, messageId, request.body.text)
    },
  )

  server.delete(
    '/v1/instances/:id/messages/:messageId',
    {
      config: { asksNetwork: true, changes: 'messages' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'deleteMessage',
        summary: 'Apagar para todos uma mensagem enviada',
        params: one,
        response: responses({ 204: NoContent }, [401, 402, 403, 404, 409], notFound),
      },
    },
    async (request, reply) => {
      const { id, messageId } = request.params
      await messages.remove(db, scopeOf(request), id, messageId)
      return reply.code(204).send(null)
    },
  )

  server.post(
    '/v1/instances/:id/messages/read',
    {
      config: { idempotent: true, changes: 'conversations' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'markRead',
        summary: 'Marcar mensagens recebidas como lidas',
        params,
        body: MarkReadBody,
        response: responses(
          { 200: MarkReadResponse },
          [400, 401, 402, 403, 404, 409, 413, 415],
          notFound,
        ),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id } = request.params
        const reader = viewerOf(request)
        const ids = await messages.markRead(tx, scopeOf(request), id, request.body, reader)
        return { status: 200, body: { waMessageIds: ids } }
      }),
  )
}
