import { uptime } from 'node:os'

/** A pending call that can be called off. */
export type Timer = { cancel(): void }

/** The only source of time. Tests pass one that they move by hand; nothing else reads the machine's clock. */
export type Clock = {
  /** Wall time, in milliseconds since 1970. In production it follows the database's clock. */
  now(): number
  /** Milliseconds that never jump, for measuring durations. */
  monotonic(): number
  /** Calls `fn` once, `ms` from now. */
  after(ms: number, fn: () => void): Timer
  /**
   * Moves wall time towards what the database says, so that one clock rules all nodes. `floor` is the latest time that any node
   * has noted: a clock that starts does so no earlier.
   */
  follow(databaseNow: number, floor?: number): void
}

/** Where a clock takes the time from. */
export type TimeSource = {
  /** Milliseconds since the process began; never jumps, and may stand still while the machine sleeps. */
  monotonic(): number
  /** Milliseconds since the machine began, its sleep included. */
  uptime(): number
  wall(): number
}

/** A difference to the database up to this is corrected at once. */
const AT_ONCE_MS = 1000
/** By so much the clock runs faster or slower until a larger one is gone. */
const CORRECTION = 0.1
/** A floor further ahead was noted by a clock that was wrong beyond repair. */
const HIGHEST_FLOOR_MS = 24 * 3600_000

/**
 * A clock that never jumps. What is due is compared with it: set back an hour, the database's clock would freeze every message that waits
 * for that hour; set forward, it would let all of them run out of time at once. So beyond a second it is followed by running 10 %
 * faster or slower. Only the time that the machine has slept is made up for at once.
 */
export function createFollowingClock(
  source: TimeSource,
): Pick<Clock, 'now' | 'monotonic' | 'follow'> {
  /** The time at a point of the monotonic clock, and how fast it runs from there. */
  let base = { at: source.monotonic(), time: source.wall() }
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
      const awoke = slept - sleptBefore > AT_ONCE_MS ? slept - sleptBefore : 0
      sleptBefore = slept
      const current = now() + awoke
      const ahead = current - databaseNow
      if (!following) {
        following = true
        set(floor - databaseNow < HIGHEST_FLOOR_MS ? Math.max(databaseNow, floor) : databaseNow, 1)
      } else if (ahead < -AT_ONCE_MS) set(current, 1 + CORRECTION)
      else if (ahead > AT_ONCE_MS) set(current, 1 - CORRECTION)
      // Forward at once; a little ahead, time goes a little slower, so that it never goes back.
      else if (ahead <= 0) set(databaseNow, 1)
      else set(current, 1 - (CORRECTION * ahead) / AT_ONCE_MS)
    },
  }
}

/** The machine's clock, corrected towards the database's once `follow` is called. Its timers do not keep the process alive. */
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

/** Resolves `ms` from now on the given clock. */
export function delay(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}

/** Leaves the machine to others for a while. Real time, also in tests: never for a deadline. */
export function rest(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
