import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api.ts'
import { t } from '../phrases/phrases.ts'
import { readCap, readPlan } from '../session.ts'
import { ErrorBlock, Skeleton } from '../ui/controls.tsx'
import { Page, usePlace } from '../ui/page.tsx'

/** What was done of the first steps, read from what there is. */
function useSteps() {
  const { mode } = usePlace()
  const instances = useQuery({
    queryKey: [mode, 'instances'],
    queryFn: () => api(mode, 'GET /v1/instances'),
  })
  const keys = useQuery({ queryKey: [mode, 'keys'], queryFn: () => api(mode, 'GET /v1/keys') })
  const webhooks = useQuery({
    queryKey: [mode, 'webhooks'],
    queryFn: () => api(mode, 'GET /v1/webhooks'),
  })
  const first = instances.data?.items[0]
  const received = useQuery({
    queryKey: [mode, 'messages', first?.id, 'inbound'],
    queryFn: () =>
      api(mode, 'GET /v1/instances/{id}/messages', {
        params: [first?.id ?? ''],
        query: { direction: 'inbound', limit: 1 },
      }),
    enabled: first !== undefined,
  })
  const error = instances.error ?? keys.error ?? webhooks.error
  const ready = instances.data && keys.data && webhooks.data
  return {
    error,
    retry: () => void Promise.all([instances.refetch(), keys.refetch(), webhooks.refetch()]),
    connected: instances.data?.items.filter(({ status }) => status === 'CONNECTED').length ?? 0,
    steps: ready && [
      { label: t.home.account, to: null, done: true },
      { label: t.home.instance, to: '/$modo/instancias', done: instances.data.items.length > 0 },
      {
        label: t.home.pair,
        to: '/$modo/instancias',
        done: instances.data.items.some(({ pairedAt }) => pairedAt !== null),
      },
      { label: t.home.webhook, to: '/$modo/webhooks', done: webhooks.data.items.length > 0 },
      {
        label: t.home.message,
        to: mode === 'test' ? '/$modo/telefone' : '/$modo/instancias',
        done: (received.data?.items.length ?? 0) > 0,
      },
      { label: t.home.key, to: '/$modo/chaves', done: keys.data.items.length > 0 },
    ],
  }
}

export function Home() {
  const { mode, modo } = usePlace()
  const { error, retry, steps, connected } = useSteps()
  const plan = useQuery({ queryKey: ['plan'], queryFn: readPlan })
  const cap = useQuery({
    queryKey: ['test', 'cap'],
    queryFn: readCap,
    enabled: mode === 'test',
  })
  return (
    <Page title={t.home.title}>
      <div className="cartoes">
        <div className="cartao">
          <span className="discreto">{t.home.connected}</span>
          <span className="numero">{connected}</span>
        </div>
        {mode === 'test' ? (
          <div className="cartao">
            <span className="discreto">{t.home.today}</span>
            <span className="numero">
              {cap.data ? `${cap.data.used} / ${cap.data.limit}` : t.common.none}
            </span>
          </div>
        ) : (
          <div className="cartao">
            <span className="discreto">{t.home.credits}</span>
            <span className="numero">
              {plan.data
                ? plan.data.credits.toLocaleString(document.documentElement.lang)
                : t.common.none}
            </span>
          </div>
        )}
      </div>
      <section className="cartao" aria-labelledby="passos">
        <h2 id="passos">{t.home.steps}</h2>
        <p className="discreto">{t.home.stepsText}</p>
        {error && <ErrorBlock error={error} retry={retry} />}
        {!error && !steps && <Skeleton />}
        {steps && (
          <ol className="passos">
            {steps.map(({ label, to, done }) => (
              <li key={label} data-done={done}>
                {to && !done ? (
                  <Link to={to} params={{ modo }}>
                    {label}
                  </Link>
                ) : (
                  <span>{label}</span>
                )}
                <small>{done ? t.home.done : t.home.todo}</small>
              </li>
            ))}
          </ol>
        )}
        {steps?.every(({ done }) => done) && <p>{t.home.ready}</p>}
      </section>
    </Page>
  )
}
