import type { Campaign } from '../../data/api-types.ts'
import { formatted, language, t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { absoluteMinute } from '../../ui/time.tsx'
import { nextOpening } from './campaign-time.ts'
import { rateOf } from './campaign-message.tsx'
import { minutesLeft } from './start-campaign.tsx'

/** The stages of a message, each including those who went further. */
function funnelOf({ sent, delivered, read, replied }: Campaign['counts']) {
  const reached = [sent + delivered + read + replied, delivered + read + replied, read + replied]
  return [
    ['sent', reached[0] ?? 0],
    ['delivered', reached[1] ?? 0],
    ['read', reached[2] ?? 0],
    ['replied', replied],
  ] as const
}

/** How far the campaign is, as a funnel from sent to answered, with what is left and what it costs. */
export function CampaignProgress({ campaign }: { campaign: Campaign }) {
  const { mode } = usePanel()
  const { counts, creditsEstimated, creditsUsed, status } = campaign
  const done = counts.total - counts.pending
  const hasEnded = status === 'COMPLETED' || status === 'CANCELED'
  const isRunning = status === 'RUNNING' && counts.pending > 0
  const left = isRunning ? minutesLeft(campaign) : 0
  const rate = isRunning ? rateOf(campaign) : null
  const now = new Date()
  const opens = isRunning ? nextOpening(campaign.pacing, now) : now
  const percent = (value: number) =>
    (value / Math.max(1, counts.total)).toLocaleString(language, {
      style: 'percent',
      maximumFractionDigits: 0,
    })
  return (
    <section className="card" aria-label={t.campaigns.progress}>
      <div className="spread">
        <strong>{t.campaigns.of(done, counts.total)}</strong>
        <span className="quiet">
          {[
            rate,
            left > 0 ? t.campaigns.atLeast(left) : null,
            mode === 'test' ? null : t.campaigns.credits(creditsUsed, creditsEstimated),
          ]
            .filter((part) => part !== null)
            .join(' · ')}
        </span>
      </div>
      {opens > now && (
        <p role="status">
          {t.campaigns.waitsUntil}{' '}
          <time dateTime={opens.toISOString()}>{absoluteMinute(opens.getTime())}</time>.
        </p>
      )}
      {/* Of one that has ended, the funnel says all. */}
      {!hasEnded && (
        <progress max={Math.max(1, counts.total)} value={done} aria-label={t.campaigns.progress} />
      )}
      <ol className="funnel">
        {funnelOf(counts).map(([name, value]) => (
          <li key={name}>
            <span className="big-number">{formatted(value)}</span>
            <span>{t.campaigns[name]}</span>
            <meter max={Math.max(1, counts.total)} value={value} aria-label={t.campaigns[name]} />
            <small className="quiet">{percent(value)}</small>
          </li>
        ))}
      </ol>
      <div className="row">
        {(['pending', 'failed', 'skipped'] as const).map((name) => (
          <span key={name} className="quiet">
            {t.campaigns[name]}: <strong>{formatted(counts[name])}</strong>
          </span>
        ))}
      </div>
    </section>
  )
}
