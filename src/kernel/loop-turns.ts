/** Hands out the turns of the event loop; see `createLoopTurns`. */
export type LoopTurns = {
  /** Resolves in a later turn of the event loop. */
  next(key: string): Promise<void>
}

/**
 * Divides CPU-bound work among its keys: each piece waits for its turn, and at most `perTurn` pieces start in one turn of
 * the event loop, one of each key after the other. However many callers there are, everything else runs in between.
 */
export function createLoopTurns(perTurn: number): LoopTurns {
  /** What waits, by key; the next key first. */
  const queues = new Map<string, (() => void)[]>()
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      for (let left = perTurn; left > 0; left--) {
        const [first] = queues
        if (!first) return
        const [key, queue] = first
        queues.delete(key)
        queue.shift()?.()
        if (queue.length > 0) queues.set(key, queue)
      }
      if (queues.size > 0) schedule()
    })
  }

  return {
    next: (key) =>
      new Promise((resolve) => {
        const queue = queues.get(key)
        if (queue) queue.push(resolve)
        else queues.set(key, [resolve])
        schedule()
      }),
  }
}
