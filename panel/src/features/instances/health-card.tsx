import { useQuery } from '@tanstack/react-query'
import { callApi } from '../../data/api.ts'
import type { InstanceHealth } from '../../data/api-types.ts'
import { formatted, t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { StatusBadge } from '../../ui/controls.tsx'
import { Load } from '../../ui/load.tsx'
import { Time } from '../../ui/time.tsx'

const TONES = { good: 'ok', attention: 'warn', risk: 'bad' } as const
const percent = (share: number | null) =>
  share === null ? t.common.none : `${formatted(Math.round(share * 1000) / 10)}%`

/** How likely the number is to be restricted or banned, and what to do about it. */
export function HealthCard({ instanceId }: { instanceId: string }) {
  const { mode } = usePanel()
  const query = useQuery({
    queryKey: [mode, 'health', instanceId],
    queryFn: () => callApi(mode, 'GET /v1/instances/{id}/health', { params: [instanceId] }),
  })
  return (
    <section className="card" aria-labelledby="saude">
      <h2 id="saude">{t.numberHealth.title}</h2>
      <Load query={query}>{(health) => <Health health={health} />}</Load>
    </section>
  )
}

function Health({ health }: { health: InstanceHealth }) {
  const { score, level, reasons, metrics, pacing } = health
  // Without a figure to lose points for, the score says nothing yet.
  const isUnknown =
    reasons.length === 0 && metrics.deliveredShare === null && metrics.connectedShare === null
  const { startedToday, mostPerDay, waiting, nextAt } = pacing
  const figures = [
    [t.numberHealth.delivered, percent(metrics.deliveredShare)],
    [t.numberHealth.connected, percent(metrics.connectedShare)],
    [t.numberHealth.newChats, String(metrics.newChats)],
    [t.numberHealth.answered, String(metrics.newChatsAnswered)],
    [t.numberHealth.allowance, String(metrics.newChatsAllowance)],
    ...(mostPerDay === null
      ? []
      : ([
          [t.pace.today, t.pace.ofMost(startedToday, mostPerDay)],
          [t.pace.waiting, String(waiting)],
        ] as const)),
    ...(nextAt === null ? [] : ([[t.pace.next, <Time key="next" at={nextAt} />]] as const)),
  ] as const
  return (
    <div className="stack-small">
      <div className="row">
        {isUnknown ? (
          <StatusBadge tone="neutral">{t.numberHealth.unknown}</StatusBadge>
        ) : (
          <>
            <StatusBadge tone={TONES[level]}>{t.numberHealth[level]}</StatusBadge>
            <span>{t.numberHealth.score(score)}</span>
          </>
        )}
      </div>
      {reasons.length > 0 && (
        <ul className="health-reasons">
          {reasons.map(({ code, points, message }) => (
            <li key={code}>
              <span className="quiet">−{points}</span>
              <span>{message}</span>
            </li>
          ))}
        </ul>
      )}
      <dl className="health-figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt className="quiet">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="quiet">{t.numberHealth.text}</p>
    </div>
  )
}
