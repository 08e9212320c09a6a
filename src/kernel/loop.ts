import type { PendingWork } from './pending-work.ts'
import type { Clock, Timer } from './clock.ts'

/** The run loop of a worker. */
export type Loop = {
  /** Runs as soon as possible; a wake-up during a run causes exactly one more run. */
  wake(): void
  /** Waits for the current run to finish and starts no other. */
  stop(): Promise<void>
}

/**
 * A worker's run loop: runs immediately when woken, and every `everyMs` milliseconds regardless, so that a lost wake-up
 * costs time and never work. `run` returns true when it left work behind and should run again immediately; its
 * failures go to `onError`.
 */
export function createLoop(options: {
  clock: Clock
  activity: PendingWork
  everyMs: () => number
  run: () => Promise<boolean>
  /** What it does, for the log of its failures. */
  task: string
  onError: (error: unknown, task: string) => void
}): Loop {
  const { clock, activity, everyMs, run, task, onError } = options
  let stopped = false
  let running: Promise<void> | null = null
  let again = false
  let timer: Timer | null = null

  async function turn(): Promise<void> {
    timer?.cancel()
    try {
      do {
        again = false
        again = (await run()) || again
      } while (again && !stopped)
    } catch (error) {
      again = false
      onError(error, task)
    }
    running = null
    if (!stopped) timer = clock.after(everyMs(), wake)
  }

  function wake(): void {
    if (stopped) return
    if (running) again = true
    else running = activity.run(turn)
  }

  timer = clock.after(everyMs(), wake)
  return {
    wake,
    async stop() {
      stopped = true
      timer?.cancel()
      await running
    },
  }
}
