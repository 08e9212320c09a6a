import { Type } from 'typebox'
import { Timestamp } from '../../kernel/schemas.ts'
import { Chat, exampleMessage, Party } from '../../model/records.schemas.ts'
import { defineEvent } from '../define-event.ts'

/** The event `message.deleted`: the sender deleted a message. */
export const messageDeleted = defineEvent({
  name: 'message.deleted',
  when: 'O remetente apagou uma mensagem.',
  data: {
    waMessageId: Type.String(),
    messageId: Type.String(),
    chat: Chat,
    deletedBy: Party,
    at: Timestamp,
  },
  example: {
    waMessageId: exampleMessage.waMessageId,
    messageId: exampleMessage.id,
    chat: exampleMessage.chat,
    deletedBy: { phone: '5511999998888', lid: null, name: 'Ana' },
    at: '2026-11-20T12:00:00.000Z',
  },
})
