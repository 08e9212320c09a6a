import { useEffect, useState, useSyncExternalStore, type ClipboardEvent } from 'react'
import { SAO_PAULO } from '../../../src/kernel/sao-paulo.ts'
import { language, t } from '../phrases/phrases.ts'

const TICK_MS = 15_000
/** Times up to this far ahead are shown as now: the clocks of server and browser differ. */
const CLOCK_SKEW_MS = 10_000
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60_000],
  ['minute', 3600_000],
  ['hour', 24 * 3600_000],
  ['day', 7 * 24 * 3600_000],
]
const UNIT_MS = { second: 1000, minute: 60_000, hour: 3600_000, day: 24 * 3600_000 } as const

let now = Date.now()
const watchers = new Set<() => void>()
let timer: number | undefined
function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  timer ??= window.setInterval(() => {
    now = Date.now()
    for (const tell of watchers) tell()
  }, TICK_MS)
  return () => {
    watchers.delete(watcher)
    if (watchers.size > 0) return
    window.clearInterval(timer)
    timer = undefined
  }
}

/** Creates a formatter on first use and keeps it: creating one costs more than formatting. */
function lazy<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}
const days = lazy(() => new Intl.DateTimeFormat(language, { timeZone: SAO_PAULO }))
const distances = lazy(() => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }))
const exact = lazy(
  () =>
    new Intl.DateTimeFormat(language, {
      ...({ timeZone: SAO_PAULO, timeZoneName: 'short' } as const),
      ...({ day: '2-digit', month: '2-digit', year: 'numeric' } as const),
      ...({ hour: '2-digit', minute: '2-digit', second: '2-digit' } as const),
    }),
)
const hours = lazy(
  () =>
    new Intl.DateTimeFormat(language, {
      ...({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: SAO_PAULO } as const),
    }),
)

/** A time relative to now, such as "5 minutes ago"; beyond a week, its date. `at` is in epoch milliseconds. */
export function relative(at: number): string {
  const ahead = at - Date.now()
  const distance = ahead > 0 && ahead < CLOCK_SKEW_MS ? 0 : ahead
  const [unit] = STEPS.find(([, most]) => Math.abs(distance) < most) ?? []
  if (!unit) return days().format(at)
  const count = Math.round(distance / UNIT_MS[unit as keyof typeof UNIT_MS])
  return distances().format(count, unit)
}

/** Formats date, time and zone in São Paulo. */
export const absolute = (at: string): string => exact().format(Date.parse(at))

const minutes = lazy(
  () =>
    new Intl.DateTimeFormat(language, {
      ...({ timeZone: SAO_PAULO, weekday: 'short', hourCycle: 'h23' } as const),
      ...({ day: 'numeric', month: 'short', year: 'numeric' } as const),
      ...({ hour: '2-digit', minute: '2-digit' } as const),
    }),
)
/** Formats a day and a time of day in São Paulo, without seconds. `at` is in epoch milliseconds. */
export const absoluteMinute = (at: number): string => minutes().format(at)

/** Formats the time of day in São Paulo. `at` is in epoch milliseconds. */
export const timeOfDay = (at: number): string => hours().format(at)

const weekdays = lazy(
  () => new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: SAO_PAULO }),
)
const isoDays = lazy(() => new Intl.DateTimeFormat('sv-SE', { timeZone: SAO_PAULO }))

/** Today in São Paulo, as `2026-11-26`. */
export const todayInSaoPaulo = (): string => isoDays().format(Date.now())
/** The day in São Paulo as `2026-11-22`. */
export const dayInSaoPaulo = (at: string): string => isoDays().format(Date.parse(at))

/** The number of days from the day of `at` to today, in São Paulo. */
function daysAgo(at: string): number {
  const today = Date.parse(todayInSaoPaulo())
  return Math.round((today - Date.parse(dayInSaoPaulo(at))) / UNIT_MS.day)
}

/** The day as messengers name it: today, yesterday, a weekday, or a date. */
export function messengerDay(at: string): string {
  const ago = daysAgo(at)
  if (ago === 0 || ago === 1) return distances().format(-ago, 'day')
  return ago > 1 && ago < 7 ? weekdays().format(Date.parse(at)) : days().format(Date.parse(at))
}

/** A time as messengers list it: the time of day today, else the day. The exact time is its tooltip. */
export function MessengerTime({ at }: { at: string }) {
  useSyncExternalStore(watch, () => now)
  return (
    <time dateTime={at} title={absolute(at)} aria-live="off">
      {daysAgo(at) === 0 ? timeOfDay(Date.parse(at)) : messengerDay(at)}
    </time>
  )
}

