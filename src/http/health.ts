import type { Db } from '../db/sql.ts'
import { fail } from '../phrases/fail.ts'
import type { Server } from './server.ts'

/** /healthz: the process answers. /readyz: it can work, that is, its database answers and it is not stopping. */
export function addHealthRoutes(server: Server, deps: { db: Db; stopping: () => boolean }): void {
  const options = { schema: { hide: true }, config: { quiet: true } }
  server.get('/healthz', options, async () => ({ status: 'ok' }))
  server.get('/readyz', options, async () => {
    if (deps.stopping()) throw fail('unavailable', (say) => say.http.stopping)
    await deps.db.sql`select 1`
    return { status: 'ok' }
  })
}
