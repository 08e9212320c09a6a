import type { Db } from '../db/sql.ts'
import { delay, type Clock } from '../../kernel/clock.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Server } from './server.ts'

/** Load balancers probe every second or two, so an unresponsive database must not delay the response. */
const RESPONSE_TIMEOUT_MS = 800

/**
 * Adds /healthz (the process responds) and /readyz (the node can work: its database accepts writes, and it is not
 * shutting down). Without the bus, nodes find their work by polling.
 */
export function addHealthRoutes(
  server: Server,
  deps: {
    db: Db
    clock: Clock
    /** Whether this node has recently written its heartbeat, which fails when the disk is full, for example. */
    heartbeatRecent: () => boolean
    /** Whether this node is shutting down. */
    stopping: () => boolean
  },
): void {
  const { db, clock, heartbeatRecent, stopping } = deps
  const options = { schema: { hide: true }, config: { unlogged: true } }

  let asking: Promise<boolean> | null = null
  /** Whether the database accepts writes; asked once for probes that arrive together. */
  const isReady = (): Promise<boolean> => (asking ??= ask().finally(() => (asking = null)))
  async function ask(): Promise<boolean> {
    const [row] = await db.system<{ readOnly: boolean }[]>`
      select current_setting('transaction_read_only')::boolean as read_only`
    return row?.readOnly === false
  }

  server.get('/healthz', options, async () => ({ status: 'ok' }))
  server.get('/readyz', options, async () => {
    if (stopping()) throw fail('unavailable', (say) => say.http.stopping)
    const ready = await Promise.race([
      isReady(),
      delay(clock, RESPONSE_TIMEOUT_MS).then(() => false),
    ])
    if (!ready || !heartbeatRecent()) throw fail('unavailable', (say) => say.http.databaseAway)
    return { status: 'ok' }
  })
}
