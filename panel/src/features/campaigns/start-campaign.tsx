import { callApi } from '../../data/api.ts'
import { useQuery } from '@tanstack/react-query'
import type { Campaign } from '../../data/api-types.ts'
import { formatted, t } from '../../phrases/phrases.ts'
import { usePlan } from '../../data/queries.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Load } from '../../ui/load.tsx'
import { usePanel } from '../../shell/page.tsx'
import { absoluteMinute } from '../../ui/time.tsx'
import { beginOf, campaignEnd, campaignMinutes } from './campaign-time.ts'
import { fillTemplate } from '../../../../src/kernel/fill-template.ts'
import { formatPhone } from '../../ui/phone-number.ts'
import { Facts, type Fact } from '../../ui/drawer.tsx'
import { textOf, useWay } from './campaign-message.tsx'

const PREVIEWED = 3

/** How long the rest of a campaign takes, in minutes. */
export const minutesLeft = ({ counts, pacing, instanceIds }: Campaign): number =>
  campaignMinutes(counts.pending, instanceIds.length, pacing)

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
  const text = textOf(message)
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
  const credits = usePlan().data?.credits ?? null
  const { counts, instanceIds, pacing, creditsEstimated, scheduledAt } = campaign
  const say = t.campaigns
  const minutes = minutesLeft(campaign)
  const [through, ...pace] = useWay(campaign)
  const facts: Fact[] = [
    [say.people, formatted(counts.pending)],
    ...(through ? [through] : []),
    [
      t.plan.credits,
      mode === 'test'
        ? say.free
        : say.upTo(formatted(creditsEstimated), credits === null ? null : formatted(credits)),
    ],
    ...pace,
    ...(scheduledAt === null
      ? []
      : [[say.scheduled, absoluteMinute(Date.parse(scheduledAt))] satisfies Fact]),
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
      <Facts facts={facts} />
      <Preview campaign={campaign} />
    </Confirm>
  )
}
