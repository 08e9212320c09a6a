import { fillTemplate, variablesOf } from '../../../../src/kernel/fill-template.ts'
import { t } from '../../phrases/phrases.ts'
import { formatPhone } from '../../ui/phone-number.ts'
import { absoluteMinute } from '../../ui/time.tsx'
import { type Kind } from '../messages/compose.tsx'
import { beginOf, campaignEnd, campaignMinutes } from './campaign-time.ts'
import type { Audience } from './read-audience.ts'
import type { Plan } from './read-campaign-form.ts'

/** What the first people of the list will see on their phones, and how long everything takes. */
export function Preview(props: {
  text: string
  kind: Kind
  audience: Audience | null
  plan: Plan | null
  /** When the campaign is to begin; null for at once. */
  scheduledAt: string | null
}) {
  const { text, kind, audience, plan, scheduledAt } = props
  const people = audience?.first ?? []
  const minutes =
    plan && audience ? campaignMinutes(audience.lines, plan.instances, plan.pacing) : 0
  const shown = text.trim() || t.kinds[kind]
  const missing = audience
    ? variablesOf(text).filter((name) => !audience.columns.includes(name))
    : []
  return (
    <aside className="phone-preview" aria-label={t.campaigns.preview}>
      <div className="phone-frame">
        <ul className="bubbles">
          {(people.length > 0 ? people : [{ to: '', variables: {} }]).map(({ to, variables }) => (
            <li key={to} data-mine>
              {to && <small className="quiet">{formatPhone(to)}</small>}
              {kind !== 'text' && <em className="quiet">{t.kinds[kind]}</em>}
              <div className="message-text">{fillTemplate(shown, variables)}</div>
            </li>
          ))}
        </ul>
      </div>
      {missing.length > 0 && (
        <p className="status bad" role="status">
          {t.newCampaign.notColumns(missing.map((name) => `{{${name}}}`).join(', '))}
        </p>
      )}
      <p className="quiet">{people.length > 0 ? t.campaigns.preview : t.newCampaign.previewHint}</p>
      {audience && plan && (
        <p>
          {t.newCampaign.lines(audience.lines)} ·{' '}
          {minutes < 1 ? t.campaigns.lessThanMinute : t.campaigns.atLeast(minutes)}
          {' · '}
          {t.campaigns.ends}{' '}
          {absoluteMinute(
            campaignEnd(
              audience.lines,
              plan.instances,
              plan.pacing,
              beginOf(scheduledAt),
            ).getTime(),
          )}
        </p>
      )}
    </aside>
  )
}
