import { useEffect, useState, useSyncExternalStore, type ClipboardEvent } from 'react'
import { language, t } from '../phrases/phrases.ts'

const TICK_MS = 15_000
const ZONE = 'America/Sao_Paulo'
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

/** Making a formatter takes longer than everything that it formats. */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}
const days = once(() => new Intl.DateTimeFormat(language, { timeZone: ZONE }))
const distances = once(() => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }))
const exact = once(
  () =>
    new Intl.DateTimeFormat(language, {
      ...({ timeZone: ZONE, timeZoneName: 'short' } as const),
      ...({ day: '2-digit', month: '2-digit', year: 'numeric' } as const),
      ...({ hour: '2-digit', minute: '2-digit', second: '2-digit' } as const),
    }),
)
const hours = once(
  () => new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', timeZone: ZONE }),
)

/** How long ago that was, or how long until it is. */
export function relative(at: number): string {
  const distance = at - Date.now()
  const [unit] = STEPS.find(([, most]) => Math.abs(distance) < most) ?? []
  if (!unit) return days().format(at)
  const count = Math.round(distance / UNIT_MS[unit as keyof typeof UNIT_MS])
  return distances().format(count, unit)
}

/** A time of day and a date in São Paulo, with the zone. */
export const absolute = (at: string): string => exact().format(Date.parse(at))

/** The time of day in São Paulo. */
export const timeOfDay = (at: number): string => hours().format(at)

/** A day, as `2026-11-22`, as people write it. */
export const dayName = (day: string): string => days().format(Date.parse(`${day}T12:00:00Z`))

/** What people call a time zone: of a device it tells about where it is. */
export function zoneName(timeZone: string): string {
  const options = { timeZone, timeZoneName: 'longGeneric' } as const
  try {
    const parts = new Intl.DateTimeFormat(language, options).formatToParts()
    return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
  } catch {
    // A browser may know fewer of them than the server does.
    return timeZone
  }
}

/**
 * A time as a person takes it: how long ago; its exact form, in São Paulo, under the pointer, or in its place while it has
 * the focus, as after a touch. Copied, it is UTC.
 */
export function Time(props: {
  at: string | null
  /** It stands in a button or a summary, which has the focus itself. */
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
    // Read out when it is come upon, and not whenever it changes.
    <time dateTime={at} title={exactly} aria-live="off" {...(within ? {} : focusing)}>
      {focused ? exactly : relative(Date.parse(at))}
    </time>
  )
}

/** Seconds until then, counted down. */
export function useSecondsUntil(at: string | null): number {
  const [second, setSecond] = useState(() => Date.now())
  useEffect(() => {
    const clock = setInterval(() => setSecond(Date.now()), 1000)
    return () => clearInterval(clock)
  }, [])
  return at ? Math.max(0, Math.ceil((Date.parse(at) - second) / 1000)) : 0
}

/** How long until then, to the second: `4 min 16 s`. */
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
