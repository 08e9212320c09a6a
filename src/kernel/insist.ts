import { delay, type Clock } from './clock.ts'

const AGAIN_MS = 1000

/** Retries `work` every second until it succeeds or `over` returns true. Failures go to `onError`. */
export async function insist(
  deps: { clock: Clock; over: () => boolean; onError: (error: unknown) => void },
  work: () => Promise<void>,
): Promise<void> {
  while (!deps.over()) {
    try {
      return await work()
    } catch (error) {
      deps.onError(error)
      await delay(deps.clock, AGAIN_MS)
    }
  }
}
