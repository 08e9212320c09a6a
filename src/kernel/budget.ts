import type { Clock } from './clock.ts'

class BudgetSpent extends Error {
  readonly code = 'BUDGET_SPENT'
  constructor() {
    super('time budget exceeded')
  }
}

/** A time limit for a whole attempt, shared by all of its requests. */
export type Budget = {
  /**
   * Sets the callback that aborts the current request when time runs out, replacing the previous one. Calls it
   * immediately if the time is already up.
   */
  watch(abort: (reason: Error) => void): void
  /** Cancels the timer; the callback will not be called any more. */
  end(): void
}

/** Starts a time budget of `ms` milliseconds. The error passed to `abort` has the code `BUDGET_SPENT`. */
export function startBudget(clock: Clock, ms: number): Budget {
  let abort: ((reason: Error) => void) | null = null
  let spent = false
  const timer = clock.after(ms, () => {
    spent = true
    abort?.(new BudgetSpent())
  })
  return {
    watch(next) {
      abort = next
      if (spent) next(new BudgetSpent())
    },
    end() {
      abort = null
      timer.cancel()
    },
  }
}
