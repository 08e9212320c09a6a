import { Link, useNavigate } from '@tanstack/react-router'
import { curlCommand } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { useHealth, useWebhooks } from '../../data/queries.ts'
import { Sparkline } from '../../ui/chart.tsx'
import { Empty } from '../../ui/controls.tsx'
import { Load } from '../../ui/load.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { Health } from './webhook-health.tsx'

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

/** The webhooks of a mode with their deliveries of the last 24 hours. */
export function Webhooks() {
  const { mode, modo } = usePanel()
  const navigate = useNavigate()
  const query = useWebhooks()
  const health = useHealth()
  const hoursOf = (id: string) => health.data?.webhooks.find(({ webhookId }) => webhookId === id)
  const create = (
    <Link className="button primary" to="/$modo/webhooks/novo" params={{ modo }}>
      {t.webhooks.create}
    </Link>
  )
  return (
    <Page title={t.webhooks.title} text={t.webhooks.text} act={create}>
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty
              text={mode === 'test' ? t.webhooks.empty : t.webhooks.emptyLive}
              curl={curlCommand(mode, 'POST', '/v1/webhooks', {
                name: 'ERP',
                url: 'https://example.com/hook',
                events: ['message.received'],
              })}
            />
          ) : (
            <Table
              caption={t.webhooks.title}
              rows={items}
              keyOf={({ id }) => id}
              onOpen={({ id }) =>
                void navigate({ to: '/$modo/webhooks/$id', params: { modo, id } })
              }
              columns={[
                {
                  head: t.common.name,
                  width: 180,
                  sortBy: ({ name }) => name,
                  cell: ({ id, name }) => (
                    <Link to="/$modo/webhooks/$id" params={{ modo, id }}>
                      {name}
                    </Link>
                  ),
                },
                {
                  head: t.webhooks.url,
                  cell: ({ url }) => <span title={url}>{shortUrl(url)}</span>,
                },
                {
                  head: t.webhooks.events,
                  width: 84,
                  cell: ({ events }) => (
                    <span title={events.join(', ')}>{t.webhooks.eventCount(events.length)}</span>
                  ),
                },
                {
                  head: t.common.status,
                  width: 130,
                  cell: (webhook) => <Health webhook={webhook} />,
                },
                {
                  head: t.webhooks.day,
                  width: 110,
                  cell: ({ id }) => {
                    const { delivered = [], failed = [] } = hoursOf(id) ?? {}
                    if (delivered.length === 0) return t.common.none
                    const label = t.webhooks.dayOf(sum(delivered), sum(failed))
                    return <Sparkline good={delivered} bad={failed} label={label} />
                  },
                },
                {
                  head: t.webhooks.lastSuccess,
                  width: 116,
                  cell: ({ lastSuccessAt }) => <Time at={lastSuccessAt} />,
                  sortBy: ({ lastSuccessAt }) => lastSuccessAt,
                },
                {
                  head: t.webhooks.lastFailure,
                  width: 140,
                  cell: ({ lastFailureAt, lastFailureReason }) => (
                    <span title={lastFailureReason ?? undefined}>
                      <Time at={lastFailureAt} />
                    </span>
                  ),
                  sortBy: ({ lastFailureAt }) => lastFailureAt,
                },
              ]}
            />
          )
        }
      </Load>
    </Page>
  )
}

/** An address without its scheme; a long one keeps its beginning and its end, which tell webhooks apart. */
function shortUrl(url: string): string {
  const plain = url.replace('https://', '')
  return plain.length > 40 ? `${plain.slice(0, 25)}…${plain.slice(-12)}` : plain
}
