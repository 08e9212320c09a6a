/** Lets so many pieces of work run at once; the others wait their turn. */
export function createGate(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      // A place goes straight to the next one.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
