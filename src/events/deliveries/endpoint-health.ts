import type { AttemptOutcome } from './attempt.ts'

export type Lane = 'healthy' | 'slow'

/** How an endpoint has been answering, and how much may be on the way to it at once. */
export type Health = { window: number; latencyMs: number; failed: boolean }

const SLOW_MS = 2000
const LATENCY_WEIGHT = 0.2
const QUICK_WINDOW = 16
export const WIDEST_WINDOW = 64
/** Answers by which a receiver asks for less. */
const PUSHES_BACK = new Set([429, 503])

export const newHealth = (): Health => ({ window: 1, latencyMs: 0, failed: false })

/** Endpoints that hang or fail wait among themselves, so that they cannot hold the places of the others. */
export function laneOf(health: Health): Lane {
  return health.failed || health.latencyMs > SLOW_MS ? 'slow' : 'healthy'
}

/**
 * Learns from an attempt. The window starts at one, doubles with each success to 16, then grows by one for each
 * window of successes to 64; it halves when the receiver pushes back or does not answer. Source: deliveries §1.9.
 */
export function learn(health: Health, outcome: AttemptOutcome): void {
  const { success, statusCode, durationMs } = outcome
  health.latencyMs += (durationMs - health.latencyMs) * LATENCY_WEIGHT
  health.failed = !success
  const { window } = health
  if (success) {
    health.window =
      window < QUICK_WINDOW
        ? Math.min(QUICK_WINDOW, window * 2)
        : Math.min(WIDEST_WINDOW, window + 1 / window)
  } else if (statusCode === null || PUSHES_BACK.has(statusCode)) {
    health.window = Math.max(1, window / 2)
  }
}
