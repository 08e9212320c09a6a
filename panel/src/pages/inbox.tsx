import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../api.ts'
import type { Inbox as Receiver, InboxRequest } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Bead, Choice, Empty, Field } from '../ui/controls.tsx'
import { useFilters } from '../ui/filters.ts'
import { ActButton, useAct } from '../ui/form.tsx'
import { ErrorBlock } from '../ui/error-block.tsx'
import { JsonTree } from '../ui/json-tree.tsx'
import { Load } from '../ui/load.tsx'
import { Page, usePlace } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'

const LOOK_MS = 3000
const STATUSES = [200, 204, 400, 404, 410, 500, 503]

/** The receiver within the product: what webhooks have delivered to it. */
export function Inbox() {
  const { mode } = usePlace()
  const client = useQueryClient()
  const { values, set } = useFilters<'caixa'>()
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
  async function create() {
    const body = { name: t.webhooks.suggested }
    const { id } = await api('test', 'POST /v1/simulator/inboxes', { body })
    await client.invalidateQueries({ queryKey: [mode, 'inboxes'] })
    set({ caixa: id })
  }
  return (
    <Page
      title={t.inbox.title}
      text={t.inbox.text}
      act={<ActButton label={t.inbox.create} act={create} />}
    >
      <Load query={query}>
        {({ items }) => {
          const inbox = items.find(({ id }) => id === values.caixa) ?? items[0]
          if (!inbox) return <Empty text={t.inbox.empty} />
          return (
            <>
              {items.length > 1 && (
                <Choice
                  label={t.inbox.title}
                  value={inbox.id}
                  onChange={(event) => set({ caixa: event.target.value })}
                  options={items.map(({ id, name }) => [id, `${name} · ${id}`] as const)}
                />
              )}
              <Address key={inbox.id} inbox={inbox} />
              <Requests key={`${inbox.id} requests`} id={inbox.id} />
            </>
          )
        }}
      </Load>
    </Page>
  )
}

function Address({ inbox: { id, url, answer } }: { inbox: Receiver }) {
  const { mode } = usePlace()
  const client = useQueryClient()
  const { error, busy, run } = useAct(async (status: number) => {
    await api('test', 'PUT /v1/simulator/inboxes/{id}/answer', { params: [id], body: { status } })
    await client.invalidateQueries({ queryKey: [mode, 'inboxes'] })
  })
  return (
    <section className="cartao" aria-label={t.webhooks.url}>
      <div className="linha">
        <code>{url}</code>
        <CopyButton text={url} />
      </div>
      <Choice
        label={t.inbox.answer}
        hint={t.inbox.answerHint}
        value={String(answer.status)}
        disabled={busy}
        onChange={(event) => run(Number(event.target.value))}
        options={[...new Set([answer.status, ...STATUSES])].map(
          (status) => [String(status), String(status)] as const,
        )}
      />
      {error !== null && <ErrorBlock error={error} />}
    </section>
  )
}

/** The signature as the secret makes it of these bytes; null where the browser has no means. */
async function sign(secret: string, body: string): Promise<string | null> {
  if (!('subtle' in crypto)) return null
  const bytes = new TextEncoder()
  const key = await crypto.subtle.importKey(
    ...(['raw', bytes.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']] as const),
  )
  const signature = await crypto.subtle.sign('HMAC', key, bytes.encode(body))
  const hex = [...new Uint8Array(signature)].map((byte) => byte.toString(16).padStart(2, '0'))
  return `sha256=${hex.join('')}`
}

function Signature({ request, secret }: { request: InboxRequest; secret: string }) {
  const [expected, setExpected] = useState<string | null | undefined>(undefined)
  useEffect(() => {
    void sign(secret, request.body).then(setExpected)
  }, [secret, request.body])
  if (expected === undefined) return null
  if (expected === null) return <span className="discreto">{t.inbox.noCrypto}</span>
  const good = expected === request.headers['x-service-signature']
  return <Bead tone={good ? 'ok' : 'falha'}>{good ? t.inbox.genuine : t.inbox.forged}</Bead>
}

function Requests({ id }: { id: string }) {
  const { mode } = usePlace()
  const [secret, setSecret] = useState('')
  const query = useQuery({
    queryKey: [mode, 'requests', id],
    queryFn: () => api('test', 'GET /v1/simulator/inboxes/{id}/requests', { params: [id] }),
    // No event tells that a delivery has come.
    refetchInterval: LOOK_MS,
  })
  return (
    <>
      <Field
        label={t.inbox.secret}
        hint={t.inbox.secretHint}
        type="password"
        autoComplete="off"
        value={secret}
        onChange={(event) => setSecret(event.target.value)}
      />
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={t.inbox.waiting} />
          ) : (
            <div className="pilha-menor">
              <p role="status" className="discreto">
                {t.inbox.count(items.length)}
              </p>
              {items.map((request) => (
                <Request key={request.id} request={request} secret={secret.trim()} />
              ))}
            </div>
          )
        }
      </Load>
    </>
  )
}

function Request({ request, secret }: { request: InboxRequest; secret: string }) {
  const { headers, body, method, receivedAt } = request
  return (
    <details className="cartao evento">
      <summary>
        <code>{headers['x-service-event'] ?? method}</code> · <Time at={receivedAt} />{' '}
        {secret && <Signature request={request} secret={secret} />}
      </summary>
      <h3>{t.inbox.headers}</h3>
      <JsonTree value={headers} />
      <h3>{t.inbox.body}</h3>
      <pre tabIndex={0}>{body}</pre>
      <div>
        <CopyButton text={body} />
      </div>
    </details>
  )
}
