import { TZDateMini } from '@date-fns/tz'
import type { Pacing } from './campaigns.schemas.ts'

type Zoned = InstanceType<typeof TZDateMini>
type Window = NonNullable<Pacing['window']>
/** The zone that is meant where none is named. */
export const SAO_PAULO = 'America/Sao_Paulo'
const SUNDAY = 7
/** A window opens at least once a week; a day more for the hours around a change of clocks. */
const DAYS_AHEAD = 8

/** Whether the tz database knows a zone. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

/**
 * When sending may go on: `now` within the window, else when it opens next. A window that ends before it begins ends
 * on the next day, and belongs to the weekday on which it began.
 */
export function opensAt({ from, to, timeZone, weekdays }: Window, now: number): number {
  const days = new Set(weekdays)
  const today = new TZDateMini(now, timeZone)
  for (let ahead = -1; ahead <= DAYS_AHEAD; ahead++) {
    const begins = at(today, ahead, from)
    if (!days.has(begins.getDay() || SUNDAY)) continue
    const ends = at(today, ahead + (to > from ? 0 : 1), to)
    if (now < ends.getTime()) return Math.max(now, begins.getTime())
  }
  return now
}

/** When the next day begins in a zone. */
export function nextDay(timeZone: string, now: number): number {
  return at(new TZDateMini(now, timeZone), 1, '00:00').getTime()
}

/** When the day began in a zone. */
export function startOfDay(timeZone: string, now: number): number {
  return at(new TZDateMini(now, timeZone), 0, '00:00').getTime()
}

function at(today: Zoned, daysAhead: number, hour: string): Zoned {
  const [hours = 0, minutes = 0] = hour.split(':').map(Number)
  const [year, month, day] = [today.getFullYear(), today.getMonth(), today.getDate() + daysAhead]
  return new TZDateMini(year, month, day, hours, minutes, today.timeZone ?? 'UTC')
}
