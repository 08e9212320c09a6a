import { TZDateMini } from '@date-fns/tz'
import { timeOn } from '../lib/day.ts'
import type { Pacing } from './campaigns.schemas.ts'

type Window = NonNullable<Pacing['window']>
const SUNDAY = 7
/** A window opens at least once a week; a day more for the hours around a change of clocks. */
const DAYS_AHEAD = 8

/**
 * When sending may go on: `now` within the window, else when it opens next. A window that ends before it begins ends
 * on the next day, and belongs to the weekday on which it began.
 */
export function opensAt({ from, to, timeZone, weekdays }: Window, now: number): number {
  const days = new Set(weekdays)
  const today = new TZDateMini(now, timeZone)
  for (let ahead = -1; ahead <= DAYS_AHEAD; ahead++) {
    const begins = timeOn(today, ahead, from)
    if (!days.has(begins.getDay() || SUNDAY)) continue
    const ends = timeOn(today, ahead + (to > from ? 0 : 1), to)
    if (now < ends.getTime()) return Math.max(now, begins.getTime())
  }
  return now
}
