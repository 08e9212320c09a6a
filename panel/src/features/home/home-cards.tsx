import type { ReactNode } from 'react'
import {
  useDailyCap,
  useHealth,
  useInstances,
  usePlan,
  useResponseTimes,
} from '../../data/queries.ts'
import { language, t } from '../../phrases/phrases.ts'
import { Sparkline } from '../../ui/chart.tsx'
import { Load } from '../../ui/load.tsx'
import { dayName, shortDuration } from '../../ui/time.tsx'
import { totals } from './home-charts.tsx'

/** Height of the placeholder of a card in pixels, so that nothing shifts when data arrives. */
const CARD_PX = 130
/** Fewer days with data show no trend. */
const MIN_TREND_DAYS = 3
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
              {health.p95Ms === null ? t.common.none : `${health.p95Ms} ms`}
            </Card>
          </>
        )
      }}
    </Load>
  )
}

/** How much of the day's test messages is used. */
export function Today() {
  return (
    <Load query={useDailyCap()} height={CARD_PX}>
      {({ used, limit }) => <Card title={t.home.today}>{`${used} / ${limit}`}</Card>}
    </Load>
  )
}

/** The credits that are left. */
export function Credits() {
  return (
    <Load query={usePlan()} height={CARD_PX}>
      {({ credits }) => <Card title={t.home.credits}>{credits.toLocaleString(language)}</Card>}
    </Load>
  )
}
