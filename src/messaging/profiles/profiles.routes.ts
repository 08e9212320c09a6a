import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { say } from '../../kernel/phrases/phrases.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { MediaInput } from '../../model/media-fields.ts'
import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import { sendFile } from '../../platform/http/send-bytes.ts'
import type { Server } from '../../platform/http/server.ts'
import { PatchProfileBody, PictureQuery, Profile } from './profiles.schemas.ts'
import type { Picture, ProfilesService } from './profiles.service.ts'

const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const oneContact = Type.Object({ id: Type.String(), contactId: Type.String() })
const oneGroup = Type.Object({ id: Type.String(), groupId: Type.String() })
const noContact = { 404: say.contacts.notFound }
const noGroup = { 404: say.groups.notFound }
/** Leaves room for a picture in base64, like the routes that send files. */
const bodyLimit = 16 * 1024 * 1024
const NOTHING_TO_SEE = 'Sem foto, ou nenhuma que este número possa ver'

const pictureOf = (own: Parameters<typeof responses>[2] = {}) => ({
  ...responses({}, [400, 401, 402, 403, 404, 409], own),
  200: Type.String({
    format: 'binary',
    contentMediaType: 'image/jpeg',
    description: 'A foto, em JPEG',
  }),
  204: { ...NoContent, description: NOTHING_TO_SEE },
  304: Type.Null({ description: 'Quem pergunta já tem a foto' }),
})

/** Sends a picture, or 204 if there is none. */
async function sendPicture(
  request: FastifyRequest,
  reply: FastifyReply,
  picture: Picture | null,
): Promise<FastifyReply> {
  if (!picture) return reply.code(204).send()
  const { bytes, sha256 } = picture
  const file = { mimeType: 'image/jpeg', fileName: null, sizeBytes: bytes.length, sha256 }
  return sendFile(request, reply, { ...file, maxAgeSeconds: 300 }, async () =>
    Readable.from([bytes]),
  )
}

/** Registers the routes that read and change what a number shows about itself. */
export function addProfileRoutes(
  server: Server,
  deps: { db: Db; profiles: ProfilesService; guard: Guard },
): void {
  const { db, profiles, guard: onRequest } = deps
  const tags = ['Instâncias']

  server.get(
    '/v1/instances/:id/profile',
    {
      config: { longLived: true },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getProfile',
        summary: 'Ver o perfil do número',
        description: 'Nome, recado e dados de empresa, como os contatos os veem.',
        params,
        response: responses({ 200: Profile }, [401, 402, 403, 404, 409]),
      },
    },
    (request) => profiles.own(db, scopeOf(request), request.params.id),
  )

  server.patch(
    '/v1/instances/:id/profile',
    {
      config: { changes: 'instances' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'updateProfile',
        summary: 'Mudar o recado do número',
        params,
        body: PatchProfileBody,
        response: responses({ 200: Profile }, [400, 401, 402, 403, 404, 409, 413, 415]),
      },
    },
    (request) => profiles.change(db, scopeOf(request), request.params.id, request.body.about),
  )

  server.get(
    '/v1/instances/:id/profile/picture',
    {
      config: { longLived: true },
      onRequest,
      exposeHeadRoute: false,
      schema: {
        tags,
        security,
        operationId: 'getProfilePicture',
        summary: 'Baixar a foto do número',
        params,
        querystring: PictureQuery,
        response: pictureOf(),
      },
    },
    async (request, reply) => {
      const { size = 'full' } = request.query
      const found = await profiles.ownPicture(db, scopeOf(request), request.params.id, size)
      return sendPicture(request, reply, found)
    },
  )

  server.put(
    '/v1/instances/:id/profile/picture',
    {
      config: { changes: 'instances' },
      onRequest,
      bodyLimit,
      schema: {
        tags,
        security,
        operationId: 'setProfilePicture',
        summary: 'Mudar a foto do número',
        description: 'A imagem é cortada em um quadrado de 640 pixels.',
        params,
        body: MediaInput,
        response: responses({ 204: NoContent }, [400, 401, 402, 403, 404, 409, 413, 415]),
      },
    },
    async (request, reply) => {
      await profiles.setOwnPicture(db, scopeOf(request), request.params.id, request.body)
      return reply.code(204).send(null)
    },
  )

  server.delete(
    '/v1/instances/:id/profile/picture',
    {
      config: { changes: 'instances' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'removeProfilePicture',
        summary: 'Retirar a foto do número',
        params,
        response: responses({ 204: NoContent }, [401, 402, 403, 404, 409]),
      },
    },
    async (request, reply) => {
      await profiles.setOwnPicture(db, scopeOf(request), request.params.id, null)
      return reply.code(204).send(null)
    },
  )
}

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
      config: { changes: 'groups' },
      onRequest,
      bodyLimit,
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
      config: { changes: 'groups' },
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
