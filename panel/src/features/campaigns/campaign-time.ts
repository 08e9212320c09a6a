import { TZDate } from '@date-fns/tz'
import type { Campaign } from '../../data/api-types.ts'
import { SAO_PAULO } from '../../../../src/kernel/sao-paulo.ts'
import { DAY_MINUTES } from '../../phrases/number.ts'

const WEEK_DAYS = 7
/** Upper limit of the estimate. */
const MAX_DAYS = 3650

/** The settings that determine how long a campaign takes; a null window is always open. */
export type PaceOfCampaign = Pick<
  NonNullable<Campaign['pacing']>,
  'minDelayMs' | 'maxDelayMs' | 'dailyLimitPerInstance' | 'window'
>

/** The average time from one message of an instance to its next. */
const averageMinutes = ({ minDelayMs, maxDelayMs }: PaceOfCampaign): number =>
  (minDelayMs + maxDelayMs) / 2 / 60_000

/** The minutes from midnight to a time such as 09:30. */
function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** The minutes a day that a window is open; one that ends before it begins spans midnight. */
function openMinutes(window: PaceOfCampaign['window']): number {
  if (!window) return DAY_MINUTES
  const length = minuteOf(window.to) - minuteOf(window.from)
  return length > 0 ? length : length + DAY_MINUTES
}

/**
 * The days from the first open day on or after a `weekday` (Monday is 1) until `openDays` more have passed; no weekdays
 * are all of them.
 */
function calendarDays(openDays: number, weekdays: number[], weekday: number): number {
  const isOpen = (index: number) =>
    weekdays.length === 0 || weekdays.includes(((weekday + index - 1) % WEEK_DAYS) + 1)
  let first = 0
  while (!isOpen(first) && first < WEEK_DAYS) first++
  let day = first
  for (let left = openDays; left > 0 && day < MAX_DAYS;) if (isOpen(++day)) left--
  return day - first
}

/**
 * Returns about how long the messages to `people` take, in minutes, from the moment the window is open: with the
 * average delay, all instances sending, and the nights, closed days and days on which the limit is reached in between.
 */
export function campaignMinutes(
  people: number,
  instances: number,
  pacing: PaceOfCampaign | null,
  start = new Date(),
): number {
  if (!pacing || people === 0) return 0
  const { dailyLimitPerInstance, window } = pacing
  const eachMinutes = averageMinutes(pacing)
  const each = Math.ceil(people / Math.max(1, instances))
  const fitting =
    eachMinutes > 0 ? Math.max(1, Math.floor(openMinutes(window) / eachMinutes)) : each
  const perDay = Math.min(fitting, dailyLimitPerInstance ?? Infinity)
  const fullDays = Math.ceil(each / perDay) - 1
  const { weekday } = clockIn(window?.timeZone ?? SAO_PAULO, start)
  const waiting = calendarDays(fullDays, window?.weekdays ?? [], weekday) * DAY_MINUTES
  return Math.ceil(waiting + (each - fullDays * perDay) * eachMinutes)
}

/** The minute of the day and the weekday (Monday is 1) in a time zone. */
function clockIn(timeZone: string, at: Date): { minute: number; weekday: number } {
  const local = new TZDate(at, timeZone)
  return {
    minute: local.getHours() * 60 + local.getMinutes(),
    weekday: local.getDay() || WEEK_DAYS,
  }
}

/** Returns when the window of a campaign opens next: `now` while it is open, and without a window. */
export function nextOpening(pacing: PaceOfCampaign | null, now = new Date()): Date {
  const window = pacing?.window
  if (!window) return now
  const { minute, weekday } = clockIn(window.timeZone, now)
  const opens = minuteOf(window.from)
  const isOpenDay = (day: number) =>
    window.weekdays.length === 0 || window.weekdays.includes(((day - 1) % WEEK_DAYS) + 1)
  const sinceOpening = (minute - opens + DAY_MINUTES) % DAY_MINUTES
  // A window that spans midnight belongs to the day on which it opened.
  const openedOn = minute >= opens ? weekday : weekday + WEEK_DAYS - 1
  if (sinceOpening < openMinutes(window) && isOpenDay(openedOn)) return now
  let days = minute < opens ? 0 : 1
  while (!isOpenDay(weekday + days) && days <= WEEK_DAYS) days++
  return new Date(now.getTime() + (days * DAY_MINUTES + opens - minute) * 60_000)
}

/** When a campaign that is started now begins: at its scheduled time, if that is still to come. */
export const beginOf = (scheduledAt: string | null): Date =>
  new Date(Math.max(Date.now(), scheduledAt ? Date.parse(scheduledAt) : 0))

/** Returns about when the messages to `people` have been sent. */
export function campaignEnd(
  people: number,
  instances: number,
  pacing: PaceOfCampaign | null,
  now = new Date(),
): Date {
  const start = nextOpening(pacing, now)
  const after = (from: Date, minutes: number) => new Date(from.getTime() + minutes * 60_000)
  const window = pacing?.window
  if (!window) return after(start, campaignMinutes(people, instances, pacing, start))
  // The first day may have begun: what does not fit into the rest of it is sent from the next opening on.
  const { minute } = clockIn(window.timeZone, start)
  const left = (minuteOf(window.to) - minute + DAY_MINUTES) % DAY_MINUTES || openMinutes(window)
  const eachMinutes = averageMinutes(pacing)
  const each = Math.ceil(people / Math.max(1, instances))
  const today = Math.min(each, pacing.dailyLimitPerInstance ?? Infinity)
  if (today === each && each * eachMinutes <= left) return after(start, each * eachMinutes)
  const sent = Math.min(today, eachMinutes > 0 ? Math.floor(left / eachMinutes) : today)
  const next = nextOpening(pacing, after(start, left))
  const rest = Math.max(0, each - sent)
  return after(next, campaignMinutes(rest, 1, pacing, next))
}

/** The messages that a campaign sends an hour with its average delay; null without a delay. */
export function hourlyRate(instances: number, pacing: PaceOfCampaign | null): number | null {
  const eachMinutes = pacing ? averageMinutes(pacing) : 0
  return eachMinutes > 0 ? Math.round((instances * 60) / eachMinutes) : null
}
