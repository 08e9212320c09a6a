import type { Db } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { createBatcher } from '../../kernel/batcher.ts'
import type { WebhooksService, WebhookTarget } from '../webhooks/webhooks.service.ts'

const CACHE_SIZE = 50_000
/**
 * How long a cached webhook is trusted: the bus message about its
 * change may be lost, and a replaced secret must soon stop signing.
 */
const MAX_AGE_MS = 1000

/** Cache of the webhooks being delivered to; reads go to the database in batches. */
export type Targets = {
  /** Returns the webhook as it was at most a second ago; undefined if it is not cached. */
  cached(webhookId: string): WebhookTarget | undefined
  /** Reads the current webhook from the database; null if it was removed or its secret cannot be opened. */
  read(webhookId: string): Promise<WebhookTarget | null>
  forget(webhookId: string): void
}

/** Creates the cache of delivery targets. */
export function createTargets(deps: {
  db: Db
  clock: Clock
  webhooks: WebhooksService
  activity: PendingWork
}): Targets {
  const { db, clock, webhooks, activity } = deps
  const known = new Map<string, { target: WebhookTarget; readAt: number }>()
  const reader = createBatcher<string, WebhookTarget | null>({
    maxItems: 500,
    maxInFlight: 2,
    activity,
    async flush(ids) {
      const readAt = clock.monotonic()
      const found = await webhooks.targets(db, [...new Set(ids)])
      const byId = new Map(found.map((target) => [target.id, target]))
      if (known.size > CACHE_SIZE) known.clear()
      for (const id of ids) {
        const target = byId.get(id)
        if (target) known.set(id, { target, readAt })
        else known.delete(id)
      }
      return ids.map((id) => byId.get(id) ?? null)
    },
  })
  return {
    cached(id) {
      const entry = known.get(id)
      return entry && clock.monotonic() - entry.readAt <= MAX_AGE_MS ? entry.target : undefined
    },
    read: (id) => reader.add(id),
    forget: (id) => void known.delete(id),
  }
}
