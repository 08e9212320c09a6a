import type { Db } from '../../platform/db/sql.ts'
import { userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { Cap, CreditEntries, Usage, UsagePath, UsageQuery } from './billing.schemas.ts'
import type { BillingService } from './billing.service.ts'

/** Adds the panel's private routes for usage, credits and the test-mode cap. */
export function addBillingPanelRoutes(
  server: Server,
  /** `readGuard` admits only roles that may view the account. */
  deps: { db: Db; billing: BillingService; guard: Guard; readGuard: Guard },
): void {
  const { db, billing, guard, readGuard } = deps

  /** Lists usage by day, oldest first; defaults to the last 30 days. */
  server.get(
    '/panel/api/:mode/usage',
    {
      onRequest: readGuard,
      schema: { hide: true, params: UsagePath, querystring: UsageQuery, response: { 200: Usage } },
    },
    async (request) => {
      const { projectId } = userOf(request)
      const scope = { projectId, mode: request.params.mode, keyId: null }
      return { items: await billing.usage(db, scope, request.query) }
    },
  )

  /** Lists the last 100 credit purchases and grants, newest first. */
  server.get(
    '/panel/api/credits',
    { onRequest: readGuard, schema: { hide: true, response: { 200: CreditEntries } } },
    (request) => billing.incoming(db, userOf(request).projectId),
  )

  const schema = { hide: true, response: { 200: Cap } }
  server.get('/panel/api/test/cap', { onRequest: guard, schema }, (request) =>
    billing.cap(db, { projectId: userOf(request).projectId, mode: 'test', keyId: null }),
  )
}
