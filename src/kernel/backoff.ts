/**
 * The delay after failed delivery attempt `attempt` (counted from 1) in milliseconds: attempt⁴ seconds ±10 %. `random`
 * is a number in [0, 1) (G48).
 */
export function retryDelayMs(attempt: number, random: number): number {
  return Math.round(attempt ** 4 * 1000 * (0.9 + random * 0.2))
}
