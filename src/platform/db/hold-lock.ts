import type postgres from 'postgres'
import { createSystemClock, delay } from '../../kernel/clock.ts'

const RETRY_INTERVAL_MS = 300
const clock = createSystemClock()

/**
 * Holds an advisory lock on a dedicated connection until it is released, and reacquires it when the connection is lost.
 * PostgreSQL releases the lock with the connection, so `pg_locks` shows within moments that this process is gone.
 */
export function holdLock(
  connect: (options: postgres.Options<{}>) => postgres.Sql,
  [first, second]: [number, number],
): { release(): Promise<void> } {
  const released = Promise.withResolvers<void>()
  let over = false
  async function keep(): Promise<void> {
    while (!over) {
      const lost = Promise.withResolvers<void>()
      const connection = { application_name: 'recado' }
      const sql = connect({ max: 1, connection, onclose: () => lost.resolve() })
      try {
        const [row] = await sql<{ held: boolean }[]>`
          select pg_try_advisory_lock(${first}::int, ${second}::int) as held`
        if (row?.held) await Promise.race([lost.promise, released.promise])
      } catch {
        // The database is unavailable; retry.
      }
      await sql.end({ timeout: 0 })
      if (!over) await Promise.race([delay(clock, RETRY_INTERVAL_MS), released.promise])
    }
  }
  const kept = keep()
  return {
    async release() {
      over = true
      released.resolve()
      await kept
    },
  }
}
