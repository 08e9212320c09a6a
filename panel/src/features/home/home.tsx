import { hasPermission } from '../../../../src/kernel/permissions.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Plan } from '../../data/api-types.ts'
import { useFirstData } from '../../data/first-data.ts'
import { t } from '../../phrases/phrases.ts'
import { useInstances, useKeys, usePlan, useWebhooks } from '../../data/queries.ts'
import { Load } from '../../ui/load.tsx'
import { canDevelop, Page, usePanel } from '../../shell/page.tsx'
import { Connected, Credits, Delivered, FirstAnswer, Today } from './home-cards.tsx'
import { DayChart, SpeedChart } from './home-charts.tsx'
import { Situation } from './home-status.tsx'

const HIDDEN_STORAGE_KEY = 'recado.passos'
/** Maximum number of instances queried for inbound messages. */
const MAX_QUERIED_INSTANCES = 5
/** Height of the placeholder of the steps in pixels, so that nothing shifts when data arrives. */
const STEPS_PX = 296

/** Start page of a mode: what needs the user, key figures, first steps and charts. */
export function Home() {
  const { mode, me } = usePanel()
  const attends = hasPermission(me.role, 'attend')
  // Content below the fold and the trends are requested after the figures of the first screen.
  const below = useDeferredValue(useFirstData(), false)
  return (
    <Page title={t.home.title}>
      {attends && <Situation />}
      <div className="cards">
        {attends && <Connected />}
        {attends && <FirstAnswer />}
        {canDevelop(me) && <Delivered />}
        {mode === 'test' ? <Today hasTrend={below} /> : <Credits hasTrend={below} />}
      </div>
      {below && (
        <>
          <Steps key={mode} />
          {canDevelop(me) && (
            <div className="charts">
              <DayChart />
              <SpeedChart />
            </div>
          )}
        </>
      )}
    </Page>
  )
}

/** Whether the account may send in production; false while that is not known. */
const hasPlan = (plan: Plan | undefined): boolean =>
  plan !== undefined && (plan.exempt || plan.subscription === 'active')

/** The first steps and which are done, derived from existing resources. */
function useSteps() {
  const { mode, modo } = usePanel()
  const [instances, keys, webhooks] = [useInstances(), useKeys(), useWebhooks()]
  const first = instances.data?.items[0]
  const ids = (instances.data?.items ?? []).slice(0, MAX_QUERIED_INSTANCES).map(({ id }) => id)
  const received = useQuery({
    queryKey: [mode, 'messages', 'inbound', ids],
    queryFn: async () => {
      const query = { direction: 'inbound', limit: 1 } as const
      const pages = await Promise.all(
        ids.map((id) => callApi(mode, 'GET /v1/instances/{id}/messages', { params: [id], query })),
      )
      return pages.some(({ items }) => items.length > 0)
    },
    enabled: ids.length > 0,
  })
  const plan = usePlan()
  const isPlanKnown = mode === 'test' || plan.data !== undefined
  const ready = instances.data && keys.data && webhooks.data
  const paired = instances.data?.items.some(({ pairedAt }) => pairedAt !== null) ?? false
  return {
    data:
      ready && isPlanKnown
        ? [
            mode === 'test'
              ? { label: t.home.account, to: null, done: true }
              : { label: t.home.live1, to: `/${modo}/plano`, done: hasPlan(plan.data) },
            {
              label: t.home.instance,
              to: `/${modo}/instancias?nova=sim`,
              done: instances.data.items.length > 0,
            },
            {
              label: t.home.pair,
              to: first ? `/${modo}/instancias/${first.id}/parear` : `/${modo}/instancias`,
              done: paired,
            },
            {
              label: t.home.webhook,
              to: `/${modo}/webhooks/novo`,
              done: webhooks.data.items.length > 0,
            },
            {
              label: t.home.message,
              to: mode === 'test' ? `/${modo}/telefone` : `/${modo}/conversas`,
              done: received.data ?? false,
            },
            { label: t.home.key, to: `/${modo}/chaves?nova=sim`, done: keys.data.items.length > 0 },
          ]
        : undefined,
    error: instances.error ?? keys.error ?? webhooks.error ?? (mode === 'test' ? null : plan.error),
    dataUpdatedAt: instances.dataUpdatedAt,
    isFetching: instances.isFetching,
    refetch: () => Promise.all([instances, keys, webhooks, plan].map((query) => query.refetch())),
  }
}

