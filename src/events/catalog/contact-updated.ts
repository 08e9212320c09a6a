import { Type } from 'typebox'
import { Nullable, Timestamp } from '../../kernel/shapes.ts'
import { Party } from '../../model/records.schemas.ts'
import { defineEvent } from '../define-event.ts'

const Change = Type.Object({ from: Nullable(Type.String()), to: Nullable(Type.String()) })

export const contactUpdated = defineEvent({
  name: 'contact.updated',
  when: 'O nome de exibição de um contato mudou, ou seu telefone e seu LID foram reunidos.',
  data: {
    contact: Party,
    changes: Type.Object({
      name: Type.Optional(Change),
      // The contact was known by one of its two names on the network, and now by both.
      phone: Type.Optional(Change),
      lid: Type.Optional(Change),
    }),
    at: Timestamp,
  },
  example: {
    contact: { phone: '5511999998888', lid: null, name: 'Ana Souza' },
    changes: { name: { from: 'Ana', to: 'Ana Souza' } },
    at: '2026-11-20T12:00:00.000Z',
  },
})
