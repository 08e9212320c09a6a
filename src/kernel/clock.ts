import { uptime } from 'node:os'

/** A scheduled call. */
export type Timer = { cancel(): void }

/** The only source of time. Tests pass a clock they advance manually; no other code reads the system clock. */
export type Clock = {
  /** Wall time in milliseconds since the Unix epoch. In production it follows the database clock. */
  now(): number
  /** Milliseconds on a monotonic clock, for measuring durations. */
  monotonic(): number
  /** Calls `fn` once, `ms` milliseconds from now. */
  after(ms: number, fn: () => void): Timer
  /**
   * Corrects wall time towards the database time, so that all nodes share one clock. `floor` is the latest time any
   * node has recorded: a newly started clock does not start before it.
   */
  follow(databaseNow: number, floor?: number): void
}

/** The system clocks that a following clock reads, all in milliseconds. */
export type TimeSource = {
  /** Milliseconds since the process started. Never jumps, but may stop while the machine sleeps. */
  monotonic(): number
  /** Milliseconds since the machine booted, including sleep. */
  uptime(): number
  /** Milliseconds since the Unix epoch. */
  wall(): number
}

/** Differences to the database clock up to this size are corrected in one step. */
const MAX_STEP_MS = 1000
/** The relative change of speed by which larger differences are corrected. */
const SLEW_RATE = 0.1
/** A floor further ahead than this is ignored: it was recorded by a node whose clock was badly wrong. */
const MAX_FLOOR_AHEAD_MS = 24 * 3600_000

/**
 * A wall clock that follows the database clock without jumping. Due times are compared with it: if the database clock
 * were set back an hour, jumping would freeze every message due within that hour; if it were set forward, jumping would
 * expire them all at once. Differences of more than a second are therefore corrected by running 10 % faster or slower.
 * Only time that the machine has slept is caught up immediately.
 */
export function createFollowingClock(
  source: TimeSource,
): Pick<Clock, 'now' | 'monotonic' | 'follow'> {
  /** The wall time at a reading of the monotonic clock. */
  let base = { at: source.monotonic(), time: source.wall() }
  /** Wall milliseconds per monotonic millisecond since `base`. */
  let rate = 1
  let sleptBefore = source.uptime() - source.monotonic()
  let following = false
  const now = () => base.time + (source.monotonic() - base.at) * rate
  function set(time: number, newRate: number): void {
    base = { at: source.monotonic(), time }
    rate = newRate
  }
  return {
    now: () => Math.floor(now()),
    monotonic: source.monotonic,
    follow(databaseNow, floor = 0) {
      const slept = source.uptime() - source.monotonic()
      const awoke = slept - sleptBefore > MAX_STEP_MS ? slept - sleptBefore : 0
      sleptBefore = slept
      const current = now() + awoke
      const ahead = current - databaseNow
      if (!following) {
        following = true
        set(
          floor - databaseNow < MAX_FLOOR_AHEAD_MS ? Math.max(databaseNow, floor) : databaseNow,
          1,
        )
      } else if (ahead < -MAX_STEP_MS) set(current, 1 + SLEW_RATE)
      else if (ahead > MAX_STEP_MS) set(current, 1 - SLEW_RATE)
      // Jumping forward is safe; a clock that is slightly ahead slows down instead, so that it never goes backwards.
      else if (ahead <= 0) set(databaseNow, 1)
      else set(current, 1 - (SLEW_RATE * ahead) / MAX_STEP_MS)
    },
  }
}

/**
 * The system clock, corrected towards the database clock once `follow` is called. Pending timers keep the process
 * alive.
 */
export function createSystemClock(): Clock {
  return {
    ...createFollowingClock({
      monotonic: () => performance.now(),
      uptime: () => uptime() * 1000,
      wall: () => Date.now(),
    }),
    after(ms, fn) {
      const handle = setTimeout(fn, ms)
      return { cancel: () => clearTimeout(handle) }
    },
  }
}

/** Resolves after `ms` milliseconds on the given clock. */
export function delay(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}

/** Yields the CPU for `ms` milliseconds of real time, even in tests. Not for deadlines. */
export function yieldCpu(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

/** Milliseconds of rest for each millisecond of work. */
const REST_SHARE = 2
const MAX_REST_MS = 20

/**
 * Rests after a slice of long work that began at this `performance.now()`, for twice as long as it took and at most
 * `MAX_REST_MS`: one such work then uses about a third of the event loop's time, and other requests run in between.
 */
export function restAfter(startedAt: number): Promise<void> {
  return yieldCpu(Math.min(MAX_REST_MS, REST_SHARE * (performance.now() - startedAt)))
}
