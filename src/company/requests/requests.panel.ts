import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { ApiRequestQuery, ApiRequests } from './requests.schemas.ts'
import type { RequestsService } from './requests.service.ts'

/** Logs every request of an API key after its response. */
export function recordRequests(server: Server, requests: RequestsService): void {
  server.addHook('onResponse', async (request, reply) => {
    const { principal, failure, method, id } = request
    if (principal?.kind !== 'key') return
    const { projectId, mode, keyId } = principal
    requests.enqueue({
      id,
      projectId,
      mode,
      keyId,
      method,
      status: reply.statusCode,
      path: request.url.split('?')[0] ?? '',
      ms: Math.round(reply.elapsedTime * 10) / 10,
      code: failure?.code ?? null,
      reason: failure?.reason ?? null,
      message: failure?.message ?? null,
    })
  })
}

/** Adds the panel's private route for the request log of a mode, under `/panel/api/:mode`. */
export function addRequestPanelRoute(
  server: Server,
  deps: { db: Db; requests: RequestsService; guard: Guard },
): void {
  const { db, requests, guard: onRequest } = deps
  /** Lists the requests of the last seven days, newest first; `before` is the cursor of the next page. */
  server.get(
    '/requests',
    { onRequest, schema: { querystring: ApiRequestQuery, response: { 200: ApiRequests } } },
    (request) => requests.list(db, scopeOf(request), request.query),
  )
}
