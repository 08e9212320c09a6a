import { delay, type Clock } from './clock.ts'

const AGAIN_MS = 1000

/** Does it again and again until it has succeeded, or nobody wants it any more. */
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
