import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api.ts'
import type { Campaign, RecipientImport } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { ActForm, Bead, Empty, ErrorBlock } from '../ui/controls.tsx'
import { Load } from '../ui/load.tsx'
import { Page, usePlace } from '../ui/page.tsx'
import { CampaignState, sendFile } from './campaigns.tsx'

type Way = 'start' | 'pause' | 'resume' | 'cancel'
const WAYS: Record<Campaign['status'], Way[]> = {
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
const LOOK_MS = 2000

/** One campaign: how far it is, its recipients, and what can be done with it. */
export function CampaignPage() {
  const { mode } = usePlace()
  const { id = '' } = useParams({ strict: false })
  const client = useQueryClient()
  const [error, setError] = useState<unknown>(null)
  const query = useQuery({
    queryKey: [mode, 'campaigns', id],
    queryFn: () => api(mode, 'GET /v1/campaigns/{id}', { params: [id] }),
    refetchInterval: LOOK_MS,
  })
  async function go(way: Way) {
    setError(null)
    try {
      await api(mode, `POST /v1/campaigns/{id}/${way}`, { params: [id] })
    } catch (failure) {
      setError(failure)
    }
    await client.invalidateQueries({ queryKey: [mode, 'campaigns'] })
  }
  return (
    <Load query={query}>
      {(campaign) => (
        <Page
          title={campaign.name}
          act={
            <div className="linha">
              {WAYS[campaign.status].map((way) => (
                <button
                  key={way}
                  type="button"
                  className={way === 'cancel' ? 'botao perigo' : 'botao principal'}
                  onClick={() => void go(way)}
                >
                  {t.campaigns[way]}
                </button>
              ))}
            </div>
          }
        >
          <div className="linha" aria-live="polite">
            <CampaignState status={campaign.status} />
            {campaign.pause && <span className="discreto">{campaign.pause.message}</span>}
          </div>
          {error !== null && <ErrorBlock error={error} />}
          <Progress campaign={campaign} />
          {WAYS[campaign.status].length > 0 && <Recipients id={id} />}
          <Results id={id} />
        </Page>
      )}
    </Load>
  )
}

function Progress({ campaign: { counts, creditsEstimated, creditsUsed } }: { campaign: Campaign }) {
  const done = counts.total - counts.pending
  const text = t.campaigns.of(done, counts.total)
  return (
    <section className="cartao">
      <progress max={Math.max(1, counts.total)} value={done} aria-label={t.campaigns.progress} />
      <span>{text}</span>
      <div className="linha">
        {COUNTS.map((name) => (
          <span key={name} className="discreto">
            {t.campaigns[name]}: <strong>{counts[name]}</strong>
          </span>
        ))}
      </div>
      <span className="discreto">{t.campaigns.credits(creditsUsed, creditsEstimated)}</span>
    </section>
  )
}

function Recipients({ id }: { id: string }) {
  const { mode } = usePlace()
  const client = useQueryClient()
  const [report, setReport] = useState<RecipientImport | null>(null)
  async function add(form: FormData) {
    const file = form.get('file')
    if (!(file instanceof File)) return
    setReport(await sendFile(mode, id, file))
    await client.invalidateQueries({ queryKey: [mode, 'campaigns'] })
  }
  return (
    <section className="cartao" aria-labelledby="lista">
      <h2 id="lista">{t.campaigns.list}</h2>
      <p className="discreto">{t.campaigns.listText}</p>
      <ActForm act={add} label={t.campaigns.add}>
        <div className="campo">
          <label htmlFor="arquivo">{t.campaigns.file}</label>
          <input id="arquivo" name="file" type="file" accept=".csv,text/csv" required />
        </div>
      </ActForm>
      <div aria-live="polite">
        {report && (
          <>
            <p>{t.campaigns.report(report.added, report.duplicates, report.invalid)}</p>
            {report.problems.length > 0 && (
              <ul>
                {report.problems.slice(0, 20).map(({ line, to, message }) => (
                  <li key={`${line} ${to}`}>{t.campaigns.line(line, to ?? '', message)}</li>
                ))}
              </ul>
            )}
          </>
        )}
      </div>
    </section>
  )
}

function Results({ id }: { id: string }) {
  const { mode } = usePlace()
  const query = useQuery({
    queryKey: [mode, 'campaigns', id, 'recipients'],
    queryFn: () => api(mode, 'GET /v1/campaigns/{id}/recipients', { params: [id] }),
    refetchInterval: LOOK_MS,
  })
  return (
    <Load query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty text={t.campaigns.noRecipients} />
        ) : (
          <div className="tabela">
            <table>
              <caption className="visually-hidden">{t.campaigns.list}</caption>
              <thead>
                <tr>
                  <th scope="col">{t.messages.to}</th>
                  <th scope="col">{t.common.status}</th>
                  <th scope="col">{t.messages.text}</th>
                </tr>
              </thead>
              <tbody>
                {items.map(({ to, status, reason, message }) => (
                  <tr key={to}>
                    <td>{to}</td>
                    <td>
                      <Bead tone={status === 'failed' ? 'falha' : 'neutro'}>
                        {t.campaigns[status]}
                      </Bead>
                      {reason && <div className="discreto">{t.campaigns[reason]}</div>}
                      {message?.error && <div className="discreto">{message.error.message}</div>}
                    </td>
                    <td>{message?.text ?? t.common.none}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Load>
  )
}
