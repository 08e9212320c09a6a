import { AsyncLocalStorage } from 'node:async_hooks'
import type { MessageRetryManager } from 'baileys'

/**
 * Makes the engine keep for resending only what it sends to the account's own devices. It would also keep received
 * messages, and send one of them again in the name of the account when its author asks for that; and each for five minutes
 * by a timer, which retains the transaction that sent it: 64 KiB of pooled bytes. `getMessage` finds all others in the
 * store.
 */
export function keepOnlyOwn(
  manager: Pick<MessageRetryManager, 'addRecentMessage'> | null,
  isSelf: (chatId: string) => boolean,
): void {
  if (!manager) return
  const keep = manager.addRecentMessage.bind(manager)
  const outside = AsyncLocalStorage.snapshot()
  manager.addRecentMessage = (chatId, id, message) => {
    if (isSelf(chatId)) outside(keep, chatId, id, message)
  }
}
