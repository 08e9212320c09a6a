import { isChannel } from '../../model/publishing.ts'
import type { MessageErrorCode } from '../../model/records.schemas.ts'

const IN_CHATS: Record<string, MessageErrorCode> = {
  420: 'NOT_A_PARTICIPANT',
  463: 'RESTRICTED',
  479: 'RESTRICTED',
}
const IN_CHANNELS: Record<string, MessageErrorCode> = {
  401: 'NOT_A_PARTICIPANT',
  403: 'NOT_A_PARTICIPANT',
}

/** Converts the code with which WhatsApp rejected a message of a chat, or undefined, to an error code. */
export function refusalCodeOf(chatId: string, code: string | undefined): MessageErrorCode {
  const meanings = isChannel(chatId) ? IN_CHANNELS : IN_CHATS
  return (code && meanings[code]) || 'UNKNOWN'
}
