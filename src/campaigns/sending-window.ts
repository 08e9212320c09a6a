import { TZDateMini } from '@date-fns/tz'
import { timeOnDay } from '../kernel/day.ts'
import type { Pacing } from './campaigns.schemas.ts'

type Window = NonNullable<Pacing['window']>
const SUNDAY = 7
/** A window opens once a week, or once in two where a change of clocks skips it; a day more for the hours around it. */
const DAYS_AHEAD = 15

/**
 * When sending may go on: `now` within the window, else when it opens next. A window that ends before it begins ends
 * on the next day, and belongs to the weekday on which it began.
 */
export function opensAt({ from, to, timeZone, weekdays }: Window, now: number): number {
  const days = new Set(weekdays)
  const today = new TZDateMini(now, timeZone)
  for (let ahead = -1; ahead <= DAYS_AHEAD; ahead++) {
    const begins = timeOnDay(today, ahead, from)
    if (!days.has(begins.getDay() || SUNDAY)) continue
    const ends = timeOnDay(today, ahead + (to > from ? 0 : 1), to)
    // Of a window in the hour that a change of clocks skips nothing is left on that day.
    if (ends.getTime() <= begins.getTime()) continue
    if (now < ends.getTime()) return Math.max(now, begins.getTime())
  }
  return now
}
