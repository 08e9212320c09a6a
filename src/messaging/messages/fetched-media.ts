import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FetchListener } from '../../media/media.worker.ts'
import { findAwaitingMedia, releaseAwaitingMedia } from './outbox.sql.ts'
import type { ReceiptRecorder } from './receipts.service.ts'

/**
 * Creates the listener that releases messages whose file has been fetched, and fails and refunds those whose fetch
 * failed.
 */
export function createFetchListener(deps: {
  db: Db
  clock: Clock
  receipts: ReceiptRecorder
  publish: BusTopics['publish']
}): FetchListener {
  const { db, clock, receipts, publish } = deps
  return {
    async ready(mediaId) {
      const instanceIds = await releaseAwaitingMedia(db, mediaId, new Date(clock.now()))
      for (const instanceId of instanceIds) publish('outbound', { instanceId })
    },
    async failed(mediaId, code) {
      const error = { code, retryable: code === 'MEDIA_FETCH_FAILED' }
      const at = clock.now()
      const waiting = await findAwaitingMedia(db, mediaId)
      await Promise.all(
        waiting.map(({ instanceId, waMessageId, chatId }) => {
          const failed = { waMessageIds: [waMessageId], chatId, status: 'failed' as const, at }
          return receipts.apply(instanceId, [{ ...failed, party: null, error }])
        }),
      )
      // The failed messages no longer block those queued behind them.
      for (const { instanceId } of waiting) publish('outbound', { instanceId })
    },
  }
}
