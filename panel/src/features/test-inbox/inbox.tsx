import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { callApi, callPanel } from '../../data/api.ts'
import type { CheckedRequests, Inbox as Receiver } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { StatusBadge, Choice, Empty } from '../../ui/controls.tsx'
import { useFilters } from '../../ui/filters.ts'
import { ActionButton, useAction } from '../../ui/form.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Load } from '../../ui/load.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { Time } from '../../ui/time.tsx'

const POLL_INTERVAL_MS = 3000
const STATUSES = [200, 204, 400, 404, 410, 500, 503]

/** The built-in webhook receiver of the test mode: the requests delivered to its inboxes. */
export function Inbox() {
  const { mode } = usePanel()
  const client = useQueryClient()
  const { values, set } = useFilters<'caixa'>()
  const query = useQuery({
    queryKey: [mode, 'inboxes'],
    queryFn: () => callApi('test', 'GET /v1/simulator/inboxes'),
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
    const { id } = await callApi('test', 'POST /v1/simulator/inboxes', { body })
    await client.invalidateQueries({ queryKey: [mode, 'inboxes'] })
    set({ caixa: id })
  }
  return (
    <Page
      title={t.inbox.title}
      text={t.inbox.text}
      act={<ActionButton label={t.inbox.create} act={create} />}
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
              <Requests key={`${inbox.id} requests`} inbox={inbox} />
            </>
          )
        }}
      </Load>
    </Page>
  )
}

/** The choice that lets the inbox time out; all others are the status it returns. */
const TIMEOUT = 'timeout'

function Address({ inbox: { id, url, answer } }: { inbox: Receiver }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const { error, busy, run } = useAction(async (next: { what: string; once: boolean }) => {
    const late = next.what === TIMEOUT
    const body = {
      ...(late ? { status: 504, timeout: true } : { status: Number(next.what) }),
      ...(next.once ? { times: 1 } : {}),
    }
    await callApi('test', 'PUT /v1/simulator/inboxes/{id}/answer', { params: [id], body })
    await client.invalidateQueries({ queryKey: [mode, 'inboxes'] })
  })
  const what = answer.timeout ? TIMEOUT : String(answer.status)
  const once = answer.times !== undefined
  return (
    <section className="card" aria-label={t.webhooks.url}>
      <div className="row">
        <code>{url}</code>
        <CopyButton text={url} />
      </div>
      <div className="fields">
        <Choice
          label={t.inbox.answer}
          hint={t.inbox.answerHint}
          value={what}
          disabled={busy}
          onChange={(event) => run({ what: event.target.value, once })}
          options={[
            ...[...new Set([...(answer.timeout ? [] : [answer.status]), ...STATUSES])].map(
              (status) => [String(status), String(status)] as const,
            ),
            [TIMEOUT, t.inbox.timeout],
          ]}
        />
        <Choice
          label={t.inbox.howLong}
          value={once ? 'once' : 'always'}
          disabled={busy}
          onChange={(event) => run({ what, once: event.target.value === 'once' })}
          options={[
            ['always', t.inbox.always],
            ['once', t.inbox.once],
          ]}
        />
      </div>
      {error !== null && <ErrorBlock error={error} />}
    </section>
  )
}

function Requests({ inbox: { id, url } }: { inbox: Receiver }) {
  const { mode, modo } = usePanel()
  const query = useQuery({
    queryKey: [mode, 'requests', id],
    queryFn: () => callPanel('GET /panel/api/{mode}/inboxes/{id}/requests', { params: [mode, id] }),
    // No live event reports a request to the inbox, so poll.
    refetchInterval: POLL_INTERVAL_MS,
  })
  return (
    <Load query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty text={t.inbox.waiting} curl={`curl -X POST ${url} -d 'oi'`}>
            <Link className="button" to="/$modo/webhooks" params={{ modo }}>
              {t.nav.webhooks}
            </Link>
          </Empty>
        ) : (
          <div className="stack-small">
            <p role="status" className="quiet">
              {t.inbox.count(items.length)}
            </p>
            <div className="framed-list">
              {items.map((request) => (
                <Request key={request.id} request={request} />
              ))}
            </div>
          </div>
        )
      }
    </Load>
  )
}

function Request({ request }: { request: CheckedRequests['items'][number] }) {
  const { headers, body, method, receivedAt, signature } = request
  return (
    <details className="framed-item">
      <summary>
        <code>{headers['x-service-event'] ?? method}</code>{' '}
        <span className="quiet">
          <Time at={receivedAt} within />
        </span>{' '}
        {signature && (
          <StatusBadge tone={signature.genuine ? 'ok' : 'bad'}>
            {signature.genuine
              ? t.inbox.genuine(signature.webhookName)
              : t.inbox.forged(signature.webhookName)}
          </StatusBadge>
        )}
      </summary>
      <h3>{t.inbox.headers}</h3>
      <JsonTree value={headers} />
      <h3>{t.inbox.body}</h3>
      <Body text={body} />
      <div>
        <CopyButton text={body} />
      </div>
    </details>
  )
}

/** Longer or deeper bodies are shown as text: strangers can send to this address, and a tree has many elements. */
const MAX_TREE = { characters: 8000, depth: 20 }

const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((one) => isDeeper(one, depth - 1)))

/** Parses a body that can be shown as a tree; undefined for any other. */
function parseTree(text: string): unknown {
  if (text.length > MAX_TREE.characters) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isDeeper(value, MAX_TREE.depth) ? undefined : value
  } catch {
    return undefined
  }
}

/** A body as a tree if it is JSON of a reasonable size, and as it is otherwise. */
function Body({ text }: { text: string }) {
  const tree = parseTree(text)
  return tree === undefined ? <pre tabIndex={0}>{text}</pre> : <JsonTree value={tree} />
}
