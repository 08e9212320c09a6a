import type { PendingWork } from '../kernel/pending-work.ts'
import type { Clock } from '../kernel/clock.ts'
import { createLoop, type Loop } from '../kernel/loop.ts'
import type { Db } from '../platform/db/sql.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'

/** Work that is repeated for as long as the server runs, such as deleting what has expired. */
export type MaintenanceTask = {
  name: string
  /** The time from one start to the next. */
  everyMs: number
  run: (db: Db) => Promise<void>
}

/** How long other tasks wait for a slow one. It then continues in the background, one run at a time. */
const TASK_TIMEOUT_MS = 60_000
const DURATION_BUCKETS_S = [0.01, 0.1, 1, 10, 60, 600]

/**
 * Runs each task every `everyMs`, the first time after that interval, and due tasks one after the other. A task that fails or
 * hangs delays the others by at most a minute; `onError` receives the failure and the task's name. Metrics count each
 * task's runs by outcome and measure how long they take.
 */
export function startMaintenance(deps: {
  clock: Clock
  activity: PendingWork
  /** Passed to every task: sweeps of large tables may take longer than statements of requests. */
  db: Db
  metrics: Metrics
  tasks: MaintenanceTask[]
  onError: (error: unknown, task: string) => void
}): Loop {
  const { clock, activity, db, metrics, tasks, onError } = deps
  const seconds = metrics.histogram(
    'maintenance_task_seconds',
    'Duration of the runs of maintenance tasks, by task and outcome',
    DURATION_BUCKETS_S,
    ['task', 'outcome'],
  )
  const running = new Set<string>()
  const dueAt = new Map(tasks.map(({ name, everyMs }) => [name, clock.monotonic() + everyMs]))
  const soonest = () => Math.min(...dueAt.values()) - clock.monotonic()

  async function runOne({ name, run }: MaintenanceTask): Promise<void> {
    const startedAt = clock.monotonic()
    const measure = (outcome: 'succeeded' | 'failed') =>
      seconds.labels(name, outcome).observe((clock.monotonic() - startedAt) / 1000)
    running.add(name)
    try {
      await run(db)
      measure('succeeded')
    } catch (error) {
      measure('failed')
      onError(error, name)
    } finally {
      running.delete(name)
    }
  }

  /** Resolves when the task has ended, or after the timeout. */
  function runWithin(task: MaintenanceTask): Promise<void> {
    return new Promise((resolve) => {
      const timer = clock.after(TASK_TIMEOUT_MS, () => {
        onError(new Error(`still running after ${TASK_TIMEOUT_MS} ms`), task.name)
        resolve()
      })
      void runOne(task).then(() => {
        timer.cancel()
        resolve()
      })
    })
  }

  let stopping = false
  const loop = createLoop({
    task: 'running maintenance',
    clock,
    activity,
    everyMs: () => Math.max(0, soonest()),
    onError,
    async run() {
      for (const task of tasks) {
        if (stopping) break
        if ((dueAt.get(task.name) ?? 0) > clock.monotonic()) continue
        dueAt.set(task.name, clock.monotonic() + task.everyMs)
        if (!running.has(task.name)) await runWithin(task)
      }
      return false
    },
  })
  return {
    ...loop,
    /** Stops after the task in progress: the others are due again at the next start. */
    stop(): Promise<void> {
      stopping = true
      return loop.stop()
    },
  }
}
