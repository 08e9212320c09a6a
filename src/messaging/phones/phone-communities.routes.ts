import { Type } from 'typebox'
import { say } from '../../kernel/phrases/phrases.ts'
import { NoContent } from '../../kernel/schemas.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import type { PhoneCollectionsService } from './phone-collections.service.ts'
import { PhoneCommunityBody, PhoneGroup, PhoneGroupCommunityBody } from './phones.schemas.ts'

const groupOwn = { 404: say.groups.notFound, 409: say.network.not_admin }
const oneGroup = Type.Object({ id: Type.String(), groupId: Type.String() })
const errors = [400, 401, 402, 403, 404, 409, 413, 415] as const

/** Registers the simulator routes with which a virtual phone forms communities of its groups (G54, G101). */
export function addPhoneCommunityRoutes(
  server: Server,
  deps: {
    db: Db
    phoneCollections: PhoneCollectionsService
    guard: Guard
    idempotent: Idempotent
  },
): void {
  const { db, phoneCollections, guard: onRequest, idempotent } = deps
  server.post(
    '/v1/simulator/phones/:id/communities',
    {
      config: { idempotent: true },
      onRequest,
      schema: {
        tags: ['Simulador'],
        security: [{ apiKey: [] }],
        operationId: 'createPhoneCommunity',
        summary: 'Criar uma comunidade com grupos do celular',
        description:
          'Como no WhatsApp, a comunidade é um grupo em que ninguém escreve, e ganha um grupo de avisos com todos os participantes dos grupos dela.',
        params: Type.Object({ id: Type.String() }),
        body: PhoneCommunityBody,
        response: responses({ 201: PhoneGroup }, [...errors], groupOwn),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 201,
        body: await phoneCollections.createCommunity(
          tx,
          scopeOf(request),
          request.params.id,
          request.body,
        ),
      })),
  )

  server.put(
    '/v1/simulator/phones/:id/groups/:groupId/community',
    {
      onRequest,
      schema: {
        tags: ['Simulador'],
        security: [{ apiKey: [] }],
        operationId: 'movePhoneGroup',
        summary: 'Pôr um grupo em uma comunidade',
        description: 'O celular precisa ser administrador do grupo e da comunidade.',
        params: oneGroup,
        body: PhoneGroupCommunityBody,
        response: responses({ 200: PhoneGroup }, [...errors], groupOwn),
      },
    },
    (request) => {
      const { id, groupId } = request.params
      const { communityId } = request.body
      return phoneCollections.moveGroup(db, scopeOf(request), id, groupId, communityId)
    },
  )

  server.delete(
    '/v1/simulator/phones/:id/groups/:groupId/community',
    {
      onRequest,
      schema: {
        tags: ['Simulador'],
        security: [{ apiKey: [] }],
        operationId: 'releasePhoneGroup',
        summary: 'Tirar um grupo da comunidade dele',
        description: 'O celular precisa ser administrador do grupo e da comunidade.',
        params: oneGroup,
        response: responses({ 204: NoContent }, [401, 402, 403, 404, 409], groupOwn),
      },
    },
    async (request, reply) => {
      const { id, groupId } = request.params
      await phoneCollections.moveGroup(db, scopeOf(request), id, groupId, null)
      return reply.code(204).send(null)
    },
  )
}
