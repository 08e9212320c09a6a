import type { DeliveryHealth } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { useHealth } from '../../data/queries.ts'
import { Bars } from '../../ui/chart.tsx'
import { Load } from '../../ui/load.tsx'
import { timeOfDay } from '../../ui/time.tsx'

const HOUR_MS = 3600_000

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
/** Total delivered and failed attempts of the last 24 hours. */
export const totals = ({ webhooks }: DeliveryHealth) => ({
  delivered: sum(webhooks.flatMap((one) => one.delivered)),
  failed: sum(webhooks.flatMap((one) => one.failed)),
})

/** Delivered and failed attempts per hour. */
export function DayChart() {
  return (
    <section className="card" aria-labelledby="dia">
      <h2 id="dia">{t.home.day}</h2>
      <Load query={useHealth()} height={20}>
        {(health) => {
          const from = Date.parse(health.from)
          const bars = Array.from({ length: 24 }, (_, index) => ({
            label: timeOfDay(from + index * HOUR_MS),
            values: [
              sum(health.webhooks.map(({ delivered }) => delivered[index] ?? 0)),
              sum(health.webhooks.map(({ failed }) => failed[index] ?? 0)),
            ],
          }))
          const { delivered, failed } = totals(health)
          if (delivered + failed === 0) return <p className="quiet">{t.home.noDeliveries}</p>
          return (
            <Bars
              title={t.home.day}
              first={t.home.hour}
              series={[t.home.delivered, t.home.failed]}
              tones={[2, 3]}
              bars={bars}
            />
          )
        }}
      </Load>
    </section>
  )
}

/** Response time of webhooks per hour (95th percentile). */
export function SpeedChart() {
  const { data } = useHealth()
  if (!data?.p95ByHour.some((value) => value !== null)) return null
  const from = Date.parse(data.from)
  return (
    <section className="card" aria-labelledby="resposta">
      <h2 id="resposta">{t.home.speed}</h2>
      <Bars
        title={t.home.speed}
        first={t.home.hour}
        series={['p95']}
        unit=" ms"
        bars={data.p95ByHour.map((value, index) => ({
          label: timeOfDay(from + index * HOUR_MS),
          values: [value],
        }))}
      />
    </section>
  )
}
