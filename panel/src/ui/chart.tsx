export type Bar = { label: string; values: number[] }

const HEIGHT = 160
const WIDTH = 640

/** Stacked bars, one a day, with the same numbers as a table for whoever does not see them. */
export function Bars(props: { title: string; series: string[]; bars: Bar[]; first: string }) {
  const { title, series, bars, first } = props
  const total = ({ values }: Bar) => values.reduce((sum, value) => sum + value, 0)
  const most = Math.max(1, ...bars.map(total))
  const step = WIDTH / Math.max(1, bars.length)
  return (
    <figure className="grafico">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        {bars.map((bar, index) => {
          let below = 0
          return bar.values.map((value, which) => {
            const height = (value / most) * (HEIGHT - 4)
            below += height
            return (
              <rect
                key={`${bar.label} ${series[which]}`}
                className={`serie-${which + 1}`}
                x={index * step + step * 0.15}
                y={HEIGHT - below}
                width={step * 0.7}
                height={height}
              />
            )
          })
        })}
      </svg>
      <figcaption className="linha">
        {series.map((name, which) => (
          <span key={name} className={`legenda serie-${which + 1}`}>
            {name}
          </span>
        ))}
      </figcaption>
      <details>
        <summary>{title}</summary>
        <div className="tabela">
          <table>
            <thead>
              <tr>
                <th scope="col">{first}</th>
                {series.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {bars.map(({ label, values }) => (
                <tr key={label}>
                  <td>{label}</td>
                  {values.map((value, which) => (
                    <td key={series[which]}>{value}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}
