import { Worker } from 'node:worker_threads'
import type { Clock, Timer } from '../lib/clock.ts'
import { createFairGate } from '../lib/fair-gate.ts'

/** What a recording says of itself; the duration in seconds. */
export type Recording = { codec: string | null; duration: number | null }
export type RecordingReader = {
  /** Rejects for a file that cannot be read as a recording, or not within ten seconds. */
  read(projectId: string, path: string): Promise<Recording>
  close(): Promise<void>
}

const READ_MS = 10_000
const WAIT_MS = 60_000
const MAX_WAITING = 500
/** A thread without work ends: it holds about 20 MB. */
const IDLE_MS = 60_000
const HEAP_MB = 96

/**
 * Reads recordings with a parser of dozens of formats, in a thread with limited time and memory: a hostile file holds up
 * neither the server nor, for long, the files of other Projects.
 */
export function createRecordingReader(clock: Clock): RecordingReader {
  const gate = createFairGate({ clock, max: 1, maxWaiting: MAX_WAITING, timeoutMs: WAIT_MS })
  let thread: Worker | null = null
  let idle: Timer | null = null

  function start(): Worker {
    const started = new Worker(new URL('./recording-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 8 },
      execArgv: [],
    })
    // An idle thread keeps no process alive, and its failure ends none.
    started.unref()
    started.on('error', () => {})
    started.once('exit', () => {
      if (thread === started) thread = null
    })
    return started
  }

  async function stop(): Promise<void> {
    idle?.cancel()
    const ending = thread
    thread = null
    await ending?.terminate()
  }

  function readNow(path: string): Promise<Recording> {
    idle?.cancel()
    const reader = (thread ??= start())
    const { promise, resolve, reject } = Promise.withResolvers<Recording>()
    const fail = (why: string) => {
      reject(new Error(why))
      void stop()
    }
    const timer = clock.after(READ_MS, () => fail(`not read within ${READ_MS} ms`))
    const onMessage = (answer: Recording | string) =>
      typeof answer === 'string' ? reject(new Error(answer)) : resolve(answer)
    const onEnd = (end: unknown) => fail(`the thread ended: ${String(end)}`)
    reader.once('message', onMessage)
    reader.once('error', onEnd)
    reader.once('exit', onEnd)
    reader.postMessage(path)
    return promise.finally(() => {
      timer.cancel()
      reader.off('message', onMessage)
      reader.off('error', onEnd)
      reader.off('exit', onEnd)
      idle = clock.after(IDLE_MS, () => void stop())
    })
  }

  return { read: (projectId, path) => gate(projectId, () => readNow(path)), close: stop }
}
