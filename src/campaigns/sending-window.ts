import { TZDateMini } from '@date-fns/tz'
import { timeOnDay } from '../kernel/day.ts'
import type { Pacing } from './campaigns.schemas.ts'

type Window = NonNullable<Pacing['window']>
const SUNDAY = 7
/** A window opens at least once a week, or once in two weeks if a clock change skips it; plus a day of margin. */
const DAYS_AHEAD = 15

/**
 * Returns when sending may continue: `now` within the window, else its next opening. A window that
 * ends before it starts ends on the next day and belongs to the weekday on which it started.
 */
export function opensAt({ from, to, timeZone, weekdays }: Window, now: number): number {
  const days = new Set(weekdays)
  const today = new TZDateMini(now, timeZone)
  for (let ahead = -1; ahead <= DAYS_AHEAD; ahead++) {
    const begins = timeOnDay(today, ahead, from)
    if (!days.has(begins.getDay() || SUNDAY)) continue
    const ends = timeOnDay(today, ahead + (to > from ? 0 : 1), to)
    // A clock change can skip the whole window on that day.
    if (ends.getTime() <= begins.getTime()) continue
    if (now < ends.getTime()) return Math.max(now, begins.getTime())
  }
  return now
}
