import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { CreateGroupBody, GroupInvite, PatchGroupBody } from '../groups/groups.schemas.ts'
import { responses } from '../../platform/http/responses.ts'
import { NoContent } from '../../kernel/schemas.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { CreateLabelBody, Label, PatchLabelBody } from '../labels/labels.schemas.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { PhoneCollectionsService } from './phone-collections.service.ts'
import {
  PhoneCall,
  PhoneCallBody,
  PhoneGroup,
  PhoneLabels,
  PhoneParticipantsBody,
} from './phones.schemas.ts'

const tags = ['Simulador']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const oneGroup = Type.Object({ id: Type.String(), groupId: Type.String() })
const oneLabel = Type.Object({ id: Type.String(), labelId: Type.String() })
const oneChat = Type.Object({ id: Type.String(), labelId: Type.String(), chat: Type.String() })
const groupOwn = { 404: say.groups.notFound, 409: say.network.not_admin }
const labelOwn = { 404: say.labels.notFound, 409: say.network.not_business }

/** Registers the simulator routes for a virtual phone's calls, groups and labels (G54). */
export function addPhoneCollectionRoutes(
  server: Server,
  deps: { db: Db; phoneCollections: PhoneCollectionsService; guard: Guard; idempotent: Idempotent },
): void {
  const { db, phoneCollections, guard: onRequest, idempotent } = deps

  server.post(
    '/v1/simulator/phones/:id/calls',
    {
      config: { idempotent: true },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'callFromPhone',
        summary: 'Ligar para uma instância',
        params,
        body: PhoneCallBody,
        response: responses({ 201: PhoneCall }, [400, 401, 402, 403, 404, 409, 413, 415], {
          404: say.phones.notFound,
        }),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 201,
        body: await phoneCollections.call(tx, scopeOf(request), request.params.id, request.body),
      })),
  )

  server.post(
    '/v1/simulator/phones/:id/groups',
    {
      config: { idempotent: true },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'createPhoneGroup',
        summary: 'Criar um grupo',
        params,
        body: CreateGroupBody,
        response: responses({ 201: PhoneGroup }, [400, 401, 402, 403, 404, 409, 413, 415], {
          404: say.phones.notFound,
        }),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 201,
        body: await phoneCollections.createGroup(
          tx,
          scopeOf(request),
          request.params.id,
          request.body,
        ),
      })),
  )

  server.patch(
    '/v1/simulator/phones/:id/groups/:groupId',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'updatePhoneGroup',
        summary: 'Mudar o nome, a descrição ou as configurações de um grupo',
        params: oneGroup,
        body: PatchGroupBody,
        response: responses(
          { 200: PhoneGroup },
          [400, 401, 402, 403, 404, 409, 413, 415],
          groupOwn,
        ),
      },
    },
    (request) => {
      const { id, groupId } = request.params
      return phoneCollections.changeGroup(db, scopeOf(request), id, groupId, request.body)
    },
  )

  server.get(
    '/v1/simulator/phones/:id/groups/:groupId/invite',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getPhoneGroupInvite',
        summary: 'Ver o link de convite de um grupo do celular',
        description: 'O celular precisa ser administrador do grupo.',
        params: oneGroup,
        response: responses({ 200: GroupInvite }, [401, 402, 403, 404, 409], groupOwn),
      },
    },
    (request) => {
      const { id, groupId } = request.params
      return phoneCollections.groupInvite(db, scopeOf(request), id, groupId)
    },
  )

  server.post(
    '/v1/simulator/phones/:id/groups/:groupId/participants',
    {
      config: { idempotent: true },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'changePhoneParticipants',
        summary: 'Adicionar, remover, promover, rebaixar ou sair',
        params: oneGroup,
        body: PhoneParticipantsBody,
        response: responses(
          { 201: PhoneGroup },
          [400, 401, 402, 403, 404, 409, 413, 415],
          groupOwn,
        ),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id, groupId } = request.params
        const scope = scopeOf(request)
        const body = await phoneCollections.changeParticipants(tx, scope, id, groupId, request.body)
        return { status: 201, body }
      }),
  )

  server.get(
    '/v1/simulator/phones/:id/labels',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listPhoneLabels',
        summary: 'Listar as etiquetas de um telefone business',
        params,
        response: responses({ 200: PhoneLabels }, [401, 402, 403, 404], {
          404: say.phones.notFound,
        }),
      },
    },
    (request) => phoneCollections.labels(db, scopeOf(request), request.params.id),
  )

  server.post(
    '/v1/simulator/phones/:id/labels',
    {
      config: { idempotent: true, changes: 'phones' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'createPhoneLabel',
        summary: 'Criar uma etiqueta num telefone business',
        params,
        body: CreateLabelBody,
        response: responses({ 201: Label }, [400, 401, 402, 403, 404, 409, 413, 415], {
          404: say.phones.notFound,
          409: labelOwn[409],
        }),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 201,
        body: await phoneCollections.createLabel(
          tx,
          scopeOf(request),
          request.params.id,
          request.body,
        ),
      })),
  )

  server.patch(
    '/v1/simulator/phones/:id/labels/:labelId',
    {
      config: { changes: 'phones' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'updatePhoneLabel',
        summary: 'Mudar uma etiqueta',
        params: oneLabel,
        body: PatchLabelBody,
        response: responses({ 200: Label }, [400, 401, 402, 403, 404, 409, 413, 415], labelOwn),
      },
    },
    (request) => {
      const { id, labelId } = request.params
      return phoneCollections.updateLabel(db, scopeOf(request), id, labelId, request.body)
    },
  )

  server.delete(
    '/v1/simulator/phones/:id/labels/:labelId',
    {
      config: { changes: 'phones' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'deletePhoneLabel',
        summary: 'Apagar uma etiqueta',
        params: oneLabel,
        response: responses({ 204: NoContent }, [401, 402, 403, 404, 409], labelOwn),
      },
    },
    async (request, reply) => {
      const { id, labelId } = request.params
      await phoneCollections.removeLabel(db, scopeOf(request), id, labelId)
      return reply.code(204).send(null)
    },
  )

  const ways = {
    PUT: {
      on: true,
      operationId: 'applyPhoneLabel',
      summary: 'Aplicar uma etiqueta à conversa com um número ou grupo',
    },
    DELETE: {
      on: false,
      operationId: 'removePhoneLabel',
      summary: 'Retirar uma etiqueta de uma conversa',
    },
  } as const
  for (const [method, { on, ...named }] of Object.entries(ways)) {
    server.route({
      method,
      url: '/v1/simulator/phones/:id/labels/:labelId/chats/:chat',
      config: { changes: 'phones' },
      onRequest,
      schema: {
        tags,
        security,
        ...named,
        params: oneChat,
        response: responses({ 204: NoContent }, [400, 401, 402, 403, 404, 409, 415], labelOwn),
      },
      async handler(request, reply) {
        const { id, labelId, chat } = request.params
        await phoneCollections.associateLabel(db, scopeOf(request), id, { labelId, chat, on })
        return reply.code(204).send(null)
      },
    })
  }
}
