import type { Logger } from 'pino'
import { isDatabaseAway } from './db/database-errors.ts'
import { pingDatabase } from './db/ping.sql.ts'
import type { Storage } from './db/storage.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Clock } from '../kernel/clock.ts'
import { insist } from '../kernel/insist.ts'

/** Where failures go that no caller waits for: to the log and the metrics, and to what can be started anew. */
export function watchFaults(deps: {
  storage: Storage
  clock: Clock
  logger: Logger
  metrics: Metrics
}) {
  const { storage, clock, logger, metrics } = deps
  const errors = metrics.counter('background_errors_total', 'Background work that failed')
  const faults = metrics.counter('faults_total', 'Faults that nothing handled')
  let recovering = false

  /** Until the database answers on its new connections. */
  async function recover(): Promise<void> {
    if (recovering) return
    recovering = true
    const over = () => !recovering
    await insist({ clock, over, onError: () => {} }, () => pingDatabase(storage.database))
    recovering = false
  }

  return {
    /** Whether what a fault may have broken is being started anew: the node is not ready. */
    recovering: () => recovering,
    /** A worker failed at one item, which `task` names, or at one look; it goes on. An embedded database that is away is started again. */
    onError(error: unknown, task?: string): void {
      errors.inc()
      logger.error({ err: error, task }, 'background work failed')
      if (isDatabaseAway(error))
        void storage.revive().catch((err: unknown) => logger.error({ err }, 'revive failed'))
    },
    /** A fault that nothing has handled: what it may have broken starts anew. */
    onFault(error: unknown): void {
      faults.inc()
      logger.fatal({ err: error }, 'a fault that nothing handled')
      storage.database.reset()
      void recover()
    },
  }
}
