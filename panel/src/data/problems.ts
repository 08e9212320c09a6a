import { t } from '../phrases/phrases.ts'
import { usePanel } from '../shell/page.tsx'
import { failureHint } from './failure-hint.ts'
import { useHealth, useInstances, useWebhooks } from './queries.ts'

/** The states of an instance that need attention. */
export const TROUBLED: readonly string[] = [
  'LOGGED_OUT',
  'BANNED',
  'PASSKEY_REQUIRED',
  'DISCONNECTED',
  'STOPPED',
]
const MAX_PROBLEMS = 10

/** The reason of a failed delivery in words, if it is a code of the network. */
const readable = (errorReason: string | null): string | null =>
  failureHint({ statusCode: null, errorReason, durationMs: 0 }) ?? errorReason

/** Something that needs the user, with the page that shows it. */
type Problem = {
  key: string
  to: string
  search: Record<string, string>
  title: string
  text: string
  at: string | null
}

/** Instances that are not connected, and webhooks whose last attempt failed: one entry per cause. */
export function useProblems(): Problem[] {
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
      text: [t.home.failures(failedIn24Hours.get(id) ?? 0), readable(lastFailureReason)]
        .filter(Boolean)
        .join(' · '),
      at: lastFailureAt,
    }))
  return [...troubled, ...failing]
    .toSorted((one, other) => (other.at ?? '').localeCompare(one.at ?? ''))
    .slice(0, MAX_PROBLEMS)
}
