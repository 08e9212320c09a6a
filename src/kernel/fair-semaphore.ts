import type { Clock } from './clock.ts'

/** Thrown for work that a gate rejects because its queue is full or the work has waited too long. */
export class SemaphoreTimeout extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'SemaphoreTimeout'
  }
}

/** Runs `work` once the gate admits it, and settles as it does. Throws SemaphoreTimeout. */
export type FairSemaphore = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * A semaphore that limits concurrency to `max` in total and `maxPerKey` per key, and serves waiting keys round-robin: a
 * key with a long queue delays others by one piece of work, and a key whose work hangs leaves slots for them. Work is
 * rejected with SemaphoreTimeout when `maxWaiting` pieces are queued, `maxWaitingPerKey` of its key, or when it does not start within `timeoutMs`.
 */
export function createFairSemaphore(options: {
  clock: Clock
  max: number
  /** Defaults to `max`. */
  maxPerKey?: number
  maxWaiting: number
  /** Maximum pieces of work of one key that wait, so that one key cannot fill the queue; defaults to `maxWaiting`. */
  maxWaitingPerKey?: number
  timeoutMs: number
}): FairSemaphore {
  const { clock, max, maxPerKey = max, maxWaiting, timeoutMs } = options
  const { maxWaitingPerKey = maxWaiting } = options
  const lanes = new Map<string, Set<() => void>>()
  const runningOf = new Map<string, number>()
  let running = 0
  let waiting = 0

  function leave(key: string, start: () => void): void {
    const lane = lanes.get(key)
    if (!lane?.delete(start)) return
    waiting--
    if (lane.size === 0) lanes.delete(key)
  }

  const mayRun = (key: string) => running < max && (runningOf.get(key) ?? 0) < maxPerKey

  function count(key: string, change: 1 | -1): void {
    running += change
    const left = (runningOf.get(key) ?? 0) + change
    if (left > 0) runningOf.set(key, left)
    else runningOf.delete(key)
  }

  function startNext(): void {
    for (const [key, lane] of lanes) {
      const [start] = lane
      if (!start || !mayRun(key)) continue
      // Move the key behind all others.
      lanes.delete(key)
      lanes.set(key, lane)
      leave(key, start)
      count(key, 1)
      start()
      return
    }
  }

  function waitInLane(key: string): Promise<void> {
    if (waiting >= maxWaiting || (lanes.get(key)?.size ?? 0) >= maxWaitingPerKey)
      throw new SemaphoreTimeout(`gate queue is full (${waiting} waiting, key ${key})`)
    return new Promise((resolve, reject) => {
      const start = () => {
        timer.cancel()
        resolve()
      }
      const timer = clock.after(timeoutMs, () => {
        leave(key, start)
        reject(new SemaphoreTimeout(`gate timed out after ${timeoutMs} ms (key ${key})`))
      })
      waiting++
      const lane = lanes.get(key)
      if (lane) lane.add(start)
      else lanes.set(key, new Set([start]))
    })
  }

  return async (key, work) => {
    if (mayRun(key)) count(key, 1)
    else await waitInLane(key)
    try {
      return await work()
    } finally {
      count(key, -1)
      startNext()
    }
  }
}
