/** How many pieces of work may hold a connection at once, in total and of one Project. */
export type Share = { max: number; maxPerKey: number }

/**
 * Divides the connections of a pool among the work that may wait for locks while it holds one: changes, sends that no batch
 * accepts, and requests with an Idempotency-Key. Together they leave connections for everything else, whatever they
 * wait for.
 */
export function sharesOf(poolSize: number): Record<'changes' | 'sends' | 'keyed', Share> {
  const third = Math.max(2, Math.floor(poolSize / 3))
  const sixth = Math.max(1, Math.floor(poolSize / 6))
  return {
    changes: { max: third, maxPerKey: Math.ceil(third / 2) },
    sends: { max: sixth, maxPerKey: Math.max(1, sixth - 1) },
    keyed: { max: third, maxPerKey: third - 1 },
  }
}
