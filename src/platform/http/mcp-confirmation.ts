import { createHmac } from 'node:crypto'

const CONFIRMATION_MS = 10 * 60_000

/**
 * Returns the tokens that confirm a call of a key, the newest first; the previous one still counts. They are derived from
 * the call, so that they are stored nowhere.
 */
export function confirmationTokens(
  apiKey: string,
  tool: string,
  args: Record<string, unknown>,
  now: number,
): [newest: string, previous: string] {
  const { confirm: _, idempotencyKey: __, ...said } = args
  // Sorted, because clients may reorder the arguments.
  const sorted = Object.entries(said).toSorted(([a], [b]) => a.localeCompare(b))
  const tokenOf = (window: number) => {
    const text = JSON.stringify([tool, sorted, window])
    return createHmac('sha256', apiKey).update(text).digest('base64url').slice(0, 16)
  }
  const window = Math.floor(now / CONFIRMATION_MS)
  return [tokenOf(window), tokenOf(window - 1)]
}
