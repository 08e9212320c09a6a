import type { Db } from '../db/sql.ts'
import type { InstanceHearer, OpenInstance } from '../instances/connections.worker.ts'
import type { ReceiptRecorder } from '../messages/record-receipts.ts'
import type { ReceivedRecorder } from '../messages/record-received.ts'
import type { MessagesService } from '../messages/messages.service.ts'
import type { InboundMessage } from '../networks/network.port.ts'

/** The one switch: what a network reports, and the room that must hear it. */
export function createInbound(deps: {
  db: Db
  received: ReceivedRecorder
  receipts: ReceiptRecorder
  messages: Pick<MessagesService, 'markRead'>
}): InstanceHearer {
  const { db, received, receipts, messages } = deps

  async function hear(instance: OpenInstance, arrived: InboundMessage[]): Promise<void> {
    const { settings } = instance
    const wanted = settings.ignoreGroups
      ? arrived.filter((message) => message.chatType !== 'group')
      : arrived
    const rows = await received.receive(instance, wanted)
    const unread = rows.filter((row) => row.direction === 'inbound').map((row) => row.waMessageId)
    if (!settings.readMessages || unread.length === 0) return
    const scope = { projectId: instance.projectId, mode: instance.mode, keyId: null }
    await messages.markRead(db, scope, instance.id, { waMessageIds: unread })
  }

  return {
    received: hear,
    receipts: (instance, told) => receipts.apply(instance.id, told),
  }
}
