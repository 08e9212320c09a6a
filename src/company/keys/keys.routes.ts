import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import { NoContent, Page, toPage } from '../../kernel/schemas.ts'
import { nameSentence } from '../../kernel/validation.ts'
import { scopeOf, userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { CreatedKey, CreateKeyBody, Key, WholeListQuery } from './keys.schemas.ts'
import type { KeysService } from './keys.service.ts'

const tags = ['Chaves']
const security = [{ userToken: [] }]

/** Adds the public routes with which a signed-in user manages API keys (G13). */
export function addKeyRoutes(
  server: Server,
  deps: { db: Db; keys: KeysService; guard: Guard },
): void {
  const { db, keys, guard: onRequest } = deps
  const forbidden = { 403: say.auth.userOnly }

  server.post(
    '/v1/keys',
    {
      onRequest,
      config: {
        changes: 'keys',
        sentences: { name: nameSentence((say) => say.keys.nameRequired) },
      },
      schema: {
        tags,
        security,
        operationId: 'createKey',
        summary: 'Criar uma chave de API',
        body: CreateKeyBody,
        response: responses({ 201: CreatedKey }, [400, 401, 402, 403, 413, 415], {
          ...forbidden,
          400: say.keys.nameRequired,
        }),
      },
    },
    async (request, reply) => {
      const key = await keys.create(db, scopeOf(request), userOf(request), request.body)
      return reply.code(201).send(key)
    },
  )

  server.get(
    '/v1/keys',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listKeys',
        summary: 'Listar as chaves do modo',
        querystring: WholeListQuery,
        response: responses({ 200: Page(Key, 'KeyList') }, [400, 401, 403], forbidden),
      },
    },
    async (request) => {
      const { limit = null, offset } = request.query
      const items = await keys.list(db, scopeOf(request), userOf(request), { limit, offset })
      return toPage(items, limit ?? items.length, offset)
    },
  )

  server.delete(
    '/v1/keys/:id',
    {
      config: { changes: 'keys' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'revokeKey',
        summary: 'Revogar uma chave',
        params: Type.Object({ id: Type.String() }),
        response: responses({ 204: NoContent }, [401, 403, 404], {
          ...forbidden,
          404: say.keys.notFound,
        }),
      },
    },
    async (request, reply) => {
      await keys.revoke(db, scopeOf(request), userOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}
