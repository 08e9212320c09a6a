import { callApi } from '../../data/api.ts'
import { useQuery } from '@tanstack/react-query'
import type { Campaign } from '../../data/api-types.ts'
import { formatted, t } from '../../phrases/phrases.ts'
import { useInstances, usePlan } from '../../data/queries.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Load } from '../../ui/load.tsx'
import { usePanel } from '../../shell/page.tsx'
import { absoluteMinute } from '../../ui/time.tsx'
import { beginOf, campaignEnd, campaignMinutes, hourlyRate } from './campaign-time.ts'
import { fillTemplate } from '../../../../src/kernel/fill-template.ts'
import { formatPhone } from '../../ui/phone-number.ts'

const PREVIEWED = 3

/** How long the rest of a campaign takes, in minutes. */
export const minutesLeft = ({ counts, pacing, instanceIds }: Campaign): number =>
  campaignMinutes(counts.pending, instanceIds.length, pacing)

/** How many messages a campaign sends an hour, in words; null if its pace has no delay. */
export function rateOf({ instanceIds, pacing }: Campaign): string | null {
  const rate = hourlyRate(instanceIds.length, pacing)
  return rate === null ? null : t.campaigns.perHour(rate)
}

/** What the first people of the list will read. */
function Preview({ campaign }: { campaign: Campaign }) {
  const { mode } = usePanel()
  const { id, message } = campaign
  const query = useQuery({
    queryKey: [mode, 'campaigns', id, 'recipients', 'preview'],
    queryFn: () =>
      callApi(mode, 'GET /v1/campaigns/{id}/recipients', {
        params: [id],
        query: { limit: PREVIEWED },
      }),
  })
  const text = [message['text'], message['caption'], message['question']].find(
    (one): one is string => typeof one === 'string',
  )
  if (text === undefined) return null
  return (
    <Load query={query}>
      {({ items }) => (
        <ul className="bubbles" aria-label={t.campaigns.preview}>
          {items.map(({ to, variables }) => (
            <li key={to} data-mine>
              <small className="quiet">{formatPhone(to)}</small>
              <div className="message-text">{fillTemplate(text, variables)}</div>
            </li>
          ))}
        </ul>
      )}
    </Load>
  )
}

/** Asks before a campaign starts: how many people, through which instances, at what cost, when, and what they read. */
export function StartCampaign(props: {
  campaign: Campaign
  act: () => Promise<unknown>
  onClose: () => void
}) {
  const { campaign, act, onClose } = props
  const { mode } = usePanel()
  const instances = useInstances().data?.items ?? []
  const credits = usePlan().data?.credits ?? null
  const { counts, instanceIds, pacing, creditsEstimated, scheduledAt } = campaign
  const chosen = instances.filter(({ id }) => instanceIds.includes(id))
  const say = t.campaigns
  const minutes = minutesLeft(campaign)
  const rate = rateOf(campaign)
  const facts: [name: string, value: string][] = [
    [say.people, formatted(counts.pending)],
    [
      say.instances,
      chosen
        .map(({ name, status }) =>
          status === 'CONNECTED' ? name : `${name} (${t.states[status]})`,
        )
        .join(', '),
    ],
    [
      t.plan.credits,
      mode === 'test'
        ? say.free
        : say.upTo(formatted(creditsEstimated), credits === null ? null : formatted(credits)),
    ],
    ...(pacing?.window
      ? ([[say.hours, say.between(pacing.window.from, pacing.window.to)]] as const).map(
          ([name, value]): [string, string] => [name, value],
        )
      : []),
    ...(rate === null ? [] : [[say.rate, rate] satisfies [string, string]]),
    ...(scheduledAt === null
      ? []
      : [[say.scheduled, absoluteMinute(Date.parse(scheduledAt))] satisfies [string, string]]),
    [say.lasts, minutes < 1 ? say.lessThanMinute : say.atLeast(minutes)],
    [
      say.ends,
      absoluteMinute(
        campaignEnd(counts.pending, instanceIds.length, pacing, beginOf(scheduledAt)).getTime(),
      ),
    ],
  ]
  return (
    <Confirm
      title={say.sendTo(counts.pending)}
      text={say.startText}
      act={act}
      onClose={onClose}
      namesMode
    >
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Preview campaign={campaign} />
    </Confirm>
  )
}
