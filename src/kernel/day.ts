import { TZDateMini } from '@date-fns/tz'

type Zoned = InstanceType<typeof TZDateMini>
/** The zone that is meant where none is named. */
export const SAO_PAULO = 'America/Sao_Paulo'
const SAO_PAULO_DAY = new Intl.DateTimeFormat('en-CA', { timeZone: SAO_PAULO })

/** The calendar day in São Paulo, `2026-11-20`: the daily cap of the test mode closes at its midnight. */
export function saoPauloDay(now: number): string {
  return SAO_PAULO_DAY.format(now)
}

/** Whether the tz database knows a zone. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

/** When the next day begins in a zone. */
export function nextDay(timeZone: string, now: number): number {
  return timeOn(new TZDateMini(now, timeZone), 1, '00:00').getTime()
}

/** When the day began in a zone. */
export function startOfDay(timeZone: string, now: number): number {
  return timeOn(new TZDateMini(now, timeZone), 0, '00:00').getTime()
}

/** An hour such as `08:30`, so many days after a day, in the zone of that day. */
export function timeOn(today: Zoned, daysAhead: number, hour: string): Zoned {
  const [hours = 0, minutes = 0] = hour.split(':').map(Number)
  const [year, month, day] = [today.getFullYear(), today.getMonth(), today.getDate() + daysAhead]
  return new TZDateMini(year, month, day, hours, minutes, today.timeZone ?? 'UTC')
}
