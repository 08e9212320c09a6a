import { TZDateMini } from '@date-fns/tz'
import { SAO_PAULO } from './sao-paulo.ts'

type Zoned = InstanceType<typeof TZDateMini>
const SAO_PAULO_DAY = new Intl.DateTimeFormat('en-CA', { timeZone: SAO_PAULO })

/** The calendar day in São Paulo as `2026-11-20`. The daily cap of test mode resets at its midnight. */
export function saoPauloDay(now: number): string {
  return SAO_PAULO_DAY.format(now)
}

/** Whether `name` is a time zone of the tz database. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

/** The start of the next day in a time zone, in milliseconds since the Unix epoch. */
export function startOfNextDay(timeZone: string, now: number): number {
  return timeOnDay(new TZDateMini(now, timeZone), 1, '00:00').getTime()
}

/** The start of the current day in a time zone, in milliseconds since the Unix epoch. */
export function startOfDay(timeZone: string, now: number): number {
  return timeOnDay(new TZDateMini(now, timeZone), 0, '00:00').getTime()
}

/** A time of day such as `08:30` on the current day in a time zone, in milliseconds since the Unix epoch. */
export function timeToday(timeZone: string, now: number, hour: string): number {
  return timeOnDay(new TZDateMini(now, timeZone), 0, hour).getTime()
}

/** A time of day such as `08:30`, `daysAhead` days after `today`, in the time zone of `today`. */
export function timeOnDay(today: Zoned, daysAhead: number, hour: string): Zoned {
  const [hours = 0, minutes = 0] = hour.split(':').map(Number)
  const [year, month, day] = [today.getFullYear(), today.getMonth(), today.getDate() + daysAhead]
  return new TZDateMini(year, month, day, hours, minutes, today.timeZone ?? 'UTC')
}
