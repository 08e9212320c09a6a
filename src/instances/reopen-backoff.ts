import type { Clock } from '../kernel/clock.ts'

const INITIAL_MS = 1000
const MAX_MS = 60_000

/** Creates the exponential backoff, from 1 to 60 seconds, of instances whose session could not be opened. */
export function createReopenBackoff(clock: Pick<Clock, 'monotonic'>) {
  const resting = new Map<string, { ms: number; until: number }>()
  return {
    /** Doubles the backoff of an instance. */
    failed(id: string): void {
      const ms = Math.min(MAX_MS, (resting.get(id)?.ms ?? INITIAL_MS / 2) * 2)
      resting.set(id, { ms, until: clock.monotonic() + ms })
    },
    /** Resets the backoff of an instance. */
    opened: (id: string) => void resting.delete(id),
    /** Lists the instances that must not be retried yet. */
    ids(): string[] {
      const now = clock.monotonic()
      return [...resting].flatMap(([id, { until }]) => (until > now ? id : []))
    },
  }
}
