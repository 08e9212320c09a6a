import { Link } from '@tanstack/react-router'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { t } from '../../phrases/phrases.ts'
import { useHealth, useInstances, useWebhooks } from '../../data/queries.ts'
import { Load } from '../../ui/load.tsx'
import { canDevelop, usePanel } from '../../shell/page.tsx'
import { Time } from '../../ui/time.tsx'

const TROUBLED = ['LOGGED_OUT', 'BANNED', 'PASSKEY_REQUIRED', 'DISCONNECTED']
const MAX_PROBLEMS = 10

type Problem = {
  key: string
  to: string
  search: Record<string, string>
  title: string
  text: string
  at: string | null
}

/** Instances that are not connected, and webhooks whose last attempt failed: one entry per cause. */
function useProblems(): Problem[] {
  const { modo } = usePanel()
  const [instances, webhooks, health] = [useInstances(), useWebhooks(), useHealth()]
  const failedIn24Hours = new Map(
    (health.data?.webhooks ?? []).map(({ webhookId, failed }) => [
      webhookId,
      failed.reduce((sum, count) => sum + count, 0),
    ]),
  )
  const troubled = (instances.data?.items ?? [])
    .filter(({ status }) => TROUBLED.includes(status))
    .map(({ id, name, status, disconnect, updatedAt }) => ({
      key: id,
      to: `/${modo}/instancias/${id}`,
      search: {},
      title: name,
      text: disconnect?.message ?? t.states[status],
      at: disconnect?.at ?? updatedAt,
    }))
  const failing = (webhooks.data?.items ?? [])
    .filter(
      ({ enabled, lastFailureAt, lastSuccessAt }) =>
        enabled && lastFailureAt !== null && lastFailureAt > (lastSuccessAt ?? ''),
    )
    .map(({ id, name, lastFailureAt, lastFailureReason }) => ({
      key: id,
      to: `/${modo}/webhooks/${id}`,
      search: { resultado: 'failed' },
      title: name,
      text: [t.home.failures(failedIn24Hours.get(id) ?? 0), lastFailureReason]
        .filter(Boolean)
        .join(' · '),
      at: lastFailureAt,
    }))
  return [...troubled, ...failing]
    .toSorted((one, other) => (other.at ?? '').localeCompare(one.at ?? ''))
    .slice(0, MAX_PROBLEMS)
}

/** Answers whether everything is all right: one sentence, and what needs the user, one line per cause. */
export function Situation() {
  const { me } = usePanel()
  const [instances, webhooks] = [useInstances(), useWebhooks()]
  const problems = useProblems()
  const develops = canDevelop(me)
  if (!instances.data) return <Load query={instances}>{() => null}</Load>
  if (develops && !webhooks.data) return <Load query={webhooks}>{() => null}</Load>
  if (instances.data.items.length === 0) return null
  const isGood = problems.length === 0
  return (
    <section className="card situation" data-good={isGood} aria-labelledby="situacao">
      <h2 id="situacao">
        {isGood ? <CircleCheck size={20} aria-hidden /> : <TriangleAlert size={20} aria-hidden />}
        {isGood ? t.home.allGood : t.home.needsYou(problems.length)}
      </h2>
      {!isGood && (
        <ul className="list">
          {problems.map(({ key, to, search, title, text, at }) => (
            <li key={key} className="situation-line">
              <span>
                <strong>{title}</strong> <span>{text}</span>{' '}
                <span className="quiet">
                  <Time at={at} />
                </span>
              </span>
              <Link className="button" to={to} search={search}>
                {t.home.see}
                <span className="visually-hidden"> {title}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
