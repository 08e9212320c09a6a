import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Campaign, CampaignRecipient } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { StatusBadge, Choice, Empty, type Tone } from '../../ui/controls.tsx'
import { useFilters } from '../../ui/filters.ts'
import { ActionButton } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { Missing } from '../../shell/missing.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { CampaignState } from './campaigns.tsx'
import { CampaignMessage } from './campaign-message.tsx'
import { CampaignProgress } from './campaign-progress.tsx'
import { Recipients } from './campaign-recipients.tsx'
import { downloadResults } from './download-results.ts'
import { StartCampaign } from './start-campaign.tsx'

type CampaignAction = 'start' | 'pause' | 'resume' | 'cancel'
const ACTIONS: Record<Campaign['status'], CampaignAction[]> = {
  DRAFT: ['start', 'cancel'],
  SCHEDULED: ['pause', 'cancel'],
  RUNNING: ['pause', 'cancel'],
  PAUSED: ['resume', 'cancel'],
  COMPLETED: [],
  CANCELED: [],
}
const COUNTS = [
  ...(['pending', 'sent', 'delivered', 'read', 'replied', 'failed', 'skipped'] as const),
]
const POLL_INTERVAL_MS = 2000
const RECIPIENT_TONES: Partial<Record<CampaignRecipient['status'], Tone>> = {
  delivered: 'ok',
  read: 'ok',
  replied: 'ok',
  failed: 'bad',
}
/** Names of the variable that holds a person's name. */
const NAME_VARIABLES = ['nome', 'name', 'nombre']
const nameIn = (variables: Record<string, string>): string | undefined =>
  NAME_VARIABLES.map((name) => variables[name]).find(Boolean)

/** Whether a campaign has not begun. */
const isAhead = ({ status }: Campaign) => status === 'DRAFT' || status === 'SCHEDULED'

/** One campaign: its progress, its recipients, and its available actions. */
export function CampaignPage() {
  const { mode } = usePanel()
  const { id = '' } = useParams({ strict: false })
  const query = useQuery({
    queryKey: [mode, 'campaigns', id],
    queryFn: () => callApi(mode, 'GET /v1/campaigns/{id}', { params: [id] }),
    refetchInterval: POLL_INTERVAL_MS,
  })
  const { data, error, refetch } = query
  if (!data && error) {
    return (
      <Missing
        error={error}
        retry={() => void refetch()}
        fetchIn={(other) => callApi(other, 'GET /v1/campaigns/{id}', { params: [id] })}
        path={`/campanhas/${id}`}
      />
    )
  }
  return (
    <Load query={query}>
      {(campaign) => (
        <Page title={campaign.name} act={<CampaignActions campaign={campaign} />}>
          <div className="row" aria-live="polite">
            <CampaignState status={campaign.status} />
            {campaign.pause && <span className="quiet">{campaign.pause.message}</span>}
            {isAhead(campaign) && campaign.scheduledAt && <Time at={campaign.scheduledAt} />}
            {campaign.status === 'DRAFT' && campaign.counts.pending === 0 && (
              <span className="quiet">{t.campaigns.nobodyYet}</span>
            )}
          </div>
          <CampaignProgress campaign={campaign} />
          <CampaignMessage campaign={campaign} />
          {isAhead(campaign) && <Recipients id={id} />}
          <Results campaign={campaign} />
        </Page>
      )}
    </Load>
  )
}

