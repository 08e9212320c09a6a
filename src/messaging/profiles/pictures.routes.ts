import { Type } from 'typebox'
import { say } from '../../kernel/phrases/phrases.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { MediaInput } from '../../model/media-fields.ts'
import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import { ChatPictureQuery, PictureQuery, Profile } from './profiles.schemas.ts'
import type { ProfilesService } from './profiles.service.ts'
import { MEDIA_BODY_BYTES } from '../../model/media-fields.ts'
import { pictureOf, sendPicture } from './picture-responses.routes.ts'

const security = [{ apiKey: [] }]
const oneContact = Type.Object({ id: Type.String(), contactId: Type.String() })
const oneConversation = Type.Object({ id: Type.String(), conversationId: Type.String() })
const oneGroup = Type.Object({ id: Type.String(), groupId: Type.String() })
const noContact = { 404: say.contacts.notFound }
const noGroup = { 404: say.groups.notFound }

/** Registers the routes that read profiles of contacts, and read and change pictures of groups. */
export function addPictureRoutes(
  server: Server,
  deps: { db: Db; profiles: ProfilesService; guard: Guard },
): void {
  const { db, profiles, guard: onRequest } = deps

  server.get(
    '/v1/instances/:id/contacts/:contactId/profile',
    {
      config: { longLived: true },
      onRequest,
      schema: {
        tags: ['Contatos'],
        security,
        operationId: 'getContactProfile',
        summary: 'Ver o perfil de um contato',
        description:
          'O que o contato mostra a este número no WhatsApp. Lido da rede no máximo uma vez por hora.',
        params: oneContact,
        response: responses({ 200: Profile }, [401, 402, 403, 404, 409], noContact),
      },
    },
    (request) => {
      const { id, contactId } = request.params
      return profiles.ofContact(db, scopeOf(request), id, contactId)
    },
  )

  server.get(
    '/v1/instances/:id/contacts/:contactId/picture',
    {
      config: { longLived: true },
      onRequest,
      exposeHeadRoute: false,
      schema: {
        tags: ['Contatos'],
        security,
        operationId: 'getContactPicture',
        summary: 'Baixar a foto de um contato',
        description: 'Lida da rede no máximo uma vez por dia, e de novo depois que a foto muda.',
        params: oneContact,
        querystring: PictureQuery,
        response: pictureOf(noContact),
      },
    },
    async (request, reply) => {
      const { id, contactId } = request.params
      const { size = 'full' } = request.query
      const found = await profiles.contactPicture(db, scopeOf(request), id, contactId, size)
      return sendPicture(request, reply, found)
    },
  )

  server.get(
    '/v1/instances/:id/conversations/:conversationId/picture',
    {
      config: { longLived: true },
      onRequest,
      exposeHeadRoute: false,
      schema: {
        tags: ['Conversas'],
        security,
        operationId: 'getConversationPicture',
        summary: 'Baixar a foto da pessoa ou do grupo de uma conversa',
        description: 'Lida da rede no máximo uma vez por dia, e de novo depois que a foto muda.',
        params: oneConversation,
        querystring: ChatPictureQuery,
        response: pictureOf({ 404: say.conversations.notFound }),
      },
    },
    async (request, reply) => {
      const { id, conversationId } = request.params
      const { size = 'full', cached = false } = request.query
      const read = cached ? profiles.storedChatPicture : profiles.chatPicture
      const found = await read(db, scopeOf(request), id, conversationId, size)
      return sendPicture(request, reply, found)
    },
  )

  server.get(
    '/v1/instances/:id/groups/:groupId/picture',
    {
      config: { longLived: true },
      onRequest,
      exposeHeadRoute: false,
      schema: {
        tags: ['Grupos'],
        security,
        operationId: 'getGroupPicture',
        summary: 'Baixar a foto de um grupo',
        params: oneGroup,
        querystring: PictureQuery,
        response: pictureOf(noGroup),
      },
    },
    async (request, reply) => {
      const { id, groupId } = request.params
      const { size = 'full' } = request.query
      const found = await profiles.groupPicture(db, scopeOf(request), id, groupId, size)
      return sendPicture(request, reply, found)
    },
  )

  server.put(
    '/v1/instances/:id/groups/:groupId/picture',
    {
      config: { asksNetwork: true, changes: 'groups' },
      onRequest,
      bodyLimit: MEDIA_BODY_BYTES,
      schema: {
        tags: ['Grupos'],
        security,
        operationId: 'setGroupPicture',
        summary: 'Mudar a foto de um grupo',
        description:
          'A imagem é cortada em um quadrado de 640 pixels. Exige ser administrador quando o grupo pede.',
        params: oneGroup,
        body: MediaInput,
        response: responses({ 204: NoContent }, [400, 401, 402, 403, 404, 409, 413, 415], noGroup),
      },
    },
    async (request, reply) => {
      const { id, groupId } = request.params
      await profiles.setGroupPicture(db, scopeOf(request), id, groupId, request.body)
      return reply.code(204).send(null)
    },
  )

  server.delete(
    '/v1/instances/:id/groups/:groupId/picture',
    {
      config: { asksNetwork: true, changes: 'groups' },
      onRequest,
      schema: {
        tags: ['Grupos'],
        security,
        operationId: 'removeGroupPicture',
        summary: 'Retirar a foto de um grupo',
        params: oneGroup,
        response: responses({ 204: NoContent }, [401, 402, 403, 404, 409], noGroup),
      },
    },
    async (request, reply) => {
      const { id, groupId } = request.params
      await profiles.setGroupPicture(db, scopeOf(request), id, groupId, null)
      return reply.code(204).send(null)
    },
  )
}
