import type { AttemptOutcome } from './attempt.ts'

/** The queue class of an endpoint; `slow` also covers failing endpoints. */
export type Lane = 'healthy' | 'slow'

/**
 * Health of an endpoint: `window` is its concurrency limit, `latencyMs` a moving average, and `failed` whether the last
 * attempt failed.
 */
export type Health = { window: number; latencyMs: number; failed: boolean }

const SLOW_LATENCY_MS = 2000
const LATENCY_WEIGHT = 0.2
const SLOW_START_THRESHOLD = 16
/** Upper limit of the window. */
export const MAX_WINDOW = 64
/** Statuses with which a receiver asks for less traffic. */
const BACKPRESSURE_STATUSES = new Set([429, 503])

/** Returns the health of an endpoint without attempts. */
export const newHealth = (): Health => ({ window: 1, latencyMs: 0, failed: false })

/**
 * Returns the lane of an endpoint. Slow and failing endpoints are queued apart, so that they cannot take the slots of
 * others.
 */
export function laneOf(health: Health): Lane {
  return health.failed || health.latencyMs > SLOW_LATENCY_MS ? 'slow' : 'healthy'
}

/**
 * Updates the health after an attempt. The window is an AIMD window with slow start: it starts at one, doubles with
 * each success up to 16, then grows by one per window of successes up to 64, and halves when the receiver pushes back
 * or does not respond (G51).
 */
export function updateWindow(health: Health, outcome: AttemptOutcome): void {
  const { success, statusCode, durationMs } = outcome
  health.latencyMs += (durationMs - health.latencyMs) * LATENCY_WEIGHT
  health.failed = !success
  const { window } = health
  if (success) {
    health.window =
      window < SLOW_START_THRESHOLD
        ? Math.min(SLOW_START_THRESHOLD, window * 2)
        : Math.min(MAX_WINDOW, window + 1 / window)
  } else if (statusCode === null || BACKPRESSURE_STATUSES.has(statusCode)) {
    health.window = Math.max(1, window / 2)
  }
}
