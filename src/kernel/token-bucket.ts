import { yieldCpu, type Clock } from './clock.ts'

type Bucket = { left: number; at: number }
/** Beyond that, the bucket that has been idle longest is forgotten. */
const MAX_KEYS = 100_000

/** How fast a bucket fills: up to `burst` units, by `perSecond` units per second. */
export type Rate = { perSecond: number; burst: number }

/** Token buckets by key; see `createTokenBuckets`. */
export type TokenBuckets = {
  /**
   * Takes units; returns the milliseconds to wait before the work, or null, taking nothing, if the wait would exceed
   * `maxWaitMs`.
   */
  take(key: string, amount: number, rate: Rate): number | null
  /** Returns how many units the bucket holds now. */
  left(key: string, rate: Rate): number
}

/** Creates a token bucket per key. A new bucket is full. */
export function createTokenBuckets(options: {
  clock: Pick<Clock, 'monotonic'>
  maxWaitMs: number
}): TokenBuckets {
  const { clock, maxWaitMs } = options
  const buckets = new Map<string, Bucket>()

  function left(key: string, { burst, perSecond }: Rate): number {
    const now = clock.monotonic()
    const bucket = buckets.get(key) ?? { left: burst, at: now }
    return Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * perSecond)
  }

  return {
    left,
    take(key, amount, rate) {
      const filled = left(key, rate) - amount
      const waitMs = Math.max(0, (-filled / rate.perSecond) * 1000)
      if (waitMs > maxWaitMs) return null
      buckets.delete(key)
      const [oldest] = buckets.size >= MAX_KEYS ? buckets.keys() : []
      if (oldest !== undefined) buckets.delete(oldest)
      buckets.set(key, { left: filled, at: clock.monotonic() })
      return waitMs
    },
  }
}

/** Longer than any key waits for its turn: callers limit how much of a key is in progress at once. */
const MAX_PAUSE_MS = 10_000

/**
 * Creates a function that pauses work which keeps the CPU busy, so that each key does `amount` of it at this rate. Pauses
 * take real time, even in tests: they leave the CPU to others and decide nothing.
 */
export function createCpuPace(rate: Rate): (key: string, amount: number) => Promise<void> {
  const clock = { monotonic: () => performance.now() }
  const buckets = createTokenBuckets({ clock, maxWaitMs: MAX_PAUSE_MS })
  return async (key, amount) => {
    const waitMs = buckets.take(key, amount, rate) ?? MAX_PAUSE_MS
    if (waitMs > 0) await yieldCpu(waitMs)
  }
}
