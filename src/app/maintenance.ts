import type { Db } from '../platform/db/sql.ts'
import type { Activity } from '../kernel/activity.ts'
import type { Clock } from '../kernel/clock.ts'
import { createLoop, type Loop } from '../kernel/loop.ts'

const EVERY_MS = 10 * 60_000
/** How long the other tasks wait for one; it goes on by itself and is not started again meanwhile. */
const TASK_TIMEOUT_MS = 60_000

/**
 * Runs every task once in ten minutes, one after the other. A task that fails or hangs keeps none of the others from
 * running; `onError` receives the failure and the task's name.
 */
export function startMaintenance(deps: {
  clock: Clock
  activity: Activity
  /** Passed to every task: sweeps of large tables take longer than a statement for a user may. */
  db: Db
  tasks: Record<string, (db: Db) => Promise<void>>
  onError: (error: unknown, task: string) => void
}): Loop {
  const { clock, activity, db, tasks, onError } = deps
  const running = new Set<string>()

  async function runOne(name: string, task: (db: Db) => Promise<void>): Promise<void> {
    running.add(name)
    try {
      await task(db)
    } catch (error) {
      onError(error, name)
    } finally {
      running.delete(name)
    }
  }

  /** Resolves when the task has ended, or has taken too long for the others to wait. */
  function within(name: string, task: (db: Db) => Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const timer = clock.after(TASK_TIMEOUT_MS, () => {
        onError(new Error(`still running after ${TASK_TIMEOUT_MS} ms`), name)
        resolve()
      })
      void runOne(name, task).then(() => {
        timer.cancel()
        resolve()
      })
    })
  }

  return createLoop({
    clock,
    activity,
    everyMs: () => EVERY_MS,
    onError: (error) => onError(error, 'loop'),
    async run() {
      for (const [name, task] of Object.entries(tasks)) {
        if (!running.has(name)) await within(name, task)
      }
      return false
    },
  })
}
