import type { Db } from '../../platform/db/sql.ts'
import type { MessageRow } from '../../model/message.ts'

/** Who has to hear, in the same transaction, what became of messages: rooms to the right, which `app.ts` supplies. */
export type MessageListener = {
  /** These messages moved to these statuses, in this order. */
  moved(tx: Db, messages: Pick<MessageRow, 'id' | 'campaignId' | 'status'>[]): Promise<void>
  received(tx: Db, rows: MessageRow[]): Promise<void>
}
