import type { ReactNode } from 'react'
import {
  useDailyCap,
  useHealth,
  useInstances,
  usePlan,
  useResponseTimes,
  useUsage,
} from '../../data/queries.ts'
import { formatted, language, t } from '../../phrases/phrases.ts'
import { Sparkline } from '../../ui/chart.tsx'
import { Load } from '../../ui/load.tsx'
import { hasPermission } from '../../../../src/kernel/permissions.ts'
import { usePanel } from '../../shell/page.tsx'
import { dayInSaoPaulo, dayName, shortDuration } from '../../ui/time.tsx'
import { totals } from './home-charts.tsx'

/** Height of the placeholder of a card in pixels, so that nothing shifts when data arrives. */
const CARD_PX = 130
/** Fewer days with data show no trend. */
const MIN_TREND_DAYS = 3
const TREND_DAYS = 7
const DAY_MS = 24 * 3600_000
/** Height with a trend below the text. */
const TREND_CARD_PX = 166

function Card(props: { title: string; children: ReactNode; text?: ReactNode; trend?: ReactNode }) {
  return (
    <div className="card">
      <span className="quiet">{props.title}</span>
      <span className="big-number">{props.children}</span>
      {props.text && <span className="quiet">{props.text}</span>}
      {props.trend}
    </div>
  )
}

/** How many instances are connected. */
export function Connected() {
  return (
    <Load query={useInstances()} height={CARD_PX}>
      {({ items }) => (
        <Card title={t.home.connected} text={t.home.ofAll(items.length)}>
          {items.filter(({ status }) => status === 'CONNECTED').length}
        </Card>
      )}
    </Load>
  )
}

/** How long contacts waited for the first answer, with the last seven days. */
export function FirstAnswer() {
  return (
    <Load query={useResponseTimes()} height={TREND_CARD_PX}>
      {({ total, days }) => {
        const time = (seconds: number | null) =>
          seconds === null
            ? t.common.none
            : seconds < 1
              ? `< ${shortDuration(1000)}`
              : shortDuration(seconds * 1000)
        return (
          <Card
            title={t.home.firstAnswer}
            text={t.home.firstAnswerText(total.answered)}
            trend={
              days.filter(({ medianSeconds }) => medianSeconds !== null).length >=
                MIN_TREND_DAYS && (
                <Sparkline
                  good={days.map(({ medianSeconds }) => medianSeconds ?? 0)}
                  bad={[]}
                  neutral
                  label={days
                    .map(({ day, medianSeconds: median }) =>
                      t.home.answerDay(dayName(day), time(median)),
                    )
                    .join(', ')}
                />
              )
            }
          >
            {time(total.medianSeconds)}
          </Card>
        )
      }}
    </Load>
  )
}

/** How many deliveries of the last 24 hours arrived, and how fast. */
export function Delivered() {
  return (
    <Load query={useHealth()} height={CARD_PX} count={2}>
      {(health) => {
        const { delivered, failed } = totals(health)
        const share = delivered + failed > 0 ? delivered / (delivered + failed) : null
        return (
          <>
            <Card title={t.home.deliveries} text={t.home.attempts(delivered + failed)}>
              {share === null
                ? t.common.none
                : share.toLocaleString(language, { style: 'percent', maximumFractionDigits: 1 })}
            </Card>
            <Card title={t.home.p95} text={t.home.p95Text}>
              {health.p95Ms === null ? t.common.none : `${formatted(health.p95Ms)} ms`}
            </Card>
          </>
        )
      }}
    </Load>
  )
}

/** The messages sent on each of the last seven days, with today, and the trend of those with any. */
function useSentTrend(enabled: boolean): ReactNode {
  const { me } = usePanel()
  const { data } = useUsage(TREND_DAYS, enabled && hasPermission(me.role, 'viewAccount'))
  const sent = new Map<string, number>()
  for (const { day, sent: count } of data?.items ?? []) sent.set(day, (sent.get(day) ?? 0) + count)
  if ([...sent.values()].filter((count) => count > 0).length < MIN_TREND_DAYS) return null
  const days = Array.from({ length: TREND_DAYS }, (_, index) =>
    dayInSaoPaulo(new Date(Date.now() - (TREND_DAYS - 1 - index) * DAY_MS).toISOString()),
  )
  const counts = days.map((day) => sent.get(day) ?? 0)
  const label = days
    .map((day, index) => t.home.sentDay(dayName(day), counts[index] ?? 0))
    .join(', ')
  return <Sparkline good={counts} bad={[]} neutral label={label} />
}

/** How much of the day's test messages is used, with the last seven days. */
export function Today({ hasTrend }: { hasTrend: boolean }) {
  const trend = useSentTrend(hasTrend)
  return (
    <Load query={useDailyCap()} height={CARD_PX}>
      {({ used, limit }) => <Card title={t.home.today} trend={trend}>{`${used} / ${limit}`}</Card>}
    </Load>
  )
}

/** The credits that are left, with what was sent on the last seven days. */
export function Credits({ hasTrend }: { hasTrend: boolean }) {
  const trend = useSentTrend(hasTrend)
  return (
    <Load query={usePlan()} height={CARD_PX}>
      {({ credits }) => (
        <Card title={t.home.credits} trend={trend}>
          {credits === null ? t.common.none : formatted(credits)}
        </Card>
      )}
    </Load>
  )
}
