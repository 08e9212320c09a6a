import type { DueWebhook } from './deliveries.sql.ts'
import { createRoundRobin } from './round-robin.ts'

/** Divides what may be claimed at once among the Projects of due webhooks in turns, and then among their webhooks. */
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
