import type { Campaign } from '../../data/api-types.ts'
import { language, t } from '../../phrases/phrases.ts'
import { Check, Field } from '../../ui/controls.tsx'

/** The days of a week, where Monday is 1. */
export const DAYS = [1, 2, 3, 4, 5, 6, 7]
const HOUR_PATTERN = '([01]?[0-9]|2[0-3]):[0-5][0-9]'

/** Ready-made paces; `null` shows the fields. The careful one suits a number that has sent little so far. */
export const PACES = {
  careful: { min: 20, max: 45, most: 150 },
  normal: { min: 8, max: 25, most: 600 },
  own: null,
} as const
/** The name of a pace. */
export type PaceName = keyof typeof PACES

/** The name of a draft's pace. */
export function paceNameOf(pacing: Campaign['pacing']): PaceName {
  const { minDelayMs, maxDelayMs, dailyLimitPerInstance = null } = pacing ?? {}
  const isReady = (name: 'careful' | 'normal') => {
    const { min, max, most } = PACES[name]
    return minDelayMs === min * 1000 && maxDelayMs === max * 1000 && dailyLimitPerInstance === most
  }
  return isReady('careful') ? 'careful' : isReady('normal') ? 'normal' : 'own'
}

/** The pace, by name or in numbers, and the hours in which messages are sent; `initial` is that of a draft. */
export function Pace(props: {
  pace: PaceName
  onPace: (pace: PaceName) => void
  initial: Campaign['pacing']
}) {
  const { pace, onPace, initial } = props
  const { minDelayMs = 8000, maxDelayMs = 25_000, dailyLimitPerInstance = null } = initial ?? {}
  const { from = '09:00', to = '20:00', weekdays = [] } = initial?.window ?? {}
  return (
    <>
      <fieldset className="bare choices">
        <legend>{t.newCampaign.speed}</legend>
        {(['careful', 'normal', 'own'] as const).map((name) => (
          <label key={name} className="choice">
            <input
              type="radio"
              name="pace"
              value={name}
              checked={pace === name}
              onChange={() => onPace(name)}
            />
            <span>
              <strong>{t.newCampaign[name]}</strong>
              <small className="quiet">{t.newCampaign[`${name}Text`]}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {pace === 'own' && (
        <div className="fields">
          <Field
            label={t.campaigns.min}
            name="min"
            type="number"
            min={0}
            step="any"
            defaultValue={minDelayMs / 1000}
            required
          />
          <Field
            label={t.campaigns.max}
            name="max"
            type="number"
            min={0}
            step="any"
            defaultValue={maxDelayMs / 1000}
            required
          />
          <Field
            label={t.campaigns.most}
            name="most"
            type="number"
            min={1}
            defaultValue={dailyLimitPerInstance ?? ''}
          />
        </div>
      )}
      <div className="fields">
        <Field
          label={t.campaigns.from}
          name="from"
          inputMode="numeric"
          pattern={HOUR_PATTERN}
          placeholder="09:00"
          defaultValue={from}
          required
        />
        <Field
          label={t.campaigns.to}
          aria-label={t.campaigns.until}
          name="to"
          inputMode="numeric"
          pattern={HOUR_PATTERN}
          placeholder="20:00"
          defaultValue={to}
          required
        />
      </div>
      <fieldset className="bare">
        <legend>{t.campaigns.days}</legend>
        <div className="row">
          {DAYS.map((day) => (
            <Check
              key={day}
              name={`day${day}`}
              label={dayName(day)}
              defaultChecked={weekdays.length === 0 || weekdays.includes(day)}
            />
          ))}
        </div>
      </fieldset>
      <p className="quiet">{t.campaigns.window}</p>
    </>
  )
}

/** The short name of a weekday, where Monday is 1. */
function dayName(day: number): string {
  // 1 January 2024 was a Monday.
  return new Date(2024, 0, day).toLocaleDateString(language, { weekday: 'short' })
}
