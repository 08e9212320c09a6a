import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { callApi, ApiError, callPanel, curlCommand } from '../../data/api.ts'
import type { DeliveredEvent } from '../../data/api-types.ts'
import { formatted, t } from '../../phrases/phrases.ts'
import { useWebhooks } from '../../data/queries.ts'
import { StatusBadge, Empty } from '../../ui/controls.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useFilters } from '../../ui/filters.ts'
import { Load } from '../../ui/load.tsx'
import { Missing } from '../../shell/missing.tsx'
import { NewerButton } from '../../ui/newer-button.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Countdown, LogTime, Time } from '../../ui/time.tsx'
import { useHeldBackRows } from '../../ui/use-newer.ts'
import { DeliveryFilters, type DeliveryFilter } from './delivery-filters.tsx'
import { DeliveryDetail, OUTCOME_TONES } from './delivery-detail.tsx'
import { WebhookActions, TestEvents } from './webhook-actions.tsx'
import { Health } from './webhook-health.tsx'

const PAGE = 50
const POLL_INTERVAL_MS = 3000
const AUTO_SHOW_MS = 15_000
/** One webhook: the deliveries of each event, and the actions on it. */
export function Deliveries() {
  const { id = '' } = useParams({ strict: false })
  const webhooks = useWebhooks()
  const webhook = webhooks.data?.items.find((one) => one.id === id)
  const [caused, setCaused] = useState(0)
  if (webhooks.data && !webhook) {
    const code = { code: 'NOT_FOUND', message: t.webhooks.gone }
    return (
      <Missing
        error={new ApiError(404, code, null)}
        retry={() => void webhooks.refetch()}
        fetchIn={async (mode) => {
          const { items } = await callApi(mode, 'GET /v1/webhooks')
          if (!items.some((one) => one.id === id)) throw new ApiError(404, code, null)
        }}
        path={`/webhooks/${id}`}
      />
    )
  }
  return (
    <Page
      title={webhook?.name ?? t.webhooks.deliveries}
      {...(webhook ? { text: webhook.url, act: <WebhookActions webhook={webhook} /> } : {})}
    >
      <Load query={webhooks}>
        {() => (
          <>
            {webhook && !webhook.enabled && (
              <p className="stale" role="status">
                {t.webhooks.isPaused}
              </p>
            )}
            {webhook && (
              <div className="row quiet facts-line">
                <Health webhook={webhook} />
                <span title={webhook.events.join(', ')}>
                  {webhook.events.length === 0
                    ? t.webhooks.allEvents
                    : t.webhooks.eventCount(webhook.events.length)}
                </span>
                {webhook.lastSuccessAt && (
                  <span>
                    {t.webhooks.lastSuccess}: <Time at={webhook.lastSuccessAt} within />
                  </span>
                )}
                <CopyButton text={webhook.url} label={t.webhooks.copyUrl} />
              </div>
            )}
            {webhook && <TestEvents webhook={webhook} onCaused={() => setCaused(Date.now())} />}
            <Log
              id={id}
              enabled={webhook?.enabled ?? true}
              headerNames={webhook?.headerNames ?? []}
              caused={caused}
            />
          </>
        )}
      </Load>
    </Page>
  )
}

