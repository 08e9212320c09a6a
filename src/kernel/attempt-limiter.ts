import { isIPv6 } from 'node:net'
import type { Clock } from './clock.ts'

/** A subject (an account, an address) and the number of failures it may have within the window. */
export type AttemptLimit = { subject: string; max: number }

/** An attempt in progress. Its first `succeed` or `fail` ends it; later calls have no effect. */
export type Attempt = {
  /** Ends the attempt without counting it. */
  succeed(): void
  /** Ends the attempt and counts it against its subjects. */
  fail(): void
}

type Count = { failures: number; inFlight: number; windowEndsAt: number }

const MAX_SUBJECTS = 100_000

/**
 * Limits failed attempts per subject in fixed windows, in this process's memory: a check needs neither a query nor a
 * lock. An attempt in progress counts as a failure, so that concurrent attempts cannot exceed the limit together.
 */
export function createAttemptLimiter(options: { clock: Clock; windowMs: number }) {
  const { clock, windowMs } = options
  const counts = new Map<string, Count>()

  /** The count of a subject in its current window. It is stored only once an attempt starts. */
  function countOf(subject: string): Count {
    const now = clock.now()
    const known = counts.get(subject)
    if (!known) return { failures: 0, inFlight: 0, windowEndsAt: now + windowMs }
    if (known.windowEndsAt <= now) {
      Object.assign(known, { failures: 0, windowEndsAt: now + windowMs })
    }
    return known
  }

  /** Moves a count to the end of the map, so that iteration starts with the count that has been idle longest. */
  function store(subject: string, count: Count): void {
    counts.delete(subject)
    counts.set(subject, count)
    const now = clock.now()
    for (const [oldest, { windowEndsAt, inFlight }] of counts) {
      const over = windowEndsAt <= now && inFlight === 0
      if (!over && counts.size <= MAX_SUBJECTS) break
      counts.delete(oldest)
    }
  }

  return {
    /** Starts an attempt. If it would exceed a limit, returns the seconds until the window ends instead. */
    start(limits: AttemptLimit[]): Attempt | { retryAfter: number } {
      const found = limits.map(({ subject, max }) => ({ subject, count: countOf(subject), max }))
      const exceeded = found.filter(({ count, max }) => count.failures + count.inFlight >= max)
      if (exceeded.length > 0) {
        const endsAt = Math.max(...exceeded.map(({ count }) => count.windowEndsAt))
        return { retryAfter: Math.max(1, Math.ceil((endsAt - clock.now()) / 1000)) }
      }
      for (const { subject, count } of found) {
        count.inFlight++
        store(subject, count)
      }
      let ended = false
      const end = (failures: number) => {
        if (ended) return
        ended = true
        for (const { count } of found) {
          count.inFlight--
          count.failures += failures
        }
      }
      return { succeed: () => end(0), fail: () => end(1) }
    },
    /** The number of subjects in memory. */
    size: () => counts.size,
  }
}

/**
 * The key under which limits count an address: an IPv4 address itself, or the /64 of an IPv6 address, which is what a
 * single customer is usually assigned.
 */
export function networkOf(address: string): string {
  const bare = address.replace(/%.*$/, '').toLowerCase()
  const mapped = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1]
  if (mapped) return mapped
  if (!isIPv6(bare)) return bare
  const [head = '', tail] = bare.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':').length : 0
  if (tail !== undefined) while (groups.length + after < 8) groups.push('0')
  const prefix = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${prefix.join(':')}::/64`
}
