import { Link, useParams } from '@tanstack/react-router'
import type { Invoice } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { useInvoices } from '../../data/queries.ts'
import { StatusBadge, Empty } from '../../ui/controls.tsx'
import { Load } from '../../ui/load.tsx'
import { money } from '../../ui/money.ts'
import { Page, usePanel } from '../../shell/page.tsx'
import { Table } from '../../ui/table.tsx'
import { absolute } from '../../ui/time.tsx'

/** One invoice as a printable page. */
export function InvoicePage() {
  const { id = '' } = useParams({ strict: false })
  const { modo } = usePanel()
  const query = useInvoices()
  const found = query.data?.items.find((one) => one.id === id)
  const title = t.plan.invoice(found?.number ?? id)
  return (
    <Page
      title={title}
      act={
        <div className="row no-print">
          {found && (
            <button type="button" className="button primary" onClick={() => print()}>
              {t.plan.print}
            </button>
          )}
          <Link className="button" to="/$modo/plano" params={{ modo }}>
            {t.nav.plan}
          </Link>
        </div>
      }
    >
      <Load query={query}>
        {() => (found ? <Sheet invoice={found} /> : <Empty text={t.plan.noSuchInvoice} />)}
      </Load>
    </Page>
  )
}

function Sheet({ invoice }: { invoice: Invoice }) {
  const { me } = usePanel()
  const { number, id, at, amount, currency, status, url, lines } = invoice
  const facts = [
    [t.auth.company, me.company],
    [t.plan.number, number ?? id],
    [t.messages.when, absolute(at)],
    [
      t.common.status,
      <StatusBadge key="status" tone={status === 'paid' ? 'ok' : 'neutral'}>
        {t.plan[`inv_${status}`]}
      </StatusBadge>,
    ],
    [t.plan.amount, money(amount, currency)],
  ] as const
  return (
    <section className="card" aria-label={t.plan.invoice(number ?? id)}>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {lines.length > 0 && (
        <Table
          caption={t.plan.lines}
          rows={lines}
          keyOf={({ description, amount: part }) => `${description} ${part}`}
          columns={[
            { head: t.plan.lines, cell: ({ description }) => description },
            { head: t.plan.amount, cell: (line) => money(line.amount, currency) },
          ]}
        />
      )}
      {url && (
        <a className="no-print" href={url} target="_blank" rel="noreferrer">
          {t.plan.see}
        </a>
      )}
    </section>
  )
}