/** The delivery log. New rows wait behind a button, so that rows do not shift under the pointer. */
function Log(props: { id: string; enabled: boolean; headerNames: string[]; caused: number }) {
  const { id, enabled, headerNames, caused } = props
  const { mode } = usePanel()
  const { values } = useFilters<DeliveryFilter>()
  const asked = {
    outcome: values.resultado as 'success' | 'failed' | undefined,
    event: values.evento as DeliveredEvent['event'] | undefined,
    status: values.http as '2xx' | undefined,
    hours: Number(values.horas ?? 720),
    q: values.q,
  }
  const query = useInfiniteQuery({
    queryKey: [mode, 'deliveries', id, asked],
    queryFn: ({ pageParam }) =>
      callPanel('GET /panel/api/{mode}/webhooks/{id}/events', {
        params: [mode, id],
        query: { ...asked, limit: PAGE, ...(pageParam ? { before: pageParam } : {}) } as {
          limit: number
        },
      }),
    initialPageParam: 0,
    placeholderData: keepPreviousData,
    getNextPageParam: ({ before }) => before ?? undefined,
    // No live event reports the end of an attempt, so poll.
    refetchInterval: POLL_INTERVAL_MS,
  })
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  const filter = `${id} ${JSON.stringify(asked)}`
  const { shown, newer, show } = useHeldBackRows(
    items,
    ({ eventId }) => eventId,
    filter,
    query.isPlaceholderData,
  )
  // A user who has just triggered a test event is waiting for its row.
  const awaited = newer > 0 && Date.now() - caused < AUTO_SHOW_MS
  useEffect(() => {
    if (awaited) show()
  }, [awaited])
  const filtered = Object.values({ ...asked, hours: undefined }).some(Boolean)
  return (
    <section className="stack-small" aria-labelledby="entregas">
      <h2 id="entregas">{t.webhooks.deliveries}</h2>
      <DeliveryFilters />
      <div aria-live="polite">
        <NewerButton newer={newer} show={show} />
      </div>
      <Load query={query}>
        {() => (
          <>
            {shown.length === 0 && (
              <Empty
                text={filtered ? t.webhooks.noneFound : t.webhooks.noDeliveries}
                {...(filtered
                  ? {}
                  : { curl: curlCommand(mode, 'GET', `/v1/webhooks/${id}/deliveries`) })}
              />
            )}
            {shown.length > 0 && (
              <Rows webhookId={id} shown={shown} enabled={enabled} headerNames={headerNames} />
            )}
            <MoreButton query={query} found={shown.length} />
          </>
        )}
      </Load>
      <p className="quiet">{t.webhooks.noReplay}</p>
    </section>
  )
}

/** The attempts as beads, in their order. */
function Beads({ attempts }: { attempts: DeliveredEvent['attempts'] }) {
  return (
    <span className="beads" title={t.webhooks.attempts(attempts.length)}>
      {attempts.map(({ id, outcome }) => (
        <span key={id} data-outcome={outcome} />
      ))}
      <span className="visually-hidden">{t.webhooks.attempts(attempts.length)}</span>
    </span>
  )
}

/** The deliveries in rows of one line; one opens beside them, with its attempts and what was sent. */
function Rows(props: {
  webhookId: string
  shown: DeliveredEvent[]
  enabled: boolean
  headerNames: string[]
}) {
  const { webhookId, shown, enabled, headerNames } = props
  const { values, set } = useFilters<'entrega'>()
  const show = ({ eventId }: DeliveredEvent) => set({ entrega: eventId }, { replace: true })
  const open = shown.find(({ eventId }) => eventId === values.entrega)
  return (
    <>
      <Table
        caption={t.webhooks.deliveries}
        rows={shown}
        keyOf={({ eventId }) => eventId}
        onOpen={show}
        isOpen={({ eventId }) => eventId === open?.eventId}
        columns={[
          {
            head: t.common.status,
            width: 168,
            cell: ({ outcome }) => (
              <StatusBadge tone={OUTCOME_TONES[outcome]}>{t.webhooks[outcome]}</StatusBadge>
            ),
          },
          {
            head: t.webhooks.event,
            width: 180,
            cell: (one) => (
              <button type="button" className="row-button truncate" onClick={() => show(one)}>
                <code>{one.event}</code>
              </button>
            ),
          },
          {
            head: t.webhooks.attempt,
            width: 92,
            cell: ({ attempts }) => <Beads attempts={attempts} />,
          },
          { head: t.requests.answer, cell: (one) => <Answer one={one} /> },
          {
            head: t.requests.duration,
            width: 96,
            number: true,
            cell: ({ attempts }) => {
              const last = attempts.at(-1)
              return last && `${formatted(last.durationMs)} ms`
            },
          },
          {
            head: t.messages.when,
            width: 140,
            cell: ({ attempts }) => {
              const last = attempts.at(-1)
              return last && <LogTime at={last.createdAt} />
            },
          },
        ]}
      />
      {open && (
        <DeliveryDetail
          key={open.eventId}
          webhookId={webhookId}
          one={open}
          enabled={enabled}
          headerNames={headerNames}
          onClose={() => set({ entrega: undefined })}
        />
      )}
    </>
  )
}

/** What the endpoint answered last, or when the next attempt is. */
function Answer({ one: { attempts, nextAttemptAt } }: { one: DeliveredEvent }) {
  const last = attempts.at(-1)
  const answer = last?.errorReason ?? (last?.statusCode ? `HTTP ${last.statusCode}` : '')
  return (
    <span className="quiet" title={last?.errorReason ?? undefined}>
      {answer}
      {nextAttemptAt && (
        <>
          {' · '}
          {t.webhooks.next} {t.webhooks.in} <Countdown until={nextAttemptAt} />
        </>
      )}
    </span>
  )
}
