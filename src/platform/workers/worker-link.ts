import { createSystemClock, type Timer } from '../../kernel/clock.ts'
import type { Config } from '../../kernel/config/config.ts'
import { answerMetrics } from '../metrics/worker-metrics.ts'
import { openWorkerStorage, type Storage } from '../db/storage.ts'

/** A worker's message to the primary process. */
export type WorkerMessage =
  | { type: 'recado:restartDatabase' }
  | { type: 'recado:metrics'; id: number }
  | { type: 'recado:fault'; text: string }
type MetricsAnswer = { type: 'recado:metrics'; id: number; text: string | null }

const METRICS_WITHIN_MS = 6000
const clock = createSystemClock()

/** A worker's identity, its database, and its link to the primary process. */
export type WorkerLink = {
  slot: number
  /** The number of workers, which share the machine's memory. */
  of: number
  storage: Storage
  /** Reads the metrics of all workers that have started. */
  readMetrics(): Promise<string>
}

/** Sends the primary process the reason why this worker cannot start. */
export function reportFault(text: string): Promise<void> {
  const message: WorkerMessage = { type: 'recado:fault', text }
  return new Promise((resolve) => void process.send?.(message, undefined, {}, () => resolve()))
}

/** Opens the link of a worker process. Throws StartFault when the database cannot be reached. */
export async function openWorkerLink(config: Config, slot: number): Promise<WorkerLink> {
  answerMetrics()
  const sendToPrimary = (message: WorkerMessage) => process.send?.(message)
  const waiting = new Map<number, (text: string | null) => void>()
  let asked = 0
  process.on('message', (message: Partial<MetricsAnswer>) => {
    if (message.type !== 'recado:metrics' || message.id === undefined) return
    waiting.get(message.id)?.(message.text ?? null)
    waiting.delete(message.id)
  })
  return {
    slot,
    of: config.workers,
    storage: await openWorkerStorage(config, () =>
      sendToPrimary({ type: 'recado:restartDatabase' }),
    ),
    async readMetrics() {
      const id = asked++
      let deadline: Timer | undefined
      const text = await new Promise<string | null>((resolve) => {
        waiting.set(id, resolve)
        deadline = clock.after(METRICS_WITHIN_MS, () => resolve(null))
        sendToPrimary({ type: 'recado:metrics', id })
      })
      deadline?.cancel()
      waiting.delete(id)
      if (text === null)
        throw new Error(`worker ${slot}: the metrics of the workers cannot be read`)
      return text
    },
  }
}
