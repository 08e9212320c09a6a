import { networkOf, createAttemptLimiter } from '../../kernel/attempt-limiter.ts'
import { delay, type Clock } from '../../kernel/clock.ts'

const WINDOW_MS = 60_000
/** Rejections for being too fast, by network and window, that are sent without delay. */
const UNDELAYED_REJECTIONS = 50
const MIN_DELAY_MS = 500
const DELAY_RANGE_MS = 1000
/** The fraction of the golden ratio: steps of this share of the range spread consecutive delays evenly over it. */
const GOLDEN_STEP = (Math.sqrt(5) - 1) / 2
const MAX_DELAYED = 2000

/**
 * Slows down clients that keep sending requests after they were rejected: responding to hundreds of connections in a
 * tight loop would leave the event loop little time for others. Delays differ, because clients that were rejected
 * together would otherwise return together. The returned function resolves when the rejection may be sent.
 */
export function createRefusalDelay(
  clock: Clock,
  undelayed = UNDELAYED_REJECTIONS,
): (address: string) => Promise<void> {
  const refusals = createAttemptLimiter({ clock, windowMs: WINDOW_MS })
  let delayed = 0
  let share = 0
  return async (address) => {
    const counted = refusals.start([{ subject: networkOf(address), max: undelayed }])
    if ('fail' in counted) {
      counted.fail()
      return
    }
    if (delayed >= MAX_DELAYED) return
    delayed++
    share = (share + GOLDEN_STEP) % 1
    await delay(clock, MIN_DELAY_MS + share * DELAY_RANGE_MS)
    delayed--
  }
}