function CampaignActions({ campaign }: { campaign: Campaign }) {
  const { id, name, status } = campaign
  const { mode, modo } = usePanel()
  const client = useQueryClient()
  const [canceling, setCanceling] = useState(false)
  const [starting, setStarting] = useState(false)
  const go = (way: CampaignAction) => async () => {
    await callApi(mode, `POST /v1/campaigns/{id}/${way}`, { params: [id] })
    setCanceling(false)
    setStarting(false)
    await client.invalidateQueries({ queryKey: [mode, 'campaigns'] })
  }
  return (
    <div className="row">
      {status === 'DRAFT' && (
        <Link
          className="button"
          to="/$modo/campanhas/nova"
          params={{ modo }}
          search={{ rascunho: id }}
        >
          {t.labels.edit}
        </Link>
      )}
      {ACTIONS[status].map((way) =>
        way === 'cancel' ? (
          <button
            key={way}
            type="button"
            className="button danger"
            onClick={() => setCanceling(true)}
          >
            {status === 'DRAFT' ? t.campaigns.discard : t.campaigns.cancel}
          </button>
        ) : way === 'start' ? (
          <button
            key={way}
            type="button"
            className="button primary"
            disabled={campaign.counts.pending === 0}
            title={campaign.counts.pending === 0 ? t.campaigns.nobodyYet : undefined}
            onClick={() => setStarting(true)}
          >
            {t.campaigns.start}
          </button>
        ) : (
          <ActionButton key={way} kind="primary" label={t.campaigns[way]} act={go(way)} />
        ),
      )}
      {starting && (
        <StartCampaign campaign={campaign} act={go('start')} onClose={() => setStarting(false)} />
      )}
      {canceling && (
        <Confirm
          danger
          cancels={status !== 'DRAFT'}
          {...(status === 'DRAFT' ? { object: name } : { name })}
          title={status === 'DRAFT' ? t.campaigns.discard : t.campaigns.cancel}
          text={status === 'DRAFT' ? t.campaigns.discardText : t.campaigns.cancelText(name)}
          act={go('cancel')}
          onClose={() => setCanceling(false)}
        />
      )}
    </div>
  )
}

function Results({ campaign }: { campaign: Campaign }) {
  const { id } = campaign
  const { mode, modo } = usePanel()
  const { values, set } = useFilters<'estado'>()
  const status = COUNTS.find((one) => one === values.estado)
  const query = usePages(
    [mode, 'campaigns', id, 'recipients', status],
    (page) =>
      callApi(mode, 'GET /v1/campaigns/{id}/recipients', {
        params: [id],
        query: { ...page, ...(status ? { status } : {}) },
      }),
    { refetchInterval: POLL_INTERVAL_MS },
  )
  return (
    <section className="stack-small" aria-label={t.campaigns.results}>
      <div className="filters">
        <Choice
          label={t.common.status}
          value={status ?? ''}
          onChange={(event) => set({ estado: event.target.value })}
          options={[['', t.common.all], ...COUNTS.map((one) => [one, t.recipients[one]] as const)]}
        />
        <ActionButton
          label={t.newCampaign.download}
          act={() => downloadResults(mode, campaign, status)}
        />
      </div>
      <Load query={query}>
        {(items) =>
          items.length === 0 ? (
            <Empty text={t.campaigns.noRecipients} />
          ) : (
            <>
              <Table
                caption={t.campaigns.list}
                rows={items}
                keyOf={({ to }) => to}
                columns={[
                  {
                    head: t.messages.to,
                    width: 200,
                    cell: ({ to, message }) =>
                      message ? (
                        <Link
                          to="/$modo/conversas"
                          params={{ modo }}
                          search={{ conversa: message.conversationId, mensagem: message.id }}
                        >
                          {formatPhone(to)}
                        </Link>
                      ) : (
                        formatPhone(to)
                      ),
                  },
                  {
                    head: t.common.name,
                    width: 190,
                    cell: ({ variables }) => nameIn(variables) ?? t.common.none,
                  },
                  {
                    head: t.common.status,
                    width: 130,
                    cell: ({ status: state }) => (
                      <StatusBadge tone={RECIPIENT_TONES[state] ?? 'neutral'}>
                        {t.recipients[state]}
                      </StatusBadge>
                    ),
                  },
                  {
                    head: t.requests.result,
                    width: 220,
                    cell: ({ reason, message }) =>
                      (reason && t.campaigns[reason]) ?? message?.error?.message ?? '',
                  },
                  {
                    head: t.messages.text,
                    cell: ({ message }) => message?.text ?? t.common.none,
                  },
                ]}
              />
              <MoreButton query={query} found={items.length} />
            </>
          )
        }
      </Load>
    </section>
  )
}
