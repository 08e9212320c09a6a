import cluster, { type Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import { pino, type Logger } from 'pino'
import { createSystemClock } from '../../kernel/clock.ts'
import type { Config } from '../../kernel/config/config.ts'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { migrate } from '../db/migrate.ts'
import { openStorage, type Storage } from '../db/storage.ts'
import { createMetricsReader } from '../metrics/worker-metrics.ts'
import type { WorkerMessage } from './worker-link.ts'
import { WORKER_SLOT } from './worker-slot.ts'

/** The delay before a worker that exited is replaced; it doubles while replacements exit early. */
const FIRST_DELAY_MS = 1000
const MAX_DELAY_MS = 30_000
const STEADY_AFTER_MS = 60_000
/** A worker that still runs this long after SIGTERM is killed. */
const STOP_WITHIN_MS = 22_000
const clock = createSystemClock()

/**
 * Runs the server in `config.workers` processes that share its port, each of them a node of its own. This process, the
 * primary, holds the data directory and the embedded database, and replaces workers that exit. Calls `onReady` once all
 * workers listen, and returns true once they have stopped after `asked`. If a worker cannot start, throws its StartFault,
 * or returns false if it exited without one.
 */
export async function runWorkers(
  config: Config,
  { asked, onReady }: { asked: Promise<void>; onReady: (relocatedTo: string | null) => void },
): Promise<boolean> {
  await using storage = await openStorage(config, 'server')
  await migrate(storage.database)
  const logger = pino({ level: config.logLevel })
  const { restartDatabase, answer } = createAnswers(storage, logger)
  const listening = new Set<number>()
  const ended = new Set<Promise<void>>()
  let stopping = false
  let fault: string | null = null
  let ready = false
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<void>()

  async function keep(slot: number): Promise<void> {
    for (let delayMs = FIRST_DELAY_MS; !stopping;) {
      const startedAt = performance.now()
      const worker = cluster.fork({ [WORKER_SLOT]: String(slot) })
      const exit = new Promise<string>((resolve) => {
        worker.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
      })
      // Emitted when a message is sent to a worker that has just died.
      worker.on('error', (error) =>
        logger.error({ err: error }, `worker ${slot} cannot be reached`),
      )
      worker.on('message', (message: WorkerMessage) => {
        answer(worker, message)
        if (message.type !== 'recado:fault') return
        fault ??= message.text
        if (ready) logger.error(message.text)
      })
      worker.once('listening', () => {
        listening.add(slot)
        if (ready || listening.size < config.workers) return
        ready = true
        onReady(storage.relocatedTo)
      })
      const how = await exit
      if (stopping) return
      if (!ready) {
        giveUp()
        return
      }
      if (performance.now() - startedAt > STEADY_AFTER_MS) delayMs = FIRST_DELAY_MS
      logger.error(`worker ${slot} exited with ${how}; a replacement starts in ${delayMs} ms`)
      await Promise.race([pause(delayMs), asked])
      // A running worker reports that the database is down, but there may be none.
      if (!stopping) await restartDatabase()
      delayMs = Math.min(MAX_DELAY_MS, delayMs * 2)
    }
  }

  for (let slot = 1; slot <= config.workers; slot++) ended.add(keep(slot))
  const failed = await Promise.race([asked.then(() => false), givenUp.then(() => true)])
  stopping = true
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
  const stuck = clock.after(STOP_WITHIN_MS, () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
  })
  await Promise.all(ended)
  stuck.cancel()
  if (failed && fault !== null) throw new StartFault(fault)
  return !failed
}

/** Handles the workers' requests to the primary process. */
function createAnswers(storage: Storage, logger: Logger) {
  const readMetrics = createMetricsReader()
  const restartDatabase = () =>
    storage.restartDatabase().catch((error: unknown) => {
      logger.error({ err: error }, 'the embedded database cannot be restarted')
    })
  function answer(worker: Worker, message: WorkerMessage): void {
    if (message.type === 'recado:restartDatabase') void restartDatabase()
    if (message.type !== 'recado:metrics') return
    const { id } = message
    const send = (text: string | null) =>
      worker.isConnected() && worker.send({ type: 'recado:metrics', id, text })
    readMetrics().then(send, (error: unknown) => {
      logger.error({ err: error }, 'the metrics of the workers cannot be read')
      send(null)
    })
  }
  return { restartDatabase, answer }
}
