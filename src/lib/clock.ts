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
  /** Moves wall time to what the database says, so that one clock rules all nodes. */
  follow(databaseNow: number): void
}

/** The machine's clock, corrected by what `follow` was told. Its timers do not keep the process alive. */
export function createSystemClock(): Clock {
  let offset = 0
  return {
    now: () => Date.now() + offset,
    monotonic: () => performance.now(),
    after(ms, fn) {
      const handle = setTimeout(fn, ms)
      return { cancel: () => clearTimeout(handle) }
    },
    follow(databaseNow) {
      offset = databaseNow - Date.now()
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
