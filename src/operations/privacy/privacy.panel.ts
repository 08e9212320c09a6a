import { Readable } from 'node:stream'
import type { Db } from '../../platform/db/sql.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { DeleteAccountBody } from './privacy.schemas.ts'
import type { PrivacyService } from './privacy.service.ts'

/** Adds the private panel routes that export and delete an account. */
export function addPrivacyPanelRoutes(
  server: Server,
  deps: { db: Db; privacy: PrivacyService; guard: Guard },
): void {
  const { db, privacy, guard: onRequest } = deps

  /** Responds with `application/x-ndjson`: one {"type","data"} object per line. */
  server.get(
    '/panel/api/account/export',
    { onRequest, schema: { hide: true }, exposeHeadRoute: false, config: { longLived: true } },
    async (request, reply) => {
      const lines = await privacy.export(db, userOf(request))
      return reply
        .header('content-type', 'application/x-ndjson; charset=utf-8')
        .header('content-disposition', 'attachment; filename="recado.ndjson"')
        .header('cache-control', 'no-store')
        .send(Readable.from(lines))
    },
  )

  server.post(
    '/panel/api/account/delete',
    {
      config: { waits: true, changes: 'me' },
      onRequest,
      schema: { hide: true, body: DeleteAccountBody, response: { 204: NoContent } },
    },
    async (request, reply) => {
      await privacy.delete(db, userOf(request), request.body)
      return reply.code(204).send(null)
    },
  )
}
