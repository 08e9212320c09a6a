import { Type } from 'typebox'
import { NoContent } from '../../kernel/schemas.ts'
import { MediaInput } from '../../model/media-fields.ts'
import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import { PatchProfileBody, PictureQuery, Profile } from './profiles.schemas.ts'
import type { ProfilesService } from './profiles.service.ts'
import { MEDIA_BODY_BYTES } from '../../model/media-fields.ts'
import { pictureOf, sendPicture } from './picture-responses.routes.ts'

const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })

/** Registers the routes that read and change a number's own profile. */
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
      config: { asksNetwork: true, changes: 'instances' },
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
      config: { asksNetwork: true, changes: 'instances' },
      onRequest,
      bodyLimit: MEDIA_BODY_BYTES,
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
      config: { asksNetwork: true, changes: 'instances' },
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
