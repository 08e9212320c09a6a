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

  function countOf(subject: string): Count {
    const now = clock.now()
    const known = counts.get(subject)
    if (known && (known.windowEndsAt > now || known.inFlight > 0)) {
      if (known.windowEndsAt <= now)
        Object.assign(known, { failures: 0, windowEndsAt: now + windowMs })
      return known
    }
    const fresh = { failures: 0, inFlight: 0, windowEndsAt: now + windowMs }
    if (counts.size >= MAX_SUBJECTS) sweep(now)
    counts.set(subject, fresh)
    return fresh
  }

  /** Removes windows that have ended; if all are open, the oldest ones give way. */
  function sweep(now: number): void {
    for (const [subject, count] of counts) {
      if (count.windowEndsAt <= now && count.inFlight === 0) counts.delete(subject)
    }
    for (const subject of counts.keys()) {
      if (counts.size < MAX_SUBJECTS) break
      counts.delete(subject)
    }
  }

  return {
    /** Starts an attempt; for one that exceeds a limit, returns the seconds until its window ends. */
    start(limits: AttemptLimit[]): Attempt | { retryAfter: number } {
      const found = limits.map(({ subject, max }) => ({ count: countOf(subject), max }))
      const exceeded = found.filter(({ count, max }) => count.failures + count.inFlight >= max)
      if (exceeded.length > 0) {
        const endsAt = Math.max(...exceeded.map(({ count }) => count.windowEndsAt))
        return { retryAfter: Math.max(1, Math.ceil((endsAt - clock.now()) / 1000)) }
      }
      for (const { count } of found) count.inFlight++
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
