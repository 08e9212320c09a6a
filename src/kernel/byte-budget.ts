import type { Clock } from './clock.ts'

/** The budget was not free in time. */
export class BudgetExhausted extends Error {
  constructor(bytes: number) {
    super(`no room for ${bytes} bytes in time`)
    this.name = 'BudgetExhausted'
  }
}

type Waiting = { key: string; bytes: number; start: () => void }

/**
 * Limits the bytes held at once, in all and per key. What does not fit waits, in order, for `timeoutMs` at most; one key's
 * waiting work delays no other key that fits.
 */
export function createByteBudget(options: {
  clock: Clock
  total: number
  perKey: number
  timeoutMs: number
  maxWaiting: number
}) {
  const { clock, total, perKey, timeoutMs, maxWaiting } = options
  const held = new Map<string, number>()
  const queue = new Set<Waiting>()
  let sum = 0

  const fits = ({ key, bytes }: Waiting) =>
    sum + bytes <= total && (held.get(key) ?? 0) + bytes <= perKey

  function reserve({ key, bytes }: Waiting): void {
    sum += bytes
    held.set(key, (held.get(key) ?? 0) + bytes)
  }

  function release({ key, bytes }: Waiting): void {
    sum -= bytes
    const rest = (held.get(key) ?? 0) - bytes
    if (rest > 0) held.set(key, rest)
    else held.delete(key)
    for (const waiting of queue) if (fits(waiting)) waiting.start()
  }

  return {
    /** Reserves bytes; resolves with their release. Throws BudgetExhausted. */
    async take(key: string, bytes: number): Promise<() => void> {
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
    held: () => sum,
  }
}
