import { compileWithBody } from '../../platform/http/compile-schema.ts'
import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import { NoContent, PageQuery } from '../../kernel/schemas.ts'
import { bodyByType } from '../../kernel/body-by-type.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { EditBody, MarkReadResponse } from '../messages/messages.schemas.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { allKinds } from '../../model/kinds/index.ts'
import { MEDIA_BODY_BYTES } from '../../model/media-fields.ts'
import { PhoneInbox, PhoneMessage, PhoneReadBody } from './phones.schemas.ts'
import type { ReadyFile } from './phone-files.ts'
import type { PhonesService, PhoneMessageBody } from './phones.service.ts'

const tags = ['Simulador']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const oneMessage = Type.Object({ id: Type.String(), waMessageId: Type.String() })
const notFound = { 404: say.phones.notFound }
const messageNotFound = { 404: say.messages.notFound }
/** Virtual phones send no templates, because these belong to companies. */
const anyKind = bodyByType(
  allKinds.filter(({ name }) => name !== 'template').map((kind) => [kind.name, kind.phoneBody]),
)

/**
 * Registers the simulator routes with which a virtual phone sends, edits, deletes and reads messages (G54).
 */
export function addPhoneMessageRoutes(
  server: Server,
  deps: { db: Db; phones: PhonesService; guard: Guard; idempotent: Idempotent },
): void {
  const { db, phones, guard: onRequest, idempotent } = deps

  server.post(
    '/v1/simulator/phones/:id/messages',
    {
      // It may wait for a file; that is harmless, because a Project sends at most a hundred a day.
      config: { idempotent: true, waits: true },
      onRequest,
      bodyLimit: MEDIA_BODY_BYTES,
      schema: {
        tags,
        security,
        operationId: 'sendFromPhone',
        summary: 'Escrever a uma instância ou a um grupo, mensagens de qualquer tipo',
        params,
        body: anyKind.body,
        response: responses({ 201: PhoneMessage }, [400, 401, 402, 403, 404, 409, 413, 415, 429], {
          ...notFound,
          400: say.phones.toInvalid,
        }),
      },
      validatorCompiler: compileWithBody(anyKind.validate),
    },
    (request, reply) => {
      const { id } = request.params
      const scope = scopeOf(request)
      const said = request.body as PhoneMessageBody
      return idempotent(
        request,
        reply,
        async (on, ready: ReadyFile | null) => ({
          status: 201,
          body: await phones.write(on, scope, id, said, ready),
        }),
        said.media ? { prepare: () => phones.storeFile(db, scope, id, said) } : {},
      )
    },
  )

  server.patch(
    '/v1/simulator/phones/:id/messages/:waMessageId',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'editFromPhone',
        summary: 'Editar o que o telefone escreveu',
        params: oneMessage,
        body: EditBody,
        response: responses(
          { 200: PhoneMessage },
          [400, 401, 402, 403, 404, 409, 413, 415],
          messageNotFound,
        ),
      },
    },
    (request) => {
      const { id, waMessageId } = request.params
      return phones.edit(db, scopeOf(request), id, waMessageId, request.body.text)
    },
  )

  server.delete(
    '/v1/simulator/phones/:id/messages/:waMessageId',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'deleteFromPhone',
        summary: 'Apagar para todos o que o telefone escreveu',
        params: oneMessage,
        response: responses({ 204: NoContent }, [401, 402, 403, 404, 409], messageNotFound),
      },
    },
    async (request, reply) => {
      const { id, waMessageId } = request.params
      await phones.revoke(db, scopeOf(request), id, waMessageId)
      return reply.code(204).send(null)
    },
  )

  server.post(
    '/v1/simulator/phones/:id/read',
    {
      config: { idempotent: true },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'readOnPhone',
        summary: 'Ler mensagens que o telefone recebeu',
        params,
        body: PhoneReadBody,
        response: responses(
          { 200: MarkReadResponse },
          [400, 401, 402, 403, 404, 409, 413, 415],
          messageNotFound,
        ),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id } = request.params
        const ids = await phones.read(tx, scopeOf(request), id, request.body.waMessageIds)
        return { status: 200, body: { waMessageIds: ids } }
      }),
  )

  server.get(
    '/v1/simulator/phones/:id/inbox',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getPhoneInbox',
        summary: 'Ver o que o telefone recebeu',
        params,
        querystring: Type.Object(PageQuery),
        response: responses({ 200: PhoneInbox }, [400, 401, 402, 403, 404], notFound),
      },
    },
    (request) => phones.inbox(db, scopeOf(request), request.params.id, request.query),
  )
}
