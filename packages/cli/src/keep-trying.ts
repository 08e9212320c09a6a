import { setTimeout as pause } from 'node:timers/promises'
import { ConnectionError, RateLimitError, ServerError } from '../../sdk/src/index.ts'
import { note } from './output.ts'
import { say } from './phrases.ts'

const FIRST_DELAY_MS = 1000
const MAX_DELAY_MS = 15_000

const isTemporary = (error: unknown) =>
  error instanceof ConnectionError ||
  error instanceof ServerError ||
  error instanceof RateLimitError

/**
 * Returns a function that repeats reads while the server is away, as during a restart, and says so once. Before the first
 * success, an error is thrown: the address or the key may be wrong. Returns null once `signal` has aborted.
 */
export function keepTrying(
  url: string,
  signal: AbortSignal,
): <Result>(read: () => Promise<Result>) => Promise<Result | null> {
  let hasSucceeded = false
  let failures = 0
  return async (read) => {
    while (!signal.aborted) {
      try {
        const result = await read()
        if (failures > 0) note(say.connectedAgain(url))
        hasSucceeded = true
        failures = 0
        return result
      } catch (error) {
        if (!hasSucceeded || !isTemporary(error)) throw error
        if (failures === 0) note(say.connectionLost(url))
        const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures++)
        await pause(delayMs, undefined, { signal }).catch(() => {})
      }
    }
    return null
  }
}
