import { Link, useNavigate } from '@tanstack/react-router'
import { callApi, curlCommand } from '../../data/api.ts'
import type { Campaign } from '../../data/api-types.ts'
import { usePlan, useSubscribed } from '../../data/queries.ts'
import { t } from '../../phrases/phrases.ts'
import { Page, usePanel } from '../../shell/page.tsx'
import { Empty, StatusBadge, type Tone } from '../../ui/controls.tsx'
import { CreateButton } from '../../ui/create-button.tsx'
import { Load } from '../../ui/load.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { usePages } from '../../ui/use-pages.ts'

const POLL_INTERVAL_MS = 5000
const TONES: Partial<Record<Campaign['status'], Tone>> = {
  RUNNING: 'ok',
  COMPLETED: 'ok',
  PAUSED: 'warn',
  CANCELED: 'bad',
}

/** The status of a campaign as a bead. */
export function CampaignState({ status }: { status: Campaign['status'] }) {
  return <StatusBadge tone={TONES[status] ?? 'neutral'}>{t.campaigns[status]}</StatusBadge>
}

/** The campaigns of a mode, newest first. */
export function Campaigns() {
  const { mode, modo } = usePanel()
  const navigate = useNavigate()
  const plan = usePlan()
  const subscribed = useSubscribed()
  const query = usePages(
    [mode, 'campaigns'],
    (page) => callApi(mode, 'GET /v1/campaigns', { query: page }),
    { refetchInterval: POLL_INTERVAL_MS },
  )
  const included = mode === 'test' || !plan.data || plan.data.addons.includes('mass_sending')
  return (
    <Page
      title={t.campaigns.title}
      text={t.campaigns.text}
      act={
        <CreateButton
          label={t.campaigns.create}
          allowed={included && subscribed}
          upgradeText={subscribed ? t.campaigns.needsAddon : t.common.subscribe}
          onCreate={() => void navigate({ to: '/$modo/campanhas/nova', params: { modo } })}
        />
      }
    >
      <Load query={query}>
        {(items) =>
          items.length === 0 ? (
            <Empty
              text={t.campaigns.empty}
              curl={curlCommand(mode, 'POST', '/v1/campaigns', {
                name: t.campaigns.title,
                instanceIds: ['ins_…'],
                message: { type: 'text', text: t.campaigns.suggested },
              })}
            >
              <p className="quiet">{t.campaigns.limits}</p>
            </Empty>
          ) : (
            <>
              <Table
                caption={t.campaigns.title}
                rows={items}
                keyOf={({ id }) => id}
                onOpen={({ id }) =>
                  void navigate({ to: '/$modo/campanhas/$id', params: { modo, id } })
                }
                columns={[
                  {
                    head: t.common.name,
                    sortBy: ({ name }) => name,
                    cell: ({ id, name }) => (
                      <Link to="/$modo/campanhas/$id" params={{ modo, id }}>
                        {name}
                      </Link>
                    ),
                  },
                  {
                    head: t.common.status,
                    width: 160,
                    cell: ({ status }) => <CampaignState status={status} />,
                  },
                  {
                    head: t.campaigns.progress,
                    width: 150,
                    number: true,
                    cell: ({ counts }) =>
                      t.campaigns.of(counts.total - counts.pending, counts.total),
                  },
                  {
                    head: t.campaigns.scheduled,
                    width: 150,
                    cell: ({ scheduledAt }) =>
                      scheduledAt ? <Time at={scheduledAt} /> : t.common.none,
                  },
                  {
                    head: t.common.createdAt,
                    width: 130,
                    sortBy: ({ createdAt }) => createdAt,
                    cell: ({ createdAt }) => <Time at={createdAt} />,
                  },
                ]}
              />
              <MoreButton query={query} found={items.length} />
            </>
          )
        }
      </Load>
    </Page>
  )
}
