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

/**
 * An attempt that would exceed a limit, with the seconds until it may be repeated. If attempts in progress may still
 * succeed, `whenOneEnds` resolves when one has ended.
 */
export type RejectedAttempt = { retryAfter: number; whenOneEnds: (() => Promise<void>) | null }

type Count = {
  failures: number
  inFlight: number
  windowEndsAt: number
  isExhausted: boolean
  /** Resumed when an attempt in progress ends. */
  waiting: (() => void)[]
}

/** Subjects with attempts left; beyond that, those idle longest are forgotten. */
const MAX_SUBJECTS = 100_000
/** Subjects without attempts left, which are remembered until their window ends. */
const MAX_EXHAUSTED = 100_000

/**
 * Limits failed attempts per subject in fixed windows, in this process's memory: a check needs neither a query nor a
 * lock. An attempt in progress counts as a failure until it ends, so that concurrent attempts cannot exceed the limit
 * together.
 */
export function createAttemptLimiter(options: { clock: Clock; windowMs: number }) {
  const { clock, windowMs } = options
  const counts = new Map<string, Count>()
  const exhausted = new Map<string, Count>()

  /** The count of a subject in its current window. It is stored only once an attempt starts. */
  function countOf(subject: string): Count {
    const now = clock.now()
    const known = exhausted.get(subject) ?? counts.get(subject)
    if (!known)
      return {
        failures: 0,
        inFlight: 0,
        windowEndsAt: now + windowMs,
        isExhausted: false,
        waiting: [],
      }
    if (known.windowEndsAt <= now) {
      Object.assign(known, { failures: 0, windowEndsAt: now + windowMs, isExhausted: false })
    }
    return known
  }

  /**
   * Moves a count to the end of its map, so that iteration starts with the count that has been idle longest. Counts of
   * exhausted subjects have a map of their own: a flood of other subjects does not push them out.
   */
  function store(subject: string, count: Count): void {
    counts.delete(subject)
    exhausted.delete(subject)
    const map = count.isExhausted ? exhausted : counts
    map.set(subject, count)
    evict(counts, MAX_SUBJECTS)
    evict(exhausted, MAX_EXHAUSTED)
  }

  function evict(map: Map<string, Count>, max: number): void {
    const now = clock.now()
    for (const [oldest, { windowEndsAt, inFlight }] of map) {
      const over = windowEndsAt <= now && inFlight === 0
      if (!over && map.size <= max) break
      map.delete(oldest)
    }
  }

  return {
    /** Whether a subject has no attempt left in its current window. */
    isExhausted({ subject, max }: AttemptLimit): boolean {
      const { failures, inFlight } = countOf(subject)
      return failures + inFlight >= max
    },

    /** Starts an attempt, or rejects it if it would exceed a limit. */
    start(limits: AttemptLimit[]): Attempt | RejectedAttempt {
      const found = limits.map(({ subject, max }) => ({ subject, count: countOf(subject), max }))
      const exceeded = found.filter(({ count, max }) => count.failures + count.inFlight >= max)
      const [first] = exceeded
      if (first) {
        if (exceeded.every(({ count, max }) => count.failures < max)) {
          const { waiting } = first.count
          return { retryAfter: 1, whenOneEnds: () => new Promise((go) => waiting.push(go)) }
        }
        const endsAt = Math.max(...exceeded.map(({ count }) => count.windowEndsAt))
        const retryAfter = Math.max(1, Math.ceil((endsAt - clock.now()) / 1000))
        return { retryAfter, whenOneEnds: null }
      }
      for (const { subject, count } of found) {
        count.inFlight++
        store(subject, count)
      }
      let ended = false
      const end = (failures: number) => {
        if (ended) return
        ended = true
        for (const { subject, count, max } of found) {
          count.inFlight--
          count.failures += failures
          for (const resume of count.waiting.splice(0)) resume()
          if (count.failures < max || count.isExhausted) continue
          count.isExhausted = true
          store(subject, count)
        }
      }
      return { succeed: () => end(0), fail: () => end(1) }
    },
    /** The number of subjects in memory. */
    size: () => counts.size + exhausted.size,
  }
}

/** The IPv6 site (/48) of an address, which a single customer may be assigned; its network for IPv4. */
export function siteOf(address: string): string {
  const network = networkOf(address)
  return network.endsWith('::/64') ? `${network.split(':').slice(0, 3).join(':')}::/48` : network
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
