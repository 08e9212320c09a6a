/** Tracks pending work, so that shutdown can wait for it to finish and tests can wait until the process is idle. */
export type PendingWork = {
  /** Runs `work` and counts it as pending until it settles. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when no work is pending. */
  idle(): Promise<void>
  /** The number of pending calls. */
  busy(): number
}

/** Creates a tracker without pending work. */
export function createPendingWork(): PendingWork {
  let count = 0
  let waiting: (() => void)[] = []
  const resolveIdle = () => {
    // Work that has just finished often starts more in the same turn, so check again after it.
    setImmediate(() => {
      if (count > 0 || waiting.length === 0) return
      const resolved = waiting
      waiting = []
      for (const resolve of resolved) resolve()
    })
  }
  return {
    async run(work) {
      count++
      try {
        return await work()
      } finally {
        if (--count === 0) resolveIdle()
      }
    },
    idle: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        if (count === 0) resolveIdle()
      }),
    busy: () => count,
  }
}
