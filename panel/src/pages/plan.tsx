import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api.ts'
import { t } from '../phrases/phrases.ts'
import { readPlan, type Offer, type Plan } from '../session.ts'
import { Bead, ErrorBlock } from '../ui/controls.tsx'
import { Load } from '../ui/load.tsx'
import { Page, usePlace } from '../ui/page.tsx'

const PAYERS = ['Dono', 'Financeiro']

/** How the company stands, and what it can buy. */
export function PlanPage() {
  const { me } = usePlace()
  const query = useQuery({ queryKey: ['plan'], queryFn: readPlan })
  return (
    <Page title={t.plan.title}>
      <Load query={query}>
        {(plan) => (
          <>
            {plan.projectStatus === 'SUSPENDED' && <p role="alert">{t.plan.suspended}</p>}
            <Standing plan={plan} />
            {plan.payments === 'manual' ? (
              <p>
                {t.plan.manual} <a href={`mailto:${plan.contact}`}>{plan.contact}</a>
              </p>
            ) : (
              PAYERS.includes(me.role) && <Offers manageable={plan.manageable} />
            )}
          </>
        )}
      </Load>
    </Page>
  )
}

function Standing({ plan }: { plan: Plan }) {
  const { subscription, exempt, credits, addons } = plan
  const adds = addons.includes('mass_sending')
  return (
    <div className="cartoes">
      <div className="cartao">
        <span className="discreto">{t.plan.subscription}</span>
        <Bead tone={subscription === 'active' || exempt ? 'ok' : 'alerta'}>
          {exempt ? t.plan.exempt : t.plan[subscription]}
        </Bead>
      </div>
      <div className="cartao">
        <span className="discreto">{t.plan.credits}</span>
        <span className="numero">{credits.toLocaleString(document.documentElement.lang)}</span>
      </div>
      <div className="cartao">
        <span className="discreto">{t.plan.addon}</span>
        <Bead tone={adds ? 'ok' : 'neutro'}>{adds ? t.plan.included : t.plan.missing}</Bead>
      </div>
    </div>
  )
}

function nameOf(offer: Offer): string {
  if (offer.kind === 'subscription') return t.plan.recado_plan
  if (offer.kind === 'mass_sending') return t.plan.mass_sending
  return t.plan.pack((offer.credits ?? 0).toLocaleString(document.documentElement.lang))
}

function Offers({ manageable }: { manageable: boolean }) {
  const [error, setError] = useState<unknown>(null)
  const query = useQuery({
    queryKey: ['plan', 'offers'],
    queryFn: () => call<{ items: Offer[] }>('GET', '/panel/api/plan/offers'),
  })
  /** Goes to the page of the payment service. */
  async function leave(path: string, body?: object) {
    setError(null)
    try {
      location.assign((await call<{ url: string }>('POST', path, body)).url)
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <>
      {error !== null && <ErrorBlock error={error} />}
      <Load query={query}>
        {({ items }) => (
          <div className="cartoes">
            {items.map((offer) => (
              <div key={offer.id} className="cartao">
                <strong>{nameOf(offer)}</strong>
                <span>
                  {(offer.amount / 100).toLocaleString(document.documentElement.lang, {
                    style: 'currency',
                    currency: offer.currency,
                  })}{' '}
                  {offer.interval && t.plan[offer.interval]}
                </span>
                <button
                  type="button"
                  className="botao"
                  onClick={() => void leave('/panel/api/plan/checkout', { offer: offer.id })}
                >
                  {t.plan.buy}
                </button>
              </div>
            ))}
          </div>
        )}
      </Load>
      {manageable && (
        <div>
          <button
            type="button"
            className="botao"
            onClick={() => void leave('/panel/api/plan/manage')}
          >
            {t.plan.manage}
          </button>
        </div>
      )}
    </>
  )
}
