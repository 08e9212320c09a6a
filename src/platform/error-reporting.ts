import type { Logger } from 'pino'
import { isDatabaseUnavailable } from './db/database-errors.ts'
import { pingDatabase } from './db/ping.sql.ts'
import type { Storage } from './db/storage.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Clock } from '../kernel/clock.ts'
import { retryUntil } from '../kernel/retry-until.ts'

/** Handles failures that no caller waits for: logs and counts them, and restarts what can be restarted. */
export function createErrorReporter(deps: {
  storage: Storage
  clock: Clock
  logger: Logger
  metrics: Metrics
}) {
  const { storage, clock, logger, metrics } = deps
  const errors = metrics.counter('background_errors_total', 'Background work that failed')
  const faults = metrics.counter('faults_total', 'Unhandled errors')
  let recovering = false

  /** Pings the database until it responds on its new connections. */
  async function recover(): Promise<void> {
    if (recovering) return
    recovering = true
    const over = () => !recovering
    await retryUntil({ clock, over, task: 'pinging the database', onError: () => {} }, () =>
      pingDatabase(storage.database),
    )
    recovering = false
  }

  return {
    /** Whether the connections are being replaced after an unhandled error, during which the node is not ready. */
    recovering: () => recovering,
    /**
     * Reports a failure of a worker, which continues; `task` names the failed item. Restarts an embedded database that
     * is unavailable.
     */
    onError(error: unknown, task?: string): void {
      errors.inc()
      logger.error({ err: error, task }, 'background work failed')
      if (isDatabaseUnavailable(error))
        void storage
          .restartDatabase()
          .catch((err: unknown) => logger.error({ err }, 'restarting the embedded database failed'))
    },
    /** Reports an unhandled error and replaces the database connections, which it may have left in an unknown state. */
    onUnhandledError(error: unknown): void {
      faults.inc()
      logger.fatal({ err: error }, 'unhandled error')
      storage.database.reset()
      void recover()
    },
  }
}
