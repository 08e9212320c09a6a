import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { callPanel, curlCommand } from '../../data/api.ts'
import type { ApiRequest } from '../../data/api-types.ts'
import { language, t } from '../../phrases/phrases.ts'
import { useKeys } from '../../data/queries.ts'
import { StatusBadge, Choice, Empty, type Tone } from '../../ui/controls.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useFilters } from '../../ui/filters.ts'
import { Load } from '../../ui/load.tsx'
import { NewerButton } from '../../ui/newer-button.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useHeldBackRows } from '../../ui/use-newer.ts'

const PAGE = 50
const POLL_INTERVAL_MS = 3000
const RESULTS = ['success', 'failed', '4xx', '5xx'] as const

/** The API requests of this mode: the call, its key and the response. */
export function Requests() {
  const { mode } = usePanel()
  const { values } = useFilters<'resultado' | 'chave' | 'q'>()
  const asked = {
    result: RESULTS.find((one) => one === values.resultado),
    keyId: values.chave,
    q: values.q,
  }
  const query = useInfiniteQuery({
    queryKey: [mode, 'api-requests', asked],
    queryFn: ({ pageParam }) =>
      callPanel('GET /panel/api/{mode}/requests', {
        params: [mode],
        query: { ...asked, limit: PAGE, ...(pageParam ? { before: pageParam } : {}) } as {
          limit: number
        },
      }),
    initialPageParam: '',
    placeholderData: keepPreviousData,
    getNextPageParam: ({ before }) => before ?? undefined,
    // No live event reports API requests, so poll, but not while older pages are being read.
    refetchInterval: ({ state }) =>
      (state.data?.pages.length ?? 0) > 1 ? false : POLL_INTERVAL_MS,
  })
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  const { shown, newer, show } = useHeldBackRows(
    items,
    ({ id }) => id,
    mode + JSON.stringify(asked),
    query.isPlaceholderData,
  )
  const filtered = Object.values(asked).some(Boolean)
  return (
    <Page title={t.requests.title} text={t.requests.text}>
      <Filters />
      <div aria-live="polite">
        <NewerButton newer={newer} show={show} />
      </div>
      <Load query={query}>
        {() => (
          <>
            {shown.length === 0 ? (
              <Empty
                text={filtered ? t.requests.noneFound : t.requests.empty}
                {...(filtered ? {} : { curl: curlCommand(mode, 'GET', '/v1/instances') })}
              />
            ) : (
              <List requests={shown} />
            )}
            <MoreButton query={query} found={shown.length} />
          </>
        )}
      </Load>
    </Page>
  )
}

function Filters() {
  const { values, set } = useFilters<'resultado' | 'chave' | 'q'>()
  const keys = useKeys()
  return (
    <div className="fields">
      <Choice
        label={t.requests.result}
        value={values.resultado ?? ''}
        onChange={(event) => set({ resultado: event.target.value })}
        options={[['', t.common.all], ...RESULTS.map((one) => [one, t.requests[one]] as const)]}
      />
      <Choice
        label={t.requests.key}
        value={values.chave ?? ''}
        onChange={(event) => set({ chave: event.target.value })}
        options={[
          ['', t.common.all],
          ...(keys.data?.items ?? []).map(
            ({ id, name, keyPrefix }) => [id, `${name} · ${keyPrefix}…`] as const,
          ),
        ]}
      />
      <SearchField
        label={t.requests.find}
        value={values.q}
        onSearch={(q) => set({ q }, { replace: true })}
      />
    </div>
  )
}

const toneOf = (status: number): Tone => (status < 400 ? 'ok' : status < 500 ? 'warn' : 'bad')

/** A hint for the caller, by the error code of the response; null if there is none. */
function hintOf({ status, code }: ApiRequest): string | null {
  if (status < 400) return null
  const hints: Partial<Record<string, string>> = t.requestHints
  return hints[code ?? ''] ?? null
}

function List({ requests }: { requests: ApiRequest[] }) {
  return (
    <Table
      caption={t.requests.title}
      rows={requests}
      keyOf={({ id }) => id}
      columns={[
        { head: t.messages.when, cell: ({ at }) => <Time at={at} /> },
        {
          head: t.requests.call,
          width: 'grow',
          cell: ({ method, path }) => (
            <code title={`${method} ${path}`}>
              {method} {path}
            </code>
          ),
        },
        {
          head: t.requests.answer,
          width: 'wrap',
          cell: (request) => <ResponseCell request={request} />,
        },
        {
          head: t.requests.key,
          cell: ({ keyName, keyPrefix, keyId }) => (
            <span title={keyPrefix ? `${keyPrefix}…` : undefined}>{keyName ?? keyId}</span>
          ),
        },
        { head: t.requests.duration, cell: ({ ms }) => `${ms.toLocaleString(language)} ms` },
        {
          head: t.requests.id,
          quiet: true,
          cell: ({ id }) => <CopyButton text={id} label={t.requests.copyId} />,
        },
      ]}
    />
  )
}

function ResponseCell({ request }: { request: ApiRequest }) {
  const { status, code, reason, message } = request
  const hint = hintOf(request)
  return (
    <>
      <StatusBadge tone={toneOf(status)}>
        {status} {reason ?? code}
      </StatusBadge>
      {message && <div>{message}</div>}
      {hint && <div className="quiet">{hint}</div>}
    </>
  )
}
