import type { InstancesService } from '../../instances/instances.service.ts'
import type { NetworkCommander } from '../../instances/network-commands.service.ts'
import type { PresenceState } from '../../model/vocabulary.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { ConversationsService } from './conversations.service.ts'

/** Sends typing indicators to contacts. */
export type PresenceService = ReturnType<typeof createPresenceService>

/** Creates the service that sends typing and recording indicators to contacts. */
export function createPresenceService(deps: {
  instances: InstancesService
  conversations: Pick<ConversationsService, 'get'>
  commander: Pick<NetworkCommander, 'run'>
}) {
  const { instances, conversations, commander } = deps
  return {
    /** Sends the indicator. Throws 404 for an unknown conversation, and 409 if the instance is not connected. */
    async show(
      db: Db,
      scope: Scope,
      instanceId: string,
      conversationId: string,
      state: PresenceState,
    ): Promise<void> {
      const { chat } = await conversations.get(db, scope, instanceId, conversationId, null)
      await instances.account(db, scope, instanceId)
      await commander.run(instanceId, 'showPresence', { chatId: chat.id, state })
    },
  }
}
