/** How many pieces of work may hold a connection at once, in total and of one Project. */
export type Share = { max: number; maxPerKey: number }

/**
 * Divides the connections of a pool among the work that callers can prolong while it holds one, by searching much or by
 * making it wait for locks: reads, changes, sends that no batch accepts, requests with an Idempotency-Key, batched sends
 * and received messages or receipts whose Project is locked, and what networks report besides messages. At least one connection is
 * left for everything else, whatever they wait for.
 */
export function sharesOf(
  poolSize: number,
): Record<
  'reads' | 'changes' | 'sends' | 'keyed' | 'lockedSends' | 'lockedReceived' | 'reported',
  Share
> {
  const reported = { max: 2, maxPerKey: 1 }
  const share = (parts: number, least = 1): Share => {
    const max = Math.max(least, Math.floor((poolSize - 1 - reported.max) / parts))
    return { max, maxPerKey: Math.max(1, max - 1) }
  }
  const lockedSends = { ...share(8), maxPerKey: 1 }
  return {
    reads: share(3.5, 3),
    changes: share(5),
    sends: share(8),
    keyed: share(3.6, 2),
    lockedSends,
    lockedReceived: { max: 1, maxPerKey: 1 },
    reported,
  }
}
