import type { Clock } from '../../src/kernel/clock.ts'

/** A clock that stands still until a test advances it. */
export type ManualClock = Clock & {
  /** Advances time and fires due timers in order. Timers set while firing count from the new time. */
  jump(ms: number): void
}

/** Noon on a Friday in São Paulo. */
export const START = Date.parse('2026-11-20T15:00:00.000Z')

/** Creates a manual clock set to `START`. */
export function createManualClock(): ManualClock {
  let now = START
  const timers = new Set<{ dueAt: number; fn: () => void }>()
  return {
    now: () => now,
    monotonic: () => now - START,
    after(ms, fn) {
      const timer = { dueAt: now + ms, fn }
      timers.add(timer)
      return { cancel: () => void timers.delete(timer) }
    },
    follow: () => {},
    jump(ms) {
      now += ms
      const due = [...timers].filter((timer) => timer.dueAt <= now)
      for (const timer of due.toSorted((a, b) => a.dueAt - b.dueAt)) {
        if (timers.delete(timer)) timer.fn()
      }
    },
  }
}