/** Formats a day given as `2026-11-22`. */
export const dayName = (day: string): string => days().format(Date.parse(`${day}T12:00:00Z`))

/** The name of a time zone in the user's language. */
export function zoneName(timeZone: string): string {
  const options = { timeZone, timeZoneName: 'longGeneric' } as const
  try {
    const parts = new Intl.DateTimeFormat(language, options).formatToParts()
    return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
  } catch {
    // The browser may not know every zone that the server does.
    return timeZone
  }
}

/** The position in a recording, such as `1:05`. */
export const clockTime = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

/** A duration in its largest unit, rounded down, such as `45 s`, `12 min`, `3 h` or `2 d`. */
export function shortDuration(ms: number): string {
  const unit = (['day', 'hour', 'minute'] as const).find((one) => ms >= UNIT_MS[one]) ?? 'second'
  const count = Math.floor(Math.max(0, ms) / UNIT_MS[unit])
  return count.toLocaleString(language, { style: 'unit', unit, unitDisplay: 'narrow' })
}

/** How many milliseconds ago something began, kept up to date; 0 if it has not. */
export function useSince(at: string | null): number {
  useSyncExternalStore(watch, () => now)
  return at === null ? 0 : Math.max(0, now - Date.parse(at))
}

/** How long ago something began, in one unit; `words` say what, for its tooltip and screen readers. */
export function Since({ at, words }: { at: string; words: string }) {
  useSyncExternalStore(watch, () => now)
  const since = Date.parse(at)
  return (
    <time dateTime={at} title={`${words} ${absolute(at)}`} aria-live="off">
      <span className="visually-hidden">{words} </span>
      {shortDuration(Date.now() - since)}
    </time>
  )
}

/**
 * A time relative to now. The exact time in São Paulo is its tooltip, and replaces it while it has the focus, e.g.
 * after a touch. Copying yields UTC.
 */
export function Time(props: {
  at: string | null
  /** Set inside a button or a summary, which takes the focus itself. */
  within?: boolean
}) {
  const { at, within = false } = props
  const [focused, setFocused] = useState(false)
  useSyncExternalStore(watch, () => now)
  if (at === null) return <>{t.common.never}</>
  const exactly = absolute(at)
  const focusing = {
    tabIndex: 0,
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
    onCopy(event: ClipboardEvent) {
      event.preventDefault()
      event.clipboardData.setData('text/plain', at)
    },
  }
  return (
    // Screen readers read it when reached, not on every change.
    <time dateTime={at} title={exactly} aria-live="off" {...(within ? {} : focusing)}>
      {focused ? exactly : relative(Date.parse(at))}
    </time>
  )
}

const clocks = lazy(
  () =>
    new Intl.DateTimeFormat(language, {
      ...({ timeZone: SAO_PAULO, hourCycle: 'h23' } as const),
      ...({ hour: '2-digit', minute: '2-digit', second: '2-digit' } as const),
    }),
)
const daysOfMonth = lazy(
  () =>
    new Intl.DateTimeFormat(language, { day: '2-digit', month: '2-digit', timeZone: SAO_PAULO }),
)

/** The time of an entry of a log: to the second, with its day unless that is today. The exact time is its tooltip. */
export function LogTime({ at }: { at: string }) {
  useSyncExternalStore(watch, () => now)
  const time = Date.parse(at)
  const clock = clocks().format(time)
  return (
    <time dateTime={at} title={absolute(at)} aria-live="off" className="log-time">
      {daysAgo(at) === 0 ? clock : `${daysOfMonth().format(time)} ${clock}`}
    </time>
  )
}

/** Seconds until a time, updated every second; 0 once it has passed, or for null. */
export function useSecondsUntil(at: string | null): number {
  const [second, setSecond] = useState(() => Date.now())
  useEffect(() => {
    const clock = setInterval(() => setSecond(Date.now()), 1000)
    return () => clearInterval(clock)
  }, [])
  return at ? Math.max(0, Math.ceil((Date.parse(at) - second) / 1000)) : 0
}

/** The remaining time to the second, such as `4 min 16 s`. */
export function Countdown({ until }: { until: string }) {
  const seconds = useSecondsUntil(until)
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  const [largest] = parts.filter(([count]) => count > 0)
  const shown = parts.slice(largest ? parts.indexOf(largest) : 2)
  return (
    <time dateTime={until} title={absolute(until)} aria-live="off">
      {shown.map(([count, unit]) => `${count} ${unit}`).join(' ')}
    </time>
  )
}
