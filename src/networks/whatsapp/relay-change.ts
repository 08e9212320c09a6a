import type { proto } from 'baileys'
import { newWaMessageId } from '../../kernel/ids.ts'
import { STORED_MESSAGES } from './auth-state.ts'
import type { OpenConnection } from './open-connection.ts'
import { recipientsToStore, sentId } from './stored-messages.ts'

/**
 * Sends what changes a message: an edit, a revocation or a pin, with the code of its kind. It is stored like a message,
 * because a contact that cannot decrypt it requests it again. `recipients` are those of a status post.
 */
export async function relayChange(
  { baileys, socket, barrier }: OpenConnection,
  chatId: string,
  change: proto.IMessage,
  { edit, recipients }: { edit: string; recipients?: string[] },
): Promise<void> {
  const messageId = newWaMessageId()
  barrier.saveKeys({
    [STORED_MESSAGES]: {
      [sentId(chatId, messageId)]: Buffer.from(baileys.proto.Message.encode(change).finish()),
      ...(recipients ? recipientsToStore(messageId, recipients) : {}),
    },
  })
  await socket.relayMessage(chatId, change, {
    messageId,
    additionalAttributes: { edit },
    ...(recipients ? { statusJidList: recipients } : {}),
  })
}
