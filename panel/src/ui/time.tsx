import { useSyncExternalStore } from 'react'
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

/** A time as a person takes it: how long ago; its exact form, in São Paulo, on hover. */
export function Time({ at }: { at: string | null }) {
  useSyncExternalStore(watch, () => now)
  if (at === null) return <>{t.common.never}</>
  return (
    // Read out when it is come upon, and not whenever it changes.
    <time dateTime={at} title={absolute(at)} aria-live="off">
      {relative(Date.parse(at))}
    </time>
  )
}
