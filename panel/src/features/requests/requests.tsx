import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { callPanel, curlCommand } from '../../data/api.ts'
import type { ApiRequest } from '../../data/api-types.ts'
import { formatted, t } from '../../phrases/phrases.ts'
import { useKeys } from '../../data/queries.ts'
import { StatusBadge, Choice, Empty, type Tone } from '../../ui/controls.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Drawer, Facts } from '../../ui/drawer.tsx'
import { useFilters } from '../../ui/filters.ts'
import { Load } from '../../ui/load.tsx'
import { NewerButton } from '../../ui/newer-button.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { SavedViews } from '../../shell/saved-views.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Table } from '../../ui/table.tsx'
import { LogTime, Time } from '../../ui/time.tsx'
import { useHeldBackRows } from '../../ui/use-newer.ts'

const FILTERS = ['resultado', 'chave', 'q'] as const
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
      <div aria-live="polite" className="live-line">
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
    <div className="filters">
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
          ['', t.common.allFeminine],
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
      <SavedViews page="requisicoes" names={FILTERS} />
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
  const { values, set } = useFilters<'requisicao'>()
  const show = ({ id }: ApiRequest) => set({ requisicao: id }, { replace: true })
  const open = requests.find(({ id }) => id === values.requisicao)
  return (
    <>
      <Table
        caption={t.requests.title}
        rows={requests}
        keyOf={({ id }) => id}
        onOpen={show}
        isOpen={({ id }) => id === open?.id}
        columns={[
          {
            head: t.requests.answer,
            width: 88,
            cell: ({ status }) => <StatusBadge tone={toneOf(status)}>{status}</StatusBadge>,
            sortBy: ({ status }) => status,
          },
          {
            head: t.requests.call,
            cell: (request) => (
              <button
                type="button"
                className="row-button truncate"
                title={`${request.method} ${request.path}`}
                onClick={() => show(request)}
              >
                <code>
                  {request.method} {shortPath(request.path)}
                </code>
              </button>
            ),
          },
          {
            head: t.requests.result,
            width: 220,
            cell: ({ code, reason, message }) => (
              <span title={message ?? undefined}>{reason ?? code}</span>
            ),
          },
          {
            head: t.requests.key,
            width: 160,
            cell: ({ keyName, keyPrefix, keyId }) => (
              <span title={keyPrefix ? `${keyPrefix}…` : undefined}>{keyName ?? keyId}</span>
            ),
          },
          {
            head: t.requests.duration,
            width: 96,
            number: true,
            cell: ({ ms }) => durationOf(ms),
            sortBy: ({ ms }) => ms,
          },
          { head: t.messages.when, width: 140, cell: ({ at }) => <LogTime at={at} /> },
        ]}
      />
      {open && <Detail request={open} onClose={() => set({ requisicao: undefined })} />}
    </>
  )
}

const durationOf = (ms: number): string => `${formatted(ms)} ms`

/** The path with its ids shortened to what tells them apart. */
const shortPath = (path: string): string =>
  path.replaceAll(/\b([a-z]{3})_[0-9a-z]{20,}([0-9a-z]{4})\b/g, '$1_…$2')

/** One request: what was called, what came back, and what to do about it. */
function Detail({ request, onClose }: { request: ApiRequest; onClose: () => void }) {
  const { mode } = usePanel()
  const { id, method, path, status, code, reason, message, keyName, keyPrefix, ms, at } = request
  const hint = hintOf(request)
  return (
    <Drawer
      title={
        <code>
          {method} {shortPath(path)}
        </code>
      }
      onClose={onClose}
      actions={
        <>
          <CopyButton text={id} label={t.requests.copyId} />
          <CopyButton text={curlCommand(mode, method as 'GET', path)} label="curl" />
        </>
      }
    >
      {message && (
        <div className={status >= 500 ? 'error' : 'stale'}>
          <strong>{message}</strong>
          {hint && <span>{hint}</span>}
        </div>
      )}
      <Facts
        facts={[
          [
            t.requests.answer,
            <StatusBadge key="status" tone={toneOf(status)}>
              {status} {reason ?? code}
            </StatusBadge>,
          ],
          [t.requests.call, <code key="path">{path}</code>],
          [t.requests.key, keyName && `${keyName} · ${keyPrefix ?? ''}…`],
          [t.requests.duration, durationOf(ms)],
          [t.messages.when, <Time key="at" at={at} />],
          [t.requests.id, <code key="id">{id}</code>],
        ]}
      />
    </Drawer>
  )
}
