import type { Clock } from './clock.ts'

type Bucket = { left: number; at: number }
const MAX_KEYS = 10_000

/**
 * A token bucket per key: `burst` units at once, then `perSecond` units per second. `take` returns the milliseconds to
 * wait before the work, or null, taking nothing, when the wait would exceed `maxWaitMs`.
 */
export function createTokenBuckets(options: {
  clock: Clock
  perSecond: number
  burst: number
  maxWaitMs: number
}): { take(key: string, amount: number): number | null } {
  const { clock, perSecond, burst, maxWaitMs } = options
  const buckets = new Map<string, Bucket>()

  return {
    take(key, amount) {
      const now = clock.monotonic()
      const { left, at } = buckets.get(key) ?? { left: burst, at: now }
      const filled = Math.min(burst, left + ((now - at) / 1000) * perSecond) - amount
      const waitMs = Math.max(0, (-filled / perSecond) * 1000)
      if (waitMs > maxWaitMs) return null
      if (!buckets.has(key) && buckets.size >= MAX_KEYS) buckets.clear()
      buckets.set(key, { left: filled, at: now })
      return waitMs
    },
  }
}
