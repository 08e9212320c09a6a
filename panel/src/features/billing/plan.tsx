import { hasPermission } from '../../../../src/kernel/permissions.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { callPanel } from '../../data/api.ts'
import type { Offer, Plan } from '../../data/api-types.ts'
import { formatted, t } from '../../phrases/phrases.ts'
import { useInvoices, usePlan } from '../../data/queries.ts'
import { StatusBadge } from '../../ui/controls.tsx'
import { ActionButton } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { money } from '../../ui/money.ts'
import { Page, usePanel } from '../../shell/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

/** The company's subscription and credits, and what it can buy. */
export function PlanPage() {
  const { me } = usePanel()
  return (
    <Page title={t.plan.title}>
      <Load query={usePlan()}>
        {(plan) => (
          <>
            {plan.projectStatus === 'SUSPENDED' && <p role="alert">{t.plan.suspended}</p>}
            <SubscriptionSummary plan={plan} />
            {plan.payments === 'manual' ? (
              <p>
                {t.plan.manual} <a href={`mailto:${plan.contact}`}>{plan.contact}</a>
              </p>
            ) : hasPermission(me.role, 'pay') ? (
              <Offers plan={plan} />
            ) : (
              <p>{t.plan.notPayer}</p>
            )}
          </>
        )}
      </Load>
    </Page>
  )
}

/** Subscription states that the user can resolve at the payment service. */
const FIXABLE = new Set<Plan['subscription']>(['past_due', 'paused', 'pending'])

function SubscriptionSummary({ plan }: { plan: Plan }) {
  const { me } = usePanel()
  const { subscription, exempt, credits, addons } = plan
  const adds = addons.includes('mass_sending')
  return (
    <div className="cards">
      <div className="card">
        <span className="quiet">{t.plan.subscription}</span>
        <StatusBadge tone={subscription === 'active' || exempt ? 'ok' : 'warn'}>
          {exempt ? t.plan.exempt : t.plan[subscription]}
        </StatusBadge>
        {!exempt && subscription !== 'active' && <span>{t.plan[`${subscription}_text`]}</span>}
        {plan.manageable && hasPermission(me.role, 'pay') && FIXABLE.has(subscription) && (
          <Manage />
        )}
      </div>
      <div className="card">
        <span className="quiet">{t.plan.credits}</span>
        <span className="big-number">{formatted(credits ?? 0)}</span>
      </div>
      <div className="card">
        <span className="quiet">{t.plan.addon}</span>
        <StatusBadge tone={adds ? 'ok' : 'neutral'}>
          {adds ? t.plan.included : t.plan.missing}
        </StatusBadge>
      </div>
    </div>
  )
}

function nameOf(offer: Offer): string {
  if (offer.kind === 'subscription') return t.plan.recado_plan
  if (offer.kind === 'mass_sending') return t.plan.mass_sending
  return t.plan.pack(offer.credits ?? 0)
}

/** The invoices, each with a printable page here and one at the payment service. */
function Invoices() {
  const { modo } = usePanel()
  const query = useInvoices()
  return (
    <section className="stack-small" aria-labelledby="faturas">
      <h2 id="faturas">{t.plan.invoices}</h2>
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="quiet">{t.plan.noInvoices}</p>
          ) : (
            <Table
              caption={t.plan.invoices}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  head: t.plan.number,
                  cell: ({ number, id }) => (
                    <Link to="/$modo/plano/faturas/$id" params={{ modo, id }}>
                      {number ?? id}
                    </Link>
                  ),
                },
                { head: t.messages.when, cell: ({ at }) => <Time at={at} /> },
                { head: t.plan.amount, cell: ({ amount, currency }) => money(amount, currency) },
                {
                  head: t.common.status,
                  cell: ({ status }) => (
                    <StatusBadge tone={status === 'paid' ? 'ok' : 'neutral'}>
                      {t.plan[`inv_${status}`]}
                    </StatusBadge>
                  ),
                },
                {
                  head: t.common.open,
                  quiet: true,
                  cell: ({ url }) =>
                    url && (
                      <a href={url} target="_blank" rel="noreferrer">
                        {t.plan.see}
                      </a>
                    ),
                },
              ]}
            />
          )
        }
      </Load>
    </section>
  )
}

/** Navigates to a page of the payment service. */
const leave = async (to: Promise<{ url: string }>) => location.assign((await to).url)

const Manage = () => (
  <ActionButton label={t.plan.manage} act={() => leave(callPanel('POST /panel/api/plan/manage'))} />
)

/** Whether the company already has an offer; credit packs can be bought repeatedly. */
const alreadyBought = ({ kind }: Offer, { subscription, addons }: Plan): boolean =>
  kind === 'subscription'
    ? subscription !== 'none' && subscription !== 'canceled'
    : kind === 'mass_sending' && addons.includes('mass_sending')

function Offers({ plan }: { plan: Plan }) {
  const { manageable } = plan
  const query = useQuery({
    queryKey: ['plan', 'offers'],
    queryFn: () => callPanel('GET /panel/api/plan/offers'),
  })
  return (
    <>
      <Load query={query}>
        {({ items }) => (
          <div className="cards">
            {items.map((offer) => (
              <div key={offer.id} className="card">
                <strong>{nameOf(offer)}</strong>
                <span>
                  {money(offer.amount, offer.currency)} {offer.interval && t.plan[offer.interval]}
                </span>
                <ActionButton
                  label={alreadyBought(offer, plan) ? t.plan.held : t.plan.buy}
                  disabled={alreadyBought(offer, plan)}
                  name={`${t.plan.buy}: ${nameOf(offer)}`}
                  act={() =>
                    leave(callPanel('POST /panel/api/plan/checkout', { body: { offer: offer.id } }))
                  }
                />
              </div>
            ))}
          </div>
        )}
      </Load>
      <Invoices />
      {manageable && (
        <div>
          <Manage />
        </div>
      )}
    </>
  )
}
