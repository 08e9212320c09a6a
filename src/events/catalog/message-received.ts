import { Type } from 'typebox'
import { exampleMessage, Message } from '../../model/records.schemas.ts'
import { defineEvent } from '../define-event.ts'

/** The event `message.received`: an instance received a message. */
export const messageReceived = defineEvent({
  name: 'message.received',
  when: 'Uma mensagem chegou a uma instância.',
  data: {
    waMessageId: Type.String(),
    message: Message,
    backfill: Type.Optional(
      Type.Literal(true, {
        description:
          'A mensagem é de antes do pareamento; só chega a webhooks que pedem `backfill`',
      }),
    ),
  },
  example: {
    waMessageId: exampleMessage.waMessageId,
    message: {
      ...exampleMessage,
      direction: 'inbound',
      origin: 'phone',
      status: 'received',
      from: {
        phone: '5511999998888',
        lid: null,
        name: 'Ana',
      },
      to: null,
      text: 'Oi, meu pedido já saiu?',
      clientReference: null,
      sentAt: exampleMessage.createdAt,
    },
  },
})
