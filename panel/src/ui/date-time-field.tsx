import { Popover } from '@base-ui/react/popover'
import { TZDate } from '@date-fns/tz'
import { CalendarDays } from 'lucide-react'
import { Suspense, useId, useState } from 'react'
import { SAO_PAULO } from '../../../src/kernel/sao-paulo.ts'
import { lazyPart } from './lazy-part.tsx'
import { t } from '../phrases/phrases.ts'
import { absoluteMinute, timeOfDay } from './time.tsx'

const DEFAULT_TIME = '09:00'
/** A time of day as people type it: `14:30`, `1430`, `14h30`, `14h` or `14`. */
const TIME = /^([01]?\d|2[0-3])(?:[:h.]?([0-5]\d)|h)?$/
const Calendar = lazyPart(async () => (await import('./calendar.tsx')).Calendar)

/**
 * A day and a time of day in São Paulo, in 24 hours whatever the browser's language. The value is an ISO time, or ''.
 * Inside a form, `name` submits it.
 */
export function DateTimeField(props: {
  label: string
  value: string
  onChange: (value: string) => void
  name?: string
  hint?: string
  required?: boolean
}) {
  const { label, value, onChange, name, hint, required = false } = props
  const id = useId()
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState<string | null>(null)
  const at = value === '' ? undefined : new TZDate(value, SAO_PAULO)
  const time = typed ?? (at ? timeOfDay(at.getTime()) : DEFAULT_TIME)
  const isTime = TIME.test(time)
  const isPast = at !== undefined && at.getTime() <= Date.now()
  function choose(day: Date | undefined, clock: string | null) {
    const [, hours, minutes] = TIME.exec(clock ?? DEFAULT_TIME) ?? []
    if (!day || hours === undefined) return
    const { y, m, d } = partsOf(day)
    const chosen = new TZDate(y, m, d, Number(hours), Number(minutes ?? 0), SAO_PAULO).getTime()
    const isOver = clock === null && chosen <= Date.now()
    onChange(new Date(isOver ? nextHour() : chosen).toISOString())
  }
  /** Applies the typed hour once it is complete. */
  function commit() {
    if (typed === null || !at || !isTime) return
    choose(at, typed)
    setTyped(null)
  }
  return (
    <div className="field">
      <label id={`${id}-label`} htmlFor={id}>
        {label}
      </label>
      {name && <input type="hidden" name={name} value={value} />}
      <Popover.Root open={open} onOpenChange={setOpen}>
        <span className="row date-field">
          <Popover.Trigger
            id={id}
            className="button date-button"
            aria-labelledby={`${id}-label ${id}`}
          >
            <CalendarDays size={16} aria-hidden />
            {at ? absoluteMinute(at.getTime()) : t.picker.choose}
          </Popover.Trigger>
          {value !== '' && !required && (
            <button type="button" className="button plain" onClick={() => onChange('')}>
              {t.picker.clear}
            </button>
          )}
        </span>
        <Popover.Portal container={document.querySelector<HTMLElement>('dialog[open]')}>
          <Popover.Positioner sideOffset={4} positionMethod="fixed" className="menu-place">
            <Popover.Popup className="menu date-popup" aria-label={label}>
              <Suspense fallback={<div className="skeleton date-wait" />}>
                <Calendar
                  selected={at}
                  timeZone={SAO_PAULO}
                  onSelect={(day) => choose(day, isTime && (typed ?? at) ? time : null)}
                />
              </Suspense>
              <label className="row">
                {t.picker.timeOfDay}
                <input
                  className="time-input"
                  inputMode="numeric"
                  placeholder={DEFAULT_TIME}
                  value={time}
                  maxLength={5}
                  aria-invalid={!isTime}
                  onChange={({ target }) => setTyped(target.value)}
                  onBlur={commit}
                  onKeyDown={(event) => {
                    if (event.key !== 'Enter') return
                    event.preventDefault()
                    if (!isTime) return
                    commit()
                    setOpen(false)
                  }}
                />
                <button
                  type="button"
                  className="button primary"
                  disabled={!isTime}
                  onClick={() => setOpen(false)}
                >
                  {t.picker.done}
                </button>
              </label>
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
      {isPast ? (
        <small className="status bad">{t.picker.past}</small>
      ) : (
        hint && <small>{hint}</small>
      )}
    </div>
  )
}

const HOUR_MS = 3600_000
/** The next full hour, in epoch milliseconds. */
const nextHour = (): number => (Math.floor(Date.now() / HOUR_MS) + 1) * HOUR_MS

/** The calendar day of a date that the calendar returned, which is in São Paulo already. */
function partsOf(day: Date): { y: number; m: number; d: number } {
  const local = new TZDate(day.getTime(), SAO_PAULO)
  return { y: local.getFullYear(), m: local.getMonth(), d: local.getDate() }
}
