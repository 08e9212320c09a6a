import { AsyncLocalStorage } from 'node:async_hooks'
import type { MessageRetryManager } from 'baileys'

/**
 * Makes the engine keep for resending only what changes another message. It would keep every message for five minutes by a
 * timer, which retains the transaction that sent it, too: 64 KiB of pooled bytes. `getMessage` finds all others in the store.
 */
export function keepOnlyChanges(
  manager: Pick<MessageRetryManager, 'addRecentMessage'> | null,
): void {
  if (!manager) return
  const keep = manager.addRecentMessage.bind(manager)
  const outside = AsyncLocalStorage.snapshot()
  manager.addRecentMessage = (chatId, id, message) => {
    const { protocolMessage, editedMessage, pinInChatMessage, keepInChatMessage } = message
    if (protocolMessage ?? editedMessage ?? pinInChatMessage ?? keepInChatMessage)
      outside(keep, chatId, id, message)
  }
}
