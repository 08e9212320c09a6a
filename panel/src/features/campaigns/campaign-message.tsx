import type { Campaign } from '../../data/api-types.ts'
import { useInstances } from '../../data/queries.ts'
import { t } from '../../phrases/phrases.ts'
import { Facts, type Fact } from '../../ui/drawer.tsx'
import type { Kind } from '../messages/compose.tsx'
import { hourlyRate } from './campaign-time.ts'

/** The text of a campaign's message, with its variables; undefined if it has none. */
export const textOf = (message: Campaign['message']): string | undefined =>
  [message['text'], message['caption'], message['question']].find(
    (one): one is string => typeof one === 'string',
  )

/** How many messages a campaign sends an hour, in words; null if its pace has no delay. */
export function rateOf({ instanceIds, pacing }: Campaign): string | null {
  const rate = hourlyRate(instanceIds.length, pacing)
  return rate === null ? null : t.campaigns.perHour(rate)
}

/** Returns the instances a campaign sends through and, when they are limited, its hours and its pace. */
export function useWay(campaign: Campaign): Fact[] {
  const instances = useInstances().data?.items ?? []
  const { instanceIds, pacing } = campaign
  const { window } = pacing ?? {}
  const rate = rateOf(campaign)
  const names = instances
    .filter(({ id }) => instanceIds.includes(id))
    .map(({ name, status }) => (status === 'CONNECTED' ? name : `${name} (${t.states[status]})`))
  return [
    [t.campaigns.instances, names.join(', ')],
    ...(window
      ? [[t.campaigns.hours, t.campaigns.between(window.from, window.to)] satisfies Fact]
      : []),
    ...(rate === null ? [] : [[t.campaigns.rate, rate] satisfies Fact]),
  ]
}

/** What a campaign sends, with its variables, and how. */
export function CampaignMessage({ campaign }: { campaign: Campaign }) {
  const { message } = campaign
  const kind = message['type'] as Kind
  const text = textOf(message)
  return (
    <section className="card campaign-message" aria-label={t.messages.detail}>
      <ul className="bubbles">
        <li data-mine>
          {kind !== 'text' && <em className="quiet">{t.kinds[kind]}</em>}
          {text !== undefined && <div className="message-text">{text}</div>}
        </li>
      </ul>
      <Facts facts={useWay(campaign)} />
    </section>
  )
}
