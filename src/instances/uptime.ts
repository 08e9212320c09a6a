import type { InstanceStatus } from '../model/vocabulary.ts'
import type { StatusSpan } from './uptime.sql.ts'

/** Statuses that count as downtime. In other statuses the instance is not expected to be connected. */
const DOWN = new Set<InstanceStatus>(['CONNECTING', 'PAIRED', 'DISCONNECTED'])

/** In a shorter period, the seconds of pairing would distort the share. */
const MIN_PERIOD_MS = 3600_000

/**
 * Returns the share of `since` to `until` in which an instance was connected; null if it was expected to be for
 * less than an hour.
 */
export function uptimeShare(spans: StatusSpan[], since: number, until: number): number | null {
  let up = 0
  let down = 0
  for (const [index, { status, from }] of spans.entries()) {
    const end = spans[index + 1]?.from.getTime() ?? until
    const ms = end - Math.max(from.getTime(), since)
    if (status === 'CONNECTED') up += ms
    else if (DOWN.has(status)) down += ms
  }
  return up + down < MIN_PERIOD_MS ? null : Math.round((up / (up + down)) * 1000) / 1000
}
