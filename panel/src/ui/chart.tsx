import { language, t } from '../phrases/phrases.ts'
import { Table } from './table.tsx'

/** A bar with one value per series; null means unknown, as opposed to 0. */
export type Bar = { label: string; values: (number | null)[] }

const HEIGHT = 160
const WIDTH = 640

/** Rounds up to 1, 2, 5 or 10 times a power of ten: the top of the axis. */
function roundUp(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 2, 5, 10].find((step) => step * power >= most) ?? 10) * power
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
  const most = roundUp(Math.max(1, ...bars.map(total)))
  const step = WIDTH / Math.max(1, bars.length)
  return (
    <figure className="grafico">
      <div className="eixo discreto" aria-hidden>
        {[most, most / 2, 0].map((value) => (
          <span key={value}>
            {value.toLocaleString(language)}
            {unit}
          </span>
        ))}
      </div>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        {[0.5, HEIGHT / 2, HEIGHT - 0.5].map((y) => (
          <line key={y} className="grade" x1={0} x2={WIDTH} y1={y} y2={y} />
        ))}
        {bars.map((bar, index) => {
          let below = 0
          return bar.values.map((value, which) => {
            if (value === null) return null
            const height = (value / most) * HEIGHT
            below += height
            return (
              <rect
                key={`${bar.label} ${series[which]}`}
                className={`serie-${tones[which]}`}
                x={index * step + step * 0.15}
                y={HEIGHT - below}
                width={step * 0.7}
                height={height}
              >
                <title>{`${bar.label}: ${value}${unit} ${series[which]}`}</title>
              </rect>
            )
          })
        })}
      </svg>
      <div className="pontas discreto" aria-hidden>
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
      <figcaption className="linha">
        {series.map((name, which) => (
          <span key={name} className={`legenda serie-${tones[which]}`}>
            {name}
          </span>
        ))}
      </figcaption>
      <details>
        <summary>{t.common.asTable}</summary>
        <Table
          caption={title}
          rows={bars}
          keyOf={({ label }) => label}
          columns={[
            { head: first, cell: ({ label }) => label },
            ...series.map((head, which) => ({
              head,
              cell: ({ values }: Bar) => values[which] ?? t.common.none,
            })),
          ]}
        />
      </details>
    </figure>
  )
}

/** Small bar chart for a table row; `label` describes it to screen readers. */
export function Sparkline({ good, bad, label }: { good: number[]; bad: number[]; label: string }) {
  const most = Math.max(1, ...good.map((value, index) => value + (bad[index] ?? 0)))
  return (
    <svg className="faisca" viewBox={`0 0 ${good.length * 5} 24`} role="img" aria-label={label}>
      {good.map((value, index) => {
        const [up, down] = [(value / most) * 22, ((bad[index] ?? 0) / most) * 22]
        const at = { x: index * 5, width: 4 }
        return (
          // The index is the hour, so it is a stable key.
          <g key={index}>
            <rect {...at} className="serie-2" y={24 - up} height={up} />
            <rect {...at} className="serie-3" y={24 - up - down} height={down} />
          </g>
        )
      })}
    </svg>
  )
}
