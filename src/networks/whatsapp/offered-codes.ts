import type { Clock } from '../../kernel/clock.ts'
import { withDeadline } from '../../kernel/deadline.ts'

const FIRST_CODE_MS = 60_000
const NEXT_CODE_MS = 20_000
const MAX_CODES = 6
/** How long a request for a code to type waits for a connection that offers codes. */
const WAIT_MS = 10_000

/**
 * Counts the codes of a session, which ends after the last one. The first code of each connection is valid longer. `By` is
 * the connection that received a code.
 */
export function createOfferedCodes<By>(clock: Clock) {
  let count = 0
  let latest: { by: By; endsAt: number } | null = null
  const waiting: (() => void)[] = []
  return {
    /** Begins another series of codes. */
    restart: () => void (count = 0),
    areOver: () => count >= MAX_CODES,

    /** Counts a code that a connection has received; returns since and until when it is valid. */
    add(by: By): { at: number; expiresAt: number } {
      const at = clock.now()
      const expiresAt = at + (latest?.by === by ? NEXT_CODE_MS : FIRST_CODE_MS)
      count++
      latest = { by, endsAt: expiresAt + (MAX_CODES - count) * NEXT_CODE_MS }
      for (const resume of waiting.splice(0)) resume()
      return { at, expiresAt }
    },

    /**
     * Resolves once the current connection has received a code, with the end of the last one of its series: the engine
     * takes an account that requests a code to type earlier for a paired one, and logs in with it. Throws if none
     * arrives in time.
     */
    async whenOffered(current: By | null): Promise<number | null> {
      if (current === null || latest?.by !== current) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.push(resolve)
        const late = () => new Error(`WhatsApp offered no code within ${WAIT_MS} ms`)
        await withDeadline(clock, WAIT_MS, promise, late)
      }
      return latest?.endsAt ?? null
    },
  }
}
