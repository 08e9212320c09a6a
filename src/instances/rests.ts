import type { Clock } from '../kernel/clock.ts'

const FIRST_MS = 1000
const LONGEST_MS = 60_000

/** Instances whose sessions could not be opened: each rests before it is tried again, twice as long every time. */
export function createRests(clock: Pick<Clock, 'monotonic'>) {
  const resting = new Map<string, { ms: number; until: number }>()
  return {
    failed(id: string): void {
      const ms = Math.min(LONGEST_MS, (resting.get(id)?.ms ?? FIRST_MS / 2) * 2)
      resting.set(id, { ms, until: clock.monotonic() + ms })
    },
    opened: (id: string) => void resting.delete(id),
    /** Those that are not to be tried yet. */
    ids(): string[] {
      const now = clock.monotonic()
      return [...resting].flatMap(([id, { until }]) => (until > now ? id : []))
    },
  }
}
