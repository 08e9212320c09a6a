import type { Campaign } from '../../data/api-types.ts'
import { DAY_MINUTES } from '../../phrases/number.ts'

const WEEK_DAYS = 7
/** Longer campaigns are not told apart. */
const MAX_DAYS = 3650

/** What decides how long a campaign takes; a window of null is open always. */
export type PaceOfCampaign = Pick<
  NonNullable<Campaign['pacing']>,
  'minDelayMs' | 'maxDelayMs' | 'dailyLimitPerInstance' | 'window'
>

/** The minutes a day that a window is open; one that ends before it begins spans midnight. */
function openMinutes(window: PaceOfCampaign['window']): number {
  if (!window) return DAY_MINUTES
  const minuteOf = (time: string) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number)
    return hours * 60 + minutes
  }
  const length = minuteOf(window.to) - minuteOf(window.from)
  return length > 0 ? length : length + DAY_MINUTES
}

/** The days from the first open day on or after `start` until `openDays` more have passed; no weekdays are all of them. */
function calendarDays(openDays: number, weekdays: number[], start: Date): number {
  const isOpen = (index: number) =>
    weekdays.length === 0 ||
    weekdays.includes(((start.getDay() + index + WEEK_DAYS - 1) % WEEK_DAYS) + 1)
  let first = 0
  while (!isOpen(first) && first < WEEK_DAYS) first++
  let day = first
  for (let left = openDays; left > 0 && day < MAX_DAYS;) if (isOpen(++day)) left--
  return day - first
}

/**
 * Returns about how long the messages to `people` take, in minutes, from the moment the window is open: with the average
 * delay, all instances sending, and the nights, closed days and days on which the limit is reached in between.
 */
export function campaignMinutes(
  people: number,
  instances: number,
  pacing: PaceOfCampaign | null,
  start = new Date(),
): number {
  if (!pacing || people === 0) return 0
  const { minDelayMs, maxDelayMs, dailyLimitPerInstance, window } = pacing
  const eachMinutes = (minDelayMs + maxDelayMs) / 2 / 60_000
  const each = Math.ceil(people / Math.max(1, instances))
  const fitting =
    eachMinutes > 0 ? Math.max(1, Math.floor(openMinutes(window) / eachMinutes)) : each
  const perDay = Math.min(fitting, dailyLimitPerInstance ?? Infinity)
  const fullDays = Math.ceil(each / perDay) - 1
  const waiting = calendarDays(fullDays, window?.weekdays ?? [], start) * DAY_MINUTES
  return Math.ceil(waiting + (each - fullDays * perDay) * eachMinutes)
}
