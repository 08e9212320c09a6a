/** Bounds in milliseconds: durations are counted between them, and what is longer behind the last. */
export const BOUNDS = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000]
/** What an attempt may take at most. */
const LONGEST = 15_000

/** The highest of the first 95 % among durations of which only `counts` between the bounds are known, to the millisecond; null of none. */
export function estimateP95(counts: readonly number[]): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let below = 0
  for (const [index, count] of counts.entries()) {
    if (below + count >= 0.95 * total) {
      const [from, to] = [BOUNDS[index - 1] ?? 0, BOUNDS[index] ?? LONGEST]
      return Math.round(from + ((0.95 * total - below) / count) * (to - from))
    }
    below += count
  }
  return LONGEST
}
