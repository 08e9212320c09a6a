import { isIPv6 } from 'node:net'
import type { Clock } from './clock.ts'

/** A subject (an account, an address) and how many failures it may have within the window. */
export type AttemptLimit = { subject: string; max: number }

export type Attempt = {
  /** Ends the attempt without counting it. */
  succeed(): void
  /** Ends the attempt and counts it against its subjects. */
  fail(): void
}

type Count = { failures: number; inFlight: number; windowEndsAt: number }

const MAX_SUBJECTS = 100_000

/**
 * Limits failed attempts per subject in fixed windows, in the memory of this process: a check costs no statement and takes no
 * lock. An attempt counts as failed while it is under way, so that attempts at once cannot pass together.
 */
export function createAttemptLimiter(options: { clock: Clock; windowMs: number }) {
  const { clock, windowMs } = options
  const counts = new Map<string, Count>()

  /** The count of a subject in its current window; it is stored only once an attempt starts. */
  function countOf(subject: string): Count {
    const now = clock.now()
    const known = counts.get(subject)
    if (!known) return { failures: 0, inFlight: 0, windowEndsAt: now + windowMs }
    if (known.windowEndsAt <= now) {
      Object.assign(known, { failures: 0, windowEndsAt: now + windowMs })
    }
    return known
  }

  /** Stores a count behind the others, so that the one that has been idle for longest comes first. */
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
    /** Starts an attempt; for one that exceeds a limit, returns the seconds until its window ends. */
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
    size: () => counts.size,
  }
}

/** What an address counts as in a limit: an IPv4 address itself, of an IPv6 address its /64, which one customer has. */
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
