import { Suspense, useState, type KeyboardEvent } from 'react'
import { lazyPart } from './lazy-part.tsx'
import { formatted, t } from '../phrases/phrases.ts'

/** A page with a chart does not wait for the table, which few readers open. */
const ChartTable = lazyPart(async () => (await import('./chart-table.tsx')).ChartTable)

/** A bar with one value per series; null means unknown, as opposed to 0. */
export type Bar = { label: string; values: (number | null)[] }

const HEIGHT = 140
const WIDTH = 640

const NICE = [1, 2, 3, 4, 5, 6, 8, 10]
/** About this many labels are shown below the bars. */
const LABELS = 4

/** The top of the axis: a round number, whose half is whole for counts. */
function topOf(most: number, isCount: boolean): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)))
  const tops = [...NICE.map((step) => step * power), 20 * power]
  return tops.find((top) => top >= most && (!isCount || top % 2 === 0)) ?? 20 * power
}

/**
 * Stacked bar chart, with the same numbers as a table for screen readers. `tones`: color numbers of the series, from 1.
 */
export function Bars(props: {
  title: string
  series: string[]
  bars: Bar[]
  first: string
  tones?: number[]
  /** Unit appended to each number, such as ` ms`. */
  unit?: string
}) {
  const {
    title,
    series,
    bars,
    first,
    unit = '',
    tones = series.map((_, which) => which + 1),
  } = props
  const total = ({ values }: Bar) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
  const most = topOf(Math.max(1, ...bars.map(total)), unit === '')
  const [isTable, setIsTable] = useState(false)
  const [shown, setShown] = useState<number | null>(null)
  const every = Math.ceil(bars.length / LABELS)
  const bar = shown === null ? undefined : bars[shown]
  const placeOf = (index: number) => ({ left: `${((index + 0.5) / bars.length) * 100}%` })
  function handleKeyDown(event: KeyboardEvent) {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (move === undefined) return
    event.preventDefault()
    setShown(Math.min(bars.length - 1, Math.max(0, (shown ?? -1) + move)))
  }
  const step = WIDTH / Math.max(1, bars.length)
  return (
    <figure className="chart">
      <div className="axis quiet" aria-hidden>
        {[most, most / 2, 0].map((value) => (
          <span key={value}>
            {formatted(value)}
            {unit}
          </span>
        ))}
      </div>
      {/* The arrow keys move between bars; the table below has the same numbers. */}
      <div
        className="chart-bars"
        tabIndex={0}
        role="group"
        aria-label={title}
        onKeyDown={handleKeyDown}
        onBlur={() => setShown(null)}
        onPointerLeave={() => setShown(null)}
        onPointerMove={({ clientX, currentTarget }) => {
          const { left, width } = currentTarget.getBoundingClientRect()
          const index = Math.floor(((clientX - left) / width) * bars.length)
          setShown(Math.min(bars.length - 1, Math.max(0, index)))
        }}
      >
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
          {[0.5, HEIGHT / 2, HEIGHT - 0.5].map((y) => (
            <line key={y} className="grid-line" x1={0} x2={WIDTH} y1={y} y2={y} />
          ))}
          {bars.map(({ label, values }, index) => {
            let below = 0
            return values.map((value, which) => {
              if (value === null) return null
              const height = (value / most) * HEIGHT
              below += height
              return (
                <rect
                  key={`${label} ${series[which]}`}
                  className={`series-${tones[which]}`}
                  x={index * step + step * 0.15}
                  y={HEIGHT - below}
                  width={step * 0.7}
                  height={height}
                />
              )
            })
          })}
        </svg>
        <div role="status">
          {bar && shown !== null && (
            <div className="chart-tip" style={placeOf(shown)}>
              <strong>{bar.label}</strong>
              {bar.values.map((value, which) => (
                <span key={series[which]}>
                  {series[which]}: {value === null ? t.common.none : formatted(value)}
                  {value !== null && unit}
                </span>
              ))}
            </div>
          )}
        </div>
      </div>
      <div className="chart-labels quiet" aria-hidden>
        {bars.map(
          ({ label }, index) =>
            index % every === 0 && (
              <span key={label} style={placeOf(index)}>
                {label}
              </span>
            ),
        )}
      </div>
      {series.length > 1 && (
        <figcaption className="row">
          {series.map((name, which) => (
            <span key={name} className={`legend series-${tones[which]}`}>
              {name}
            </span>
          ))}
        </figcaption>
      )}
      <details onToggle={(event) => setIsTable(event.currentTarget.open)}>
        <summary>{t.common.asTable}</summary>
        <Suspense>
          {isTable && <ChartTable title={title} first={first} series={series} bars={bars} />}
        </Suspense>
      </details>
    </figure>
  )
}

/**
 * Small bar chart for a table row; `label` describes it to screen readers. `neutral`: the values are neither good nor
 * bad, such as durations.
 */
export function Sparkline(props: {
  good: number[]
  bad: number[]
  label: string
  neutral?: boolean
}) {
  const { good, bad, label, neutral = false } = props
  const most = Math.max(1, ...good.map((value, index) => value + (bad[index] ?? 0)))
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${good.length * 5} 24`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {good.map((value, index) => {
        const [up, down] = [(value / most) * 22, ((bad[index] ?? 0) / most) * 22]
        const at = { x: index * 5, width: 4 }
        return (
          // The index is the hour, so it is a stable key.
          <g key={index}>
            <rect {...at} className={neutral ? 'series-1' : 'series-2'} y={24 - up} height={up} />
            <rect {...at} className="series-3" y={24 - up - down} height={down} />
          </g>
        )
      })}
    </svg>
  )
}
