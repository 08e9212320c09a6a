/** More work waits at a gate than it lets wait. */
export class GateFull extends Error {
  constructor() {
    super('too much work is waiting')
    this.name = 'GateFull'
  }
}

/**
 * Limits concurrency to `max` and serves waiting keys round-robin: a key with much work delays the others by one piece of it.
 * Throws GateFull when `maxWaiting` pieces wait.
 */
export function createFairGate(options: { max: number; maxWaiting: number }) {
  const { max, maxWaiting } = options
  const lanes = new Map<string, (() => void)[]>()
  let running = 0
  let waiting = 0

  function next(): void {
    const [first] = lanes
    if (!first) {
      running--
      return
    }
    const [key, lane] = first
    const start = lane.shift()
    waiting--
    lanes.delete(key)
    // The key goes behind all others.
    if (lane.length > 0) lanes.set(key, lane)
    start?.()
  }

  return async function run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (running >= max) {
      if (waiting >= maxWaiting) throw new GateFull()
      waiting++
      const { promise, resolve } = Promise.withResolvers<void>()
      const lane = lanes.get(key)
      if (lane) lane.push(resolve)
      else lanes.set(key, [resolve])
      await promise
    } else running++
    try {
      return await work()
    } finally {
      next()
    }
  }
}
