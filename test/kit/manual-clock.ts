import type { Clock } from '../../src/kernel/clock.ts'

export type ManualClock = Clock & {
  /** Moves time and fires what has become due, in order. What is re-armed meanwhile counts from the new time. */
  jump(ms: number): void
}

/** A Friday noon in São Paulo. */
export const START = Date.parse('2026-11-20T15:00:00.000Z')

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
