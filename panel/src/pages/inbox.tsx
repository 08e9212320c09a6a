import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../api.ts'
import { t } from '../phrases/phrases.ts'
import { ActForm, CopyButton, Empty, Time } from '../ui/controls.tsx'
import { Load } from '../ui/load.tsx'
import { Page, usePlace } from '../ui/page.tsx'

/** The receiver within the product: what webhooks have delivered to it. */
export function Inbox() {
  const { mode } = usePlace()
  const client = useQueryClient()
  const query = useQuery({
    queryKey: [mode, 'inboxes'],
    queryFn: () => api('test', 'GET /v1/simulator/inboxes'),
    enabled: mode === 'test',
  })
  if (mode !== 'test') {
    return (
      <Page title={t.inbox.title}>
        <Empty text={t.phone.testOnly} />
      </Page>
    )
  }
  return (
    <Page title={t.inbox.title} text={t.inbox.text}>
      <Load query={query}>
        {({ items }) => {
          const [first] = items
          if (first) return <Requests inbox={first} />
          return (
            <Empty text={t.inbox.empty}>
              <ActForm
                label={t.inbox.create}
                act={async () => {
                  const body = { name: t.webhooks.suggested }
                  await api('test', 'POST /v1/simulator/inboxes', { body })
                  await client.invalidateQueries({ queryKey: [mode, 'inboxes'] })
                }}
              >
                {null}
              </ActForm>
            </Empty>
          )
        }}
      </Load>
    </Page>
  )
}

function Requests({ inbox: { id, url } }: { inbox: { id: string; url: string } }) {
  const { mode } = usePlace()
  const query = useQuery({
    queryKey: [mode, 'requests', id],
    queryFn: () => api('test', 'GET /v1/simulator/inboxes/{id}/requests', { params: [id] }),
    refetchInterval: 3000,
  })
  return (
    <>
      <div className="linha">
        <code>{url}</code>
        <CopyButton text={url} />
      </div>
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={t.inbox.waiting} />
          ) : (
            <div className="pilha-menor">
              {items.map((request) => (
                <details key={request.id} className="cartao">
                  <summary>
                    <code>{request.headers['x-service-event'] ?? request.method}</code> ·{' '}
                    <Time at={request.receivedAt} />
                  </summary>
                  <h2>{t.inbox.headers}</h2>
                  <pre tabIndex={0}>{JSON.stringify(request.headers, null, 2)}</pre>
                  <h2>{t.inbox.body}</h2>
                  <pre tabIndex={0}>{request.body}</pre>
                </details>
              ))}
            </div>
          )
        }
      </Load>
    </>
  )
}
