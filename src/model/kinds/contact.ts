import { Type, type Static } from 'typebox'
import { Nullable } from '../../kernel/schemas.ts'
import { parsePhone } from '../../kernel/phone-number.ts'
import { parseVcards } from '../../kernel/vcard.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { defineMessageKind } from '../define-message-kind.ts'

/** No line breaks: they would start another property of the card. */
const line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\r\\n]*$' })

const SentContact = Type.Object(
  {
    name: line(200),
    phones: Type.Array(
      Type.Object(
        { phone: line(40), label: Type.Optional(line(40)) },
        { additionalProperties: false },
      ),
      { maxItems: 20 },
    ),
    organization: Type.Optional(line(200)),
    emails: Type.Optional(Type.Array(line(254), { maxItems: 20 })),
  },
  { additionalProperties: false, title: 'SentContact' },
)

/** A contact that is shared in a message. */
export const SharedContact = Type.Object(
  {
    name: Type.String(),
    phones: Type.Array(Type.Object({ phone: Type.String(), label: Nullable(Type.String()) })),
    organization: Nullable(Type.String()),
    emails: Type.Array(Type.String()),
  },
  { title: 'SharedContact' },
)
export type SharedContact = Static<typeof SharedContact>

const MAX_CONTACTS = 50

/** Shared contacts, as fields or as a vCard. */
export const contact = defineMessageKind({
  name: 'contact',
  path: '/contact',
  summary: 'Enviar contatos',
  fields: {
    contacts: Type.Optional(Type.Array(SentContact, { minItems: 1, maxItems: MAX_CONTACTS })),
    vcard: Type.Optional(Type.String({ minLength: 1, maxLength: 65_536 })),
  },
  toContent: ({ contacts, vcard }) => {
    if ((contacts === undefined) === (vcard === undefined)) {
      throw fail('bad_request', (say) => say.messages.contactSource)
    }
    return { type: 'contact' as const, contacts: contacts?.map(toShared) ?? readVcard(vcard ?? '') }
  },
  example: {
    type: 'contact',
    contacts: [
      {
        name: 'Bia; a do RH',
        phones: [{ phone: '5511999998888', label: 'CELL' }],
        organization: 'Padaria, Ltda',
        emails: ['bia@x.com'],
      },
    ],
  },
  textOf: ({ contacts }) => contacts.map(({ name }) => name).join(', '),
  shown: { contacts: Nullable(Type.Array(SharedContact)) },
  show: ({ contacts }) => ({ contacts }),
})

/** Returns a body with the calling code added to the national numbers of its contact cards; others unchanged. */
export function completeContacts<Body extends object>(
  body: Body,
  complete: (number: string) => string,
): Body {
  if (!('contacts' in body) || !Array.isArray(body.contacts)) return body
  const contacts = (body.contacts as Static<typeof SentContact>[]).map((contact) => ({
    ...contact,
    phones: contact.phones.map((one) => ({ ...one, phone: complete(one.phone) })),
  }))
  return { ...body, contacts }
}

function toShared(sent: Static<typeof SentContact>): SharedContact {
  const { name, phones, organization = null, emails = [] } = sent
  return {
    name,
    phones: phones.map(({ phone, label = 'CELL' }) => ({ phone: digitsOf(phone), label })),
    organization,
    emails,
  }
}

function digitsOf(text: string): string {
  const phone = parsePhone(text)
  if (!phone)
    throw fail('bad_request', (say) => say.messages.contactPhone(text.slice(0, 40)), {
      field: 'contacts',
    })
  return phone
}

function readVcard(text: string): SharedContact[] {
  const cards = parseVcards(text)
  if (!cards || cards.length === 0 || cards.length > MAX_CONTACTS) {
    throw fail('bad_request', (say) => say.messages.vcardInvalid, { field: 'vcard' })
  }
  return cards
}
