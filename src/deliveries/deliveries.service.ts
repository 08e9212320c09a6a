import type { Db, Scope } from '../db/sql.ts'
import type { EventName } from '../events/catalog/index.ts'
import { pageOf } from '../http/answers.ts'
import type { Clock } from '../lib/clock.ts'
import type { WebhooksService } from '../webhooks/webhooks.service.ts'
import { listAttempts, type LogRow } from './deliveries.sql.ts'
import type { DeliveryAttempt } from './deliveries.schemas.ts'
import { LOG_KEPT_MS } from './partitions.ts'

export type DeliveriesService = ReturnType<typeof createDeliveriesService>

/** The log of attempts. Source: specification §2.4, 4.3. */
export function createDeliveriesService(deps: { clock: Clock; webhooks: WebhooksService }) {
  const { clock, webhooks } = deps
  return {
    /** Attempts of the last 30 days, most recent first; 404 when the webhook is not of this scope. */
    async list(
      db: Db,
      scope: Scope,
      webhookId: string,
      { limit, offset }: { limit: number; offset: number },
    ) {
      await webhooks.requireExists(db, scope, webhookId)
      const now = clock.now()
      const since = new Date(now - LOG_KEPT_MS)
      const page = { webhookId, limit: limit + 1, offset, since, now: new Date(now) }
      const rows = await listAttempts(db, scope, page)
      return pageOf(rows.map(render), limit, offset)
    },
  }
}

function render(row: LogRow): DeliveryAttempt {
  return {
    id: row.id,
    event: row.event as EventName,
    attempt: row.attempt,
    statusCode: row.statusCode,
    outcome: row.success ? 'success' : 'failed',
    errorReason: row.reason,
    durationMs: row.durationMs,
    createdAt: row.createdAt.toISOString(),
  }
}
