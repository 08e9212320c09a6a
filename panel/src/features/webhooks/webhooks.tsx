import { Link } from '@tanstack/react-router'
import { curlCommand } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { useHealth, useWebhooks } from '../../data/queries.ts'
import { Sparkline } from '../../ui/chart.tsx'
import { StatusBadge, Empty } from '../../ui/controls.tsx'
import { Load } from '../../ui/load.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

/** The webhooks of a mode with their deliveries of the last 24 hours. */
export function Webhooks() {
  const { mode, modo } = usePanel()
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
              text={t.webhooks.empty}
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
              columns={[
                {
                  head: t.common.name,
                  cell: ({ id, name }) => (
                    <Link to="/$modo/webhooks/$id" params={{ modo, id }}>
                      {name}
                    </Link>
                  ),
                },
                { head: t.webhooks.url, width: 'grow', cell: ({ url }) => url },
                {
                  head: t.webhooks.events,
                  cell: ({ events }) => (
                    <span title={events.join(', ')}>{t.webhooks.eventCount(events.length)}</span>
                  ),
                },
                {
                  head: t.common.status,
                  cell: ({ enabled }) => (
                    <StatusBadge tone={enabled ? 'ok' : 'warn'}>
                      {enabled ? t.webhooks.on : t.webhooks.off}
                    </StatusBadge>
                  ),
                },
                {
                  head: t.webhooks.day,
                  cell: ({ id }) => {
                    const { delivered = [], failed = [] } = hoursOf(id) ?? {}
                    if (delivered.length === 0) return t.common.none
                    const label = t.webhooks.dayOf(sum(delivered), sum(failed))
                    return <Sparkline good={delivered} bad={failed} label={label} />
                  },
                },
                {
                  head: t.webhooks.lastSuccess,
                  cell: ({ lastSuccessAt }) => <Time at={lastSuccessAt} />,
                },
                {
                  head: t.webhooks.lastFailure,
                  width: 'wrap',
                  cell: ({ lastFailureAt, lastFailureReason }) => (
                    <>
                      <Time at={lastFailureAt} />
                      {lastFailureReason && <div className="quiet">{lastFailureReason}</div>}
                    </>
                  ),
                },
              ]}
            />
          )
        }
      </Load>
    </Page>
  )
}
