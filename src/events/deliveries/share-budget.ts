import type { DueWebhook } from './deliveries.sql.ts'
import { createRoundRobin } from './round-robin.ts'

/** Splits a claim budget round-robin over the Projects of due webhooks, and then over the webhooks of each Project. */
export function shareBudget(
  due: DueWebhook[],
  room: (webhook: DueWebhook) => number,
  budget: number,
): { id: string; quota: number }[] {
  const turns = createRoundRobin<DueWebhook & { quota: number; room: number }>()
  const all = due.map((webhook) => ({ ...webhook, quota: 0, room: room(webhook) }))
  for (const webhook of all) if (webhook.room > 0) turns.add(webhook)
  for (let left = budget; left > 0; left--) {
    const next = turns.next()
    if (!next) break
    if (++next.quota < next.room) turns.add(next)
  }
  return all.flatMap(({ id, quota }) => (quota > 0 ? [{ id, quota }] : []))
}
