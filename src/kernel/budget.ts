import type { Clock } from './clock.ts'

/** The attempt's time is used up. */
class BudgetSpent extends Error {
  readonly code = 'BUDGET_SPENT'
  constructor() {
    super('time budget spent')
  }
}

/** The time that a whole attempt may take, however many requests it makes. */
export type Budget = {
  /** Calls `abort` when the time is used up; one request at a time. */
  watch(abort: (reason: Error) => void): void
  end(): void
}

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
