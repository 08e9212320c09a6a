import type { Activity } from './activity.ts'
import type { Clock, Timer } from './clock.ts'

export type Loop = {
  /** Runs soon; a wake during a run makes one more run follow. */
  wake(): void
  /** Lets the run in progress end and starts no other. */
  stop(): Promise<void>
}

/**
 * A worker's heart: runs at once when woken, and every `everyMs` in any case, so that a lost wake-up costs
 * seconds and never work. `run` answers true when it left work behind and wants to go on at once.
 */
export function createLoop(options: {
  clock: Clock
  activity: Activity
  everyMs: () => number
  run: () => Promise<boolean>
  onError: (error: unknown) => void
}): Loop {
  const { clock, activity, everyMs, run, onError } = options
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
      onError(error)
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
