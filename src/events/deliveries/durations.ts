/** Histogram bucket bounds in milliseconds; the last bucket, above the highest bound, is open. */
export const DURATION_BOUNDS_MS = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000]
/** Maximum duration of an attempt, in milliseconds: the upper end of the open bucket. */
const MAX_DURATION_MS = 15_000

/**
 * Estimates the p95 in milliseconds from histogram `counts` over `DURATION_BOUNDS_MS`, interpolating linearly within a bucket.
 * Returns null if there are no durations.
 */
export function estimateP95(counts: readonly number[]): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let below = 0
  for (const [index, count] of counts.entries()) {
    if (below + count >= 0.95 * total) {
      const [from, to] = [
        DURATION_BOUNDS_MS[index - 1] ?? 0,
        DURATION_BOUNDS_MS[index] ?? MAX_DURATION_MS,
      ]
      return Math.round(from + ((0.95 * total - below) / count) * (to - from))
    }
    below += count
  }
  return MAX_DURATION_MS
}
