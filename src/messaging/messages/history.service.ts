import type { InstancesService } from '../../instances/instances.service.ts'
import type { NetworkCommander } from '../../instances/network-commands.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { ConversationsService } from '../conversations/conversations.service.ts'
import { findOldestMessage } from './history.sql.ts'

/** Requests older messages; see `createHistoryService`. */
export type HistoryService = ReturnType<typeof createHistoryService>

/** Creates the service that requests messages older than the stored ones from the phone of an instance. */
export function createHistoryService(deps: {
  clock: Clock
  instances: InstancesService
  conversations: Pick<ConversationsService, 'get'>
  commander: Pick<NetworkCommander, 'run'>
}) {
  const { clock, instances, conversations, commander } = deps
  return {
    /**
     * Requests up to `count` older messages of a conversation, stored when the phone sends them. Throws 404, and
     * 409 if the instance is not connected or the conversation has no message to start from.
     */
    async request(
      db: Db,
      scope: Scope,
      place: { instanceId: string; conversationId: string },
      count: number,
    ): Promise<{ requested: number }> {
      const { instanceId, conversationId } = place
      // If the conversation was merged, the id of the one it was merged into.
      const found = await conversations.get(db, scope, instanceId, conversationId)
      await instances.account(db, scope, instanceId)
      const now = new Date(clock.now())
      const before = await findOldestMessage(db, scope, found.id, now)
      if (!before) throw fail('conflict', (say) => say.conversations.nothingOlder)
      const { waMessageId, fromMe, at } = before
      await commander.run(instanceId, 'requestHistory', {
        chatId: found.chat.id,
        before: { waMessageId, fromMe, at: at.getTime() },
        count,
      })
      return { requested: count }
    },
  }
}
