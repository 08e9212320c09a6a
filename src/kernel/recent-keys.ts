import type { Clock } from './clock.ts'

/** Keys that were added recently. */
export type RecentKeys = {
  add(key: string): void
  /** The number of distinct keys that were added within the period, at least one. */
  count(): number
}

/** Creates a counter of the distinct keys that were added within the last `ms`. */
export function createRecentKeys(clock: Clock, ms: number): RecentKeys {
  /** The time of each key, the oldest first. */
  const seenAt = new Map<string, number>()
  return {
    add(key) {
      seenAt.delete(key)
      seenAt.set(key, clock.monotonic())
    },
    count() {
      const since = clock.monotonic() - ms
      for (const [key, at] of seenAt) {
        if (at >= since) break
        seenAt.delete(key)
      }
      return Math.max(1, seenAt.size)
    },
  }
}
