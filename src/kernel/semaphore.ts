/** A semaphore: limits concurrency to `limit`; excess calls queue in order. */
export function createSemaphore(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      // The slot passes directly to the next waiting call, so `running` does not change.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
