import type { Db } from '../../platform/db/sql.ts'
import type { MessageRow } from '../../model/message.ts'

/**
 * Notified, in the same transaction, of status changes and received messages. Modules that depend on `messaging`
 * implement it; `app/create-modules.ts` passes it in.
 */
export type MessageListener = {
  /** Messages changed to these statuses, in this order. */
  onStatusChanged(
    tx: Db,
    messages: Pick<MessageRow, 'id' | 'campaignId' | 'status'>[],
  ): Promise<void>
  /** Messages were received, or an undecryptable one was replaced. */
  onReceived(tx: Db, rows: MessageRow[]): Promise<void>
}
