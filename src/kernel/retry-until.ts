import { delay, type Clock } from './clock.ts'

const RETRY_INTERVAL_MS = 1000

/** Retries `work` every second until it succeeds or `over` returns true. Failures go to `onError`. */
export async function retryUntil(
  deps: {
    clock: Clock
    over: () => boolean
    /** What it retries, for the log. */
    task: string
    onError: (error: unknown, task: string) => void
  },
  work: () => Promise<void>,
): Promise<void> {
  while (!deps.over()) {
    try {
      return await work()
    } catch (error) {
      deps.onError(error, deps.task)
      await delay(deps.clock, RETRY_INTERVAL_MS)
    }
  }
}
