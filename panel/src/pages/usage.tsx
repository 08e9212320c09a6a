import { useQuery } from '@tanstack/react-query'
import { call } from '../api.ts'
import { t } from '../phrases/phrases.ts'
import { readPlan } from '../session.ts'
import { Bars } from '../ui/chart.tsx'
import { Empty } from '../ui/controls.tsx'
import { Load } from '../ui/load.tsx'
import { Page, usePlace } from '../ui/page.tsx'

type Row = { day: string; instanceId: string; keyId: string | null; sent: number; received: number }
const DAYS = 30
const DAY_MS = 24 * 3600_000

/** What was sent and received on each of the last days, those without anything too. */
function byDay(rows: Row[]): { label: string; values: number[] }[] {
  const today = new Date().toLocaleDateString('en-CA', { timeZone: 'America/Sao_Paulo' })
  const last = Date.parse(`${today}T00:00:00Z`)
  return Array.from({ length: DAYS }, (_, index) => {
    const day = new Date(last - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10)
    const mine = rows.filter((row) => row.day === day)
    const sum = (of: (row: Row) => number) => mine.reduce((total, row) => total + of(row), 0)
    const label = new Date(`${day}T12:00:00Z`).toLocaleDateString(document.documentElement.lang)
    return { label, values: [sum((row) => row.sent), sum((row) => row.received)] }
  })
}

export function Usage() {
  const { mode } = usePlace()
  const usage = useQuery({
    queryKey: [mode, 'usage'],
    queryFn: () => call<{ items: Row[] }>('GET', `/panel/api/${mode}/usage`),
  })
  const plan = useQuery({ queryKey: ['plan'], queryFn: readPlan })
  return (
    <Page title={t.usage.title} text={t.usage.text}>
      <Load query={plan}>
        {({ credits }) => (
          <div className="cartoes">
            <div className="cartao">
              <span className="discreto">{t.plan.credits}</span>
              <span className="numero">
                {credits.toLocaleString(document.documentElement.lang)}
              </span>
            </div>
          </div>
        )}
      </Load>
      <section className="cartao" aria-labelledby="dias">
        <h2 id="dias">{t.usage.days}</h2>
        <Load query={usage}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty text={t.usage.empty} />
            ) : (
              <Bars
                title={t.usage.days}
                first={t.usage.day}
                series={[t.usage.sent, t.usage.received]}
                bars={byDay(items)}
              />
            )
          }
        </Load>
      </section>
    </Page>
  )
}
