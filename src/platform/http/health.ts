import type { Db } from '../db/sql.ts'
import { delay, type Clock } from '../../kernel/clock.ts'
import type { Bus } from '../bus/bus.port.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Server } from './server.ts'

/** A load balancer asks every second or two: a database that is frozen must not keep it waiting. */
const ANSWER_MS = 800

/**
 * /healthz: the process answers. /readyz: it can work, that is, its database takes writes, other nodes hear it, and it is not
 * stopping.
 */
export function addHealthRoutes(
  server: Server,
  deps: {
    db: Db
    clock: Clock
    bus: Pick<Bus, 'connected'>
    /** Whether this node has lately been able to write its heartbeat: a full disk shows here. */
    renewing: () => boolean
    stopping: () => boolean
  },
): void {
  const { db, clock, bus, renewing, stopping } = deps
  const options = { schema: { hide: true }, config: { quiet: true } }

  async function isReady(): Promise<boolean> {
    const [row] = await db.system<{ readOnly: boolean }[]>`
      select current_setting('transaction_read_only')::boolean as read_only`
    return row?.readOnly === false
  }

  server.get('/healthz', options, async () => ({ status: 'ok' }))
  server.get('/readyz', options, async () => {
    if (stopping()) throw fail('unavailable', (say) => say.http.stopping)
    if (!bus.connected()) throw fail('unavailable', (say) => say.http.busLost)
    const ready = await Promise.race([isReady(), delay(clock, ANSWER_MS).then(() => false)])
    if (!ready || !renewing()) throw fail('unavailable', (say) => say.http.databaseAway)
    return { status: 'ok' }
  })
}
