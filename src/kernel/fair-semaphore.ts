import type { Clock } from './clock.ts'

/** Thrown for work that is rejected because the queue is full or the work has waited too long. */
export class SemaphoreTimeout extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'SemaphoreTimeout'
  }
}

/** Runs `work` once it has a slot, and settles with its outcome. Throws SemaphoreTimeout. */
export type FairSemaphore = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Work that waits for a slot. */
type Waiting = { start: () => void; refuse: (error: SemaphoreTimeout) => void }

/**
 * A semaphore that limits concurrency to `max` in total and `maxPerKey` per key, and serves waiting keys round-robin: a
 * key with a long queue delays others by one piece of work, and a key whose work hangs leaves slots for them. A full
 * queue rejects the newest work of the key with the longest queue, so that no key can fill it. Other work is
 * rejected with SemaphoreTimeout when `maxWaitingPerKey` pieces of its key wait, or when it does not start within
 * `timeoutMs`.
 */
export function createFairSemaphore(options: {
  clock: Clock
  max: number
  /**
   * Less than `max` (unless `max` is 1), so that hanging work of one key leaves slots for other keys. A function is asked
   * each time.
   */
  maxPerKey: number | (() => number)
  maxWaiting: number
  /** Maximum queue length per key; defaults to `maxWaiting`. */
  maxWaitingPerKey?: number
  timeoutMs: number
}): FairSemaphore {
  const { clock, max, maxPerKey, maxWaiting, timeoutMs } = options
  const { maxWaitingPerKey = maxWaiting } = options
  const lanes = new Map<string, Set<Waiting>>()
  const runningOf = new Map<string, number>()
  let running = 0
  let waiting = 0

  function leave(key: string, one: Waiting): void {
    const lane = lanes.get(key)
    if (!lane?.delete(one)) return
    waiting--
    if (lane.size === 0) lanes.delete(key)
  }

  const mayRun = (key: string) =>
    running < max &&
    (runningOf.get(key) ?? 0) < (typeof maxPerKey === 'number' ? maxPerKey : maxPerKey())

  function count(key: string, change: 1 | -1): void {
    running += change
    const left = (runningOf.get(key) ?? 0) + change
    if (left > 0) runningOf.set(key, left)
    else runningOf.delete(key)
  }

  /** Starts the waiting work of one key, moving the key behind all others; returns false if none may run. */
  function startOne(): boolean {
    for (const [key, lane] of lanes) {
      const [first] = lane
      if (!first || !mayRun(key)) continue
      lanes.delete(key)
      lanes.set(key, lane)
      leave(key, first)
      count(key, 1)
      first.start()
      return true
    }
    return false
  }
  /** Several pieces of work may start at once, because `maxPerKey` may have grown. */
  function startNext(): void {
    while (running < max && startOne());
  }

  const full = (key: string) =>
    new SemaphoreTimeout(`gate queue is full (${waiting} waiting, key ${key})`)

  /** Makes room in the queue by rejecting work of a key with a longer queue; returns whether it did. */
  function makeRoom(key: string): boolean {
    let longest: [key: string, lane: Set<Waiting>] | null = null
    for (const entry of lanes) if (entry[1].size > (longest?.[1].size ?? 0)) longest = entry
    // With a difference of one, the two keys would keep evicting each other.
    if (!longest || longest[1].size < (lanes.get(key)?.size ?? 0) + 2) return false
    const [crowded, lane] = longest
    const newest = [...lane].at(-1)
    if (!newest) return false
    leave(crowded, newest)
    newest.refuse(full(crowded))
    return true
  }

  function waitInLane(key: string): Promise<void> {
    if ((lanes.get(key)?.size ?? 0) >= maxWaitingPerKey) throw full(key)
    if (waiting >= maxWaiting && !makeRoom(key)) throw full(key)
    return new Promise((resolve, reject) => {
      const one: Waiting = {
        start() {
          timer.cancel()
          resolve()
        },
        refuse(error) {
          timer.cancel()
          reject(error)
        },
      }
      const timer = clock.after(timeoutMs, () => {
        leave(key, one)
        reject(new SemaphoreTimeout(`gate timed out after ${timeoutMs} ms (key ${key})`))
      })
      waiting++
      const lane = lanes.get(key)
      if (lane) lane.add(one)
      else lanes.set(key, new Set([one]))
      startNext()
    })
  }

  return async (key, work) => {
    if (!lanes.has(key) && mayRun(key)) count(key, 1)
    else await waitInLane(key)
    try {
      return await work()
    } finally {
      count(key, -1)
      startNext()
    }
  }
}
