import type { Webhook } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { StatusBadge } from '../../ui/controls.tsx'

/** How a webhook is doing, in words: paused, failing and since when, working, or not used yet. */
export function Health({ webhook }: { webhook: Webhook }) {
  const { enabled, lastSuccessAt, lastFailureAt, lastFailureReason } = webhook
  if (!enabled) return <StatusBadge tone="warn">{t.webhooks.off}</StatusBadge>
  const fails = lastFailureAt !== null && (lastSuccessAt ?? '') < lastFailureAt
  if (fails) {
    return (
      <span title={lastFailureReason ?? undefined}>
        <StatusBadge tone="bad">{t.health.failing}</StatusBadge>
      </span>
    )
  }
  return lastSuccessAt ? (
    <StatusBadge tone="ok">{t.health.working}</StatusBadge>
  ) : (
    <StatusBadge tone="neutral">{t.health.unused}</StatusBadge>
  )
}
