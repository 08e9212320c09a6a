import { Type } from 'typebox'
import { Timestamp, Words } from '../../kernel/schemas.ts'
import { Chat, exampleMessage } from '../../model/records.schemas.ts'
import { defineEvent } from '../define-event.ts'

/** The event `label.association`: a label was added to or removed from a conversation. */
export const labelAssociation = defineEvent({
  name: 'label.association',
  when: 'Uma etiqueta foi aplicada a uma conversa ou retirada dela.',
  data: {
    action: Words(['added', 'removed']),
    labelId: Type.String(),
    conversationId: Type.String(),
    chat: Chat,
    at: Timestamp,
  },
  example: {
    action: 'added',
    labelId: 'lab_01jcqz3v8xf6k9m2n4p5r7s8t9',
    conversationId: exampleMessage.conversationId,
    chat: exampleMessage.chat,
    at: '2026-11-20T12:00:00.000Z',
  },
})
