import { Type } from 'typebox'
import { Nullable, Timestamp } from '../../kernel/schemas.ts'
import { Party } from '../../model/records.schemas.ts'
import { defineEvent } from '../define-event.ts'

const Change = Type.Object({ from: Nullable(Type.String()), to: Nullable(Type.String()) })

/** The event `contact.updated`: a contact's display name changed, or its phone number and LID were linked. */
export const contactUpdated = defineEvent({
  name: 'contact.updated',
  when: 'O nome de exibição de um contato mudou, ou seu telefone e seu LID foram reunidos.',
  data: {
    contact: Party,
    changes: Type.Object({
      name: Type.Optional(Change),
      // Present when the contact was known by only one of its two network identifiers and is now known by both.
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
