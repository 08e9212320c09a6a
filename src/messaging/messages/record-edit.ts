import type { EventsService } from '../../events/events.service.ts'
import { renderMessage } from '../../model/message.ts'
import type { Db } from '../../platform/db/sql.ts'
import { readStored } from './receive.sql.ts'

/** Records an edited message again, for webhooks that subscribe to edits. */
export async function recordEdit(
  events: Pick<EventsService, 'record'>,
  tx: Db,
  messageId: string,
): Promise<void> {
  const [row] = await readStored(tx, [messageId])
  if (!row) return
  const { projectId, mode, instanceId, waMessageId } = row
  const data = { waMessageId, message: renderMessage(row) }
  const event = { name: 'message.received' as const, projectId, mode, instanceId, data }
  await events.record(tx, [{ ...event, optIn: 'edits' }])
}
