import type { Clock } from './clock.ts'

/**
 * Thrown when bytes cannot be reserved: not within the timeout, the queue is full, or more than the limit was
 * requested.
 */
export class BudgetExhausted extends Error {
  constructor(bytes: number) {
    super(`cannot reserve ${bytes} bytes: byte budget exhausted`)
    this.name = 'BudgetExhausted'
  }
}

type Waiting = { key: string; bytes: number; start: () => void }

/**
 * A semaphore over bytes, in total and per key. Requests that do not fit queue in order for up to `timeoutMs`, but a
 * blocked key does not delay requests of other keys that fit.
 */
export function createByteBudget(options: {
  clock: Clock
  /** Maximum bytes reserved at once. */
  total: number
  /** Maximum bytes reserved at once by one key. */
  perKey: number
  timeoutMs: number
  /** Maximum queue length; further requests are rejected immediately. */
  maxWaiting: number
}) {
  const { clock, total, perKey, timeoutMs, maxWaiting } = options
  const reservedBytes = new Map<string, number>()
  const queue = new Set<Waiting>()
  let sum = 0

  const fits = ({ key, bytes }: Waiting) =>
    sum + bytes <= total && (reservedBytes.get(key) ?? 0) + bytes <= perKey

  function reserve({ key, bytes }: Waiting): void {
    sum += bytes
    reservedBytes.set(key, (reservedBytes.get(key) ?? 0) + bytes)
  }

  function release({ key, bytes }: Waiting): void {
    sum -= bytes
    const rest = (reservedBytes.get(key) ?? 0) - bytes
    if (rest > 0) reservedBytes.set(key, rest)
    else reservedBytes.delete(key)
    for (const waiting of queue) if (fits(waiting)) waiting.start()
  }

  return {
    /** Reserves bytes and returns the function that releases them. Throws BudgetExhausted. */
    async acquire(key: string, bytes: number): Promise<() => void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const entry: Waiting = { key, bytes, start: resolve }
      if (fits(entry)) reserve(entry)
      else {
        if (queue.size >= maxWaiting || bytes > Math.min(total, perKey)) {
          throw new BudgetExhausted(bytes)
        }
        const timer = clock.after(timeoutMs, () => {
          queue.delete(entry)
          reject(new BudgetExhausted(bytes))
        })
        entry.start = () => {
          timer.cancel()
          queue.delete(entry)
          reserve(entry)
          resolve()
        }
        queue.add(entry)
        await promise
      }
      let released = false
      return () => {
        if (released) return
        released = true
        release(entry)
      }
    },
    /** The number of bytes reserved now. */
    held: () => sum,
  }
}
