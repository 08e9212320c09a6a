import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api.ts'
import type { Webhook } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { ActForm, Bead, CancelButton, Empty, ErrorBlock, Time } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Load } from '../ui/load.tsx'
import { Page, usePlace } from '../ui/page.tsx'

/** One webhook: its attempts, and what can be done with it. */
export function Deliveries() {
  const { mode } = usePlace()
  const { id = '' } = useParams({ strict: false })
  const webhooks = useQuery({
    queryKey: [mode, 'webhooks'],
    queryFn: () => api(mode, 'GET /v1/webhooks'),
  })
  const attempts = useQuery({
    queryKey: [mode, 'deliveries', id],
    queryFn: () => api(mode, 'GET /v1/webhooks/{id}/deliveries', { params: [id] }),
    refetchInterval: 5000,
  })
  const webhook = webhooks.data?.items.find((one) => one.id === id)
  return (
    <Page
      title={webhook?.name ?? t.webhooks.deliveries}
      {...(webhook ? { text: webhook.url, act: <Acts webhook={webhook} /> } : {})}
    >
      <Load query={attempts}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={t.webhooks.noDeliveries} />
          ) : (
            <div className="tabela">
              <table>
                <caption className="visually-hidden">{t.webhooks.deliveries}</caption>
                <thead>
                  <tr>
                    <th scope="col">{t.messages.when}</th>
                    <th scope="col">{t.webhooks.event}</th>
                    <th scope="col">{t.webhooks.attempt}</th>
                    <th scope="col">{t.webhooks.result}</th>
                    <th scope="col">{t.webhooks.duration}</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((one) => (
                    <tr key={one.id}>
                      <td>
                        <Time at={one.createdAt} />
                      </td>
                      <td>
                        <code>{one.event}</code>
                      </td>
                      <td>{one.attempt}</td>
                      <td>
                        <Bead tone={one.outcome === 'success' ? 'ok' : 'falha'}>
                          {t.webhooks[one.outcome]} {one.statusCode}
                        </Bead>
                        {one.errorReason && <div className="discreto">{one.errorReason}</div>}
                      </td>
                      <td>{one.durationMs} ms</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Load>
    </Page>
  )
}

function Acts({ webhook: { id, name, enabled } }: { webhook: Webhook }) {
  const { mode, modo } = usePlace()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'pause' | 'remove' | null>(null)
  const [error, setError] = useState<unknown>(null)
  const refresh = () => client.invalidateQueries({ queryKey: [mode, 'webhooks'] })
  async function turn(on: boolean) {
    setError(null)
    try {
      await api(mode, 'PATCH /v1/webhooks/{id}', { params: [id], body: { enabled: on } })
      setAsked(null)
      await refresh()
    } catch (failure) {
      setError(failure)
    }
  }
  async function remove() {
    await api(mode, 'DELETE /v1/webhooks/{id}', { params: [id] })
    await navigate({ to: '/$modo/webhooks', params: { modo } })
    await refresh()
  }
  const text = asked === 'pause' ? t.webhooks.pauseText : t.webhooks.removeText(name)
  return (
    <div className="linha">
      <button
        type="button"
        className="botao"
        onClick={() => (enabled ? setAsked('pause') : void turn(true))}
      >
        {enabled ? t.webhooks.pause : t.webhooks.resume}
      </button>
      <button type="button" className="botao perigo" onClick={() => setAsked('remove')}>
        {t.webhooks.remove}
      </button>
      {error !== null && <ErrorBlock error={error} />}
      {asked && (
        <Dialog title={t.webhooks[asked]} onClose={() => setAsked(null)}>
          <p>{text}</p>
          <ActForm
            danger={asked === 'remove'}
            act={() => (asked === 'pause' ? turn(false) : remove())}
            label={t.webhooks[asked]}
            beside={<CancelButton onClick={() => setAsked(null)} />}
          >
            {null}
          </ActForm>
        </Dialog>
      )}
    </div>
  )
}
