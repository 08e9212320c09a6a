import { hasPermission } from '../../../../src/kernel/permissions.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { callPanel } from '../../data/api.ts'
import type { UsageRow } from '../../data/api-types.ts'
import { formatted, t } from '../../phrases/phrases.ts'
import { useAlerts, useInstances, useKeys, usePlan, useUsage } from '../../data/queries.ts'
import { Bars } from '../../ui/chart.tsx'
import { Choice, Empty } from '../../ui/controls.tsx'
import { useFilters } from '../../ui/filters.ts'
import { Load } from '../../ui/load.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { Table } from '../../ui/table.tsx'
import { dayName, Time, todayInSaoPaulo } from '../../ui/time.tsx'

const DAY_MS = 24 * 3600_000
const PERIODS = ['7', '30', '90'] as const

const total = (rows: UsageRow[], of: 'sent' | 'received') =>
  rows.reduce((sum, row) => sum + row[of], 0)

/** Messages sent and received on each of the last days, including days without any. */
function byDay(rows: UsageRow[], days: number): { label: string; values: number[] }[] {
  const last = Date.parse(todayInSaoPaulo())
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(last - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10)
    const mine = rows.filter((row) => row.day === day)
    return { label: dayName(day), values: [total(mine, 'sent'), total(mine, 'received')] }
  })
}

/** Messages and credits over a period: per day, and by instance or key. */
export function Usage() {
  const { mode, modo, me } = usePanel()
  const { values, set } = useFilters<'dias' | 'por'>()
  const days = Number(PERIODS.find((period) => period === values.dias) ?? 30)
  const usage = useUsage(days)
  const plan = usePlan()
  const alerts = useAlerts()
  return (
    <Page title={t.usage.title} text={t.usage.text}>
      <Load query={plan}>
        {({ credits }) => (
          <div className="cards">
            {mode === 'production' && usage.data && (
              <div className="card">
                <span className="quiet">{t.usage.spent(days)}</span>
                <span className="big-number">
                  {formatted(
                    total(
                      usage.data.items.filter(({ keyId }) => keyId !== null),
                      'sent',
                    ),
                  )}
                </span>
              </div>
            )}
            <div className="card">
              <span className="quiet">{t.plan.credits}</span>
              <span className="big-number">{formatted(credits ?? 0)}</span>
              {mode === 'production' &&
                alerts.data &&
                (credits ?? 0) < alerts.data.creditsBelow && (
                  <span role="alert">
                    {t.usage.low}{' '}
                    <Link to="/$modo/plano" params={{ modo }}>
                      {t.nav.plan}
                    </Link>
                  </span>
                )}
            </div>
          </div>
        )}
      </Load>
      <section className="card" aria-labelledby="dias">
        <h2 id="dias">{t.usage.days}</h2>
        <Choice
          label={t.webhooks.period}
          value={String(days)}
          onChange={(event) => set({ dias: event.target.value })}
          options={PERIODS.map((period) => [period, t.usage.last(Number(period))] as const)}
        />
        <Load query={usage}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty text={t.usage.empty} />
            ) : (
              <Bars
                title={t.usage.days}
                first={t.usage.day}
                series={[t.usage.sent, t.usage.received]}
                bars={byDay(items, days)}
              />
            )
          }
        </Load>
        <p className="quiet">{t.usage.delay}</p>
      </section>
      {mode === 'production' && usage.data && <Spent rows={usage.data.items} days={days} />}
      <Incoming />
      <Load query={usage}>
        {({ items }) =>
          items.length === 0 || !hasPermission(me.role, 'attend') ? null : (
            <UsageBreakdown rows={items} />
          )
        }
      </Load>
    </Page>
  )
}

/** The credits spent per day, i.e. the messages sent with API keys. */
function Spent({ rows, days }: { rows: UsageRow[]; days: number }) {
  const byKeys = rows.filter(({ keyId }) => keyId !== null)
  const bars = byDay(byKeys, days).map(({ label, values: [sent = 0] }) => ({
    label,
    values: [sent],
  }))
  return (
    <section className="card" aria-labelledby="gastos">
      <h2 id="gastos">{t.usage.spentByDay}</h2>
      {byKeys.length === 0 ? (
        <Empty text={t.usage.noneSpent} />
      ) : (
        <Bars
          title={t.usage.spentByDay}
          first={t.usage.day}
          series={[t.plan.credits]}
          bars={bars}
        />
      )}
    </section>
  )
}

/** The credits received: bought, granted or initial. */
function Incoming() {
  const query = useQuery({
    queryKey: ['plan', 'credits'],
    queryFn: () => callPanel('GET /panel/api/credits'),
  })
  return (
    <section className="card" aria-labelledby="compras">
      <h2 id="compras">{t.usage.incoming}</h2>
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={t.usage.noIncoming} />
          ) : (
            <Table
              caption={t.usage.incoming}
              rows={items}
              keyOf={({ at, amount }) => `${at} ${amount}`}
              columns={[
                { head: t.messages.when, cell: ({ at }) => <Time at={at} /> },
                { head: t.usage.cause, cell: ({ cause }) => t.usage[cause] },
                {
                  head: t.plan.credits,
                  number: true,
                  cell: ({ amount }) => formatted(amount),
                },
              ]}
            />
          )
        }
      </Load>
    </section>
  )
}

/** Messages by instance, or by the key that sent them. */
function UsageBreakdown({ rows }: { rows: UsageRow[] }) {
  const { values, set } = useFilters<'dias' | 'por'>()
  const instances = useInstances()
  const keys = useKeys()
  const byKey = values.por === 'chave'
  const idOf = (row: UsageRow) => (byKey ? (row.keyId ?? '') : row.instanceId)
  const ids = [...new Set(rows.map(idOf))]
  const totalOf = (id: string, what: 'sent' | 'received') =>
    total(
      rows.filter((row) => idOf(row) === id),
      what,
    )
  const nameOf = (id: string) =>
    byKey
      ? (keys.data?.items.find((key) => key.id === id)?.name ?? (id || t.usage.byPanel))
      : (instances.data?.items.find((one) => one.id === id)?.name ?? id)
  return (
    <section className="card" aria-labelledby="por">
      <h2 id="por">{byKey ? t.usage.byKey : t.usage.byInstance}</h2>
      <Choice
        label={t.usage.by}
        value={byKey ? 'chave' : ''}
        onChange={(event) => set({ por: event.target.value })}
        options={[
          ['', t.usage.byInstance],
          ['chave', t.usage.byKey],
        ]}
      />
      <Table
        caption={byKey ? t.usage.byKey : t.usage.byInstance}
        rows={ids.map((id) => ({ id }))}
        keyOf={({ id }) => id}
        columns={[
          { head: t.common.name, cell: ({ id }) => nameOf(id), sortBy: ({ id }) => nameOf(id) },
          {
            head: t.usage.sent,
            number: true,
            cell: ({ id }) => formatted(totalOf(id, 'sent')),
            sortBy: ({ id }) => totalOf(id, 'sent'),
          },
          {
            head: t.usage.received,
            number: true,
            cell: ({ id }) => formatted(totalOf(id, 'received')),
            sortBy: ({ id }) => totalOf(id, 'received'),
          },
        ]}
      />
    </section>
  )
}
