import { Type } from 'typebox'
import { Nullable, Timestamp, Words } from '../../kernel/schemas.ts'
import { Chat, exampleMessage, MessageError, Party } from '../../model/records.schemas.ts'
import { defineEvent } from '../define-event.ts'
import { RECEIPT_STATUSES } from '../../model/vocabulary.ts'

/** The event `message.status`: the status of one or more sent messages changed. */
export const messageStatus = defineEvent({
  name: 'message.status',
  when: 'O status de uma mensagem enviada mudou.',
  data: {
    waMessageIds: Type.Array(Type.String()),
    status: Words(RECEIPT_STATUSES),
    at: Timestamp,
    chat: Chat,
    party: Nullable(Party),
    clientReferences: Type.Array(Type.String()),
    error: Nullable(MessageError),
  },
  example: {
    waMessageIds: [exampleMessage.waMessageId],
    status: 'delivered',
    at: '2026-11-20T12:00:01.000Z',
    chat: exampleMessage.chat,
    party: exampleMessage.to,
    clientReferences: ['pedido-123'],
    error: null,
  },
})