/** What is left to do in production; null while that is not known. */
function useLiveSteps(): { path: string; words: 'live1' | 'live2' | 'live3' | 'live4' }[] | null {
  const plan = usePlan().data
  const { data } = useQuery({
    queryKey: ['production', 'steps'],
    queryFn: async () => {
      const query = { limit: 1 }
      const [keys, instances, webhooks] = await Promise.all([
        callApi('production', 'GET /v1/keys', { query }),
        callApi('production', 'GET /v1/instances'),
        callApi('production', 'GET /v1/webhooks', { query }),
      ])
      const isPaired = instances.items.some(({ pairedAt }) => pairedAt !== null)
      return { key: keys.items.length > 0, pairing: isPaired, webhook: webhooks.items.length > 0 }
    },
  })
  if (!plan || !data) return null
  const steps = [
    { path: 'plano', words: 'live1', done: hasPlan(plan) },
    { path: 'chaves', words: 'live2', done: data.key },
    { path: 'instancias', words: 'live3', done: data.pairing },
    { path: 'webhooks/novo', words: 'live4', done: data.webhook },
  ] as const
  return steps.filter(({ done }) => !done)
}

/** What is left to do in production once all steps in test mode are done. */
function GoLive() {
  const left = useLiveSteps()
  if (!left) return null
  if (left.length === 0) return <p>{t.home.live}</p>
  return (
    <>
      <p>{t.home.goLive}</p>
      <ul className="list inline">
        {left.map(({ path, words }) => (
          <li key={path}>
            <Link to={`/producao/${path}`}>{t.home[words]}</Link>
          </li>
        ))}
      </ul>
    </>
  )
}

function Steps() {
  const { mode, modo, me } = usePanel()
  const navigate = useNavigate()
  const query = useSteps()
  const [hidden, setHidden] = useState(
    localStorage.getItem(`${HIDDEN_STORAGE_KEY}.${modo}`) !== null,
  )
  if (!canDevelop(me) || hidden) return null
  const done = query.data?.filter((step) => step.done).length ?? 0
  const all = query.data?.length ?? 0
  function hide() {
    localStorage.setItem(`${HIDDEN_STORAGE_KEY}.${modo}`, 'sim')
    setHidden(true)
  }
  // Once done, they are replaced by the steps for production, in a few lines.
  if (all > 0 && done === all) {
    return (
      <section className="card stack-small" aria-labelledby="passos">
        <h2 id="passos">
          {t.home.steps} <small className="quiet">{t.home.progress(done, all)}</small>
        </h2>
        {mode === 'test' ? <GoLive /> : <p>{t.home.ready}</p>}
        <div>
          <button type="button" className="button" onClick={hide}>
            {t.home.hide}
          </button>
        </div>
      </section>
    )
  }
  return (
    <section className="card" aria-labelledby="passos">
      <h2 id="passos">{t.home.steps}</h2>
      <p className="quiet">{mode === 'test' ? t.home.stepsText : t.home.stepsLive}</p>
      <Load query={query} height={STEPS_PX}>
        {(steps) => (
          <>
            <p>{t.home.progress(done, all)}</p>
            <ol className="steps">
              {steps.map((step) => (
                <li key={step.label} data-done={step.done}>
                  {step.to && !step.done ? (
                    <a
                      href={step.to}
                      onClick={(event) => {
                        event.preventDefault()
                        void navigate({ href: step.to })
                      }}
                    >
                      {step.label}
                    </a>
                  ) : (
                    <span>{step.label}</span>
                  )}
                  <small>{step.done ? t.home.done : t.home.todo}</small>
                </li>
              ))}
            </ol>
            <div>
              <button type="button" className="button" onClick={hide}>
                {t.home.hide}
              </button>
            </div>
          </>
        )}
      </Load>
    </section>
  )
}
