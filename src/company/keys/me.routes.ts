import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import { PublicUsage, UsageQuery } from '../billing/billing.schemas.ts'
import type { BillingService } from '../billing/billing.service.ts'
import type { KeysService } from './keys.service.ts'
import { CurrentKey } from './me.schemas.ts'

const tags = ['Projeto']
const security = [{ apiKey: [] }]

/** Adds the public routes that describe the key and its own Project. */
export function addMeRoutes(
  server: Server,
  deps: { db: Db; keys: KeysService; billing: BillingService; guard: Guard },
): void {
  const { db, keys, billing, guard: onRequest } = deps

  server.get(
    '/v1/me',
    {
      config: { keyUse: 'self' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getMe',
        summary: 'Ver a chave, o projeto, os créditos e o limite diário',
        response: responses({ 200: CurrentKey }, [400, 401, 402, 403]),
      },
    },
    (request) => keys.describe(db, scopeOf(request)),
  )

  server.get(
    '/v1/usage',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getUsage',
        summary: 'Ver as mensagens enviadas e recebidas por dia, instância e chave',
        querystring: UsageQuery,
        response: responses({ 200: PublicUsage }, [400, 401, 402, 403]),
      },
    },
    async (request) => ({ items: await billing.usage(db, scopeOf(request), request.query) }),
  )
}
