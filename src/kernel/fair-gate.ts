import type { Clock } from './clock.ts'

/** Too much work waits at a gate, or a piece of it has waited for too long. */
export class GateBusy extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'GateBusy'
  }
}

export type FairGate = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * Limits concurrency to `max`, for one key to `maxPerKey`, and serves waiting keys round-robin: a key with much work delays the
 * others by one piece of it, and one whose work hangs leaves room for them. Throws GateBusy when `maxWaiting` pieces wait, and for a piece that does not start within `timeoutMs`.
 */
export function createFairGate(options: {
  clock: Clock
  max: number
  /** `max` unless given. */
  maxPerKey?: number
  maxWaiting: number
  timeoutMs: number
}): FairGate {
  const { clock, max, maxPerKey = max, maxWaiting, timeoutMs } = options
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
      // The key goes behind all others.
      lanes.delete(key)
      lanes.set(key, lane)
      leave(key, start)
      count(key, 1)
      start()
      return
    }
  }

  function waitInLane(key: string): Promise<void> {
    if (waiting >= maxWaiting) throw new GateBusy(`${waiting} pieces of work wait`)
    return new Promise((resolve, reject) => {
      const start = () => {
        timer.cancel()
        resolve()
      }
      const timer = clock.after(timeoutMs, () => {
        leave(key, start)
        reject(new GateBusy(`waited for ${timeoutMs} ms`))
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
