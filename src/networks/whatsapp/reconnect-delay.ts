import type { Clock } from '../../kernel/clock.ts'
import { random } from '../../kernel/ids.ts'

const MIN_MS = 1000
const MAX_MS = 60_000
/** A connection that stays open this long counts as a successful attempt. */
const STABLE_MS = 60_000

/**
 * Chooses the delays between the connections of a session, which double while none lasts. Full jitter avoids a stampede
 * after a network outage.
 */
export function createReconnectDelay(clock: Clock) {
  let failures = 0
  let openedAt: number | null = null
  return {
    /** A connection is open. */
    opened: (): void => void (openedAt = clock.monotonic()),
    /** The connection has ended, open or not. */
    closed(): void {
      if (openedAt !== null && clock.monotonic() - openedAt >= STABLE_MS) failures = 0
      openedAt = null
    },
    /** The delay before the next connection, in milliseconds. */
    next(): number {
      return random() * Math.min(MAX_MS, MIN_MS * 2 ** failures++)
    },
  }
}
