import type { InstanceStatus } from '../model/records.schemas.ts'
import type { StatusSpan } from './uptime.sql.ts'

/** Statuses in which an instance should be connected and is not; in others, nothing is expected of it. */
const DOWN = new Set<InstanceStatus>(['CONNECTING', 'PAIRED', 'DISCONNECTED'])

/** With less time than this, the seconds that pairing took would weigh too much. */
const MIN_MS = 3600_000

/**
 * Which part of the time from `since` to `until` an instance was connected; null if it should have been connected for
 * less than an hour.
 */
export function connectedShareOf(spans: StatusSpan[], since: number, until: number): number | null {
  let up = 0
  let down = 0
  for (const [index, { status, from }] of spans.entries()) {
    const end = spans[index + 1]?.from.getTime() ?? until
    const ms = end - Math.max(from.getTime(), since)
    if (status === 'CONNECTED') up += ms
    else if (DOWN.has(status)) down += ms
  }
  return up + down < MIN_MS ? null : Math.round((up / (up + down)) * 1000) / 1000
}
