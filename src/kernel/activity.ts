/** Counts the work in progress, so that a stop can wait for it and a test can wait for quiet. */
export type Activity = {
  /** Runs `work` and counts it until it ends. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when nothing is in progress. */
  idle(): Promise<void>
  busy(): number
}

export function createActivity(): Activity {
  let count = 0
  let waiting: (() => void)[] = []
  const settle = () => {
    // Work that has just ended often starts more in the same turn: look again after it.
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
        if (--count === 0) settle()
      }
    },
    idle: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        if (count === 0) settle()
      }),
    busy: () => count,
  }
}
