import { Type, type Static } from 'typebox'
import { Nullable, Page, PageQuery, Timestamp } from '../../kernel/schemas.ts'
import { Party } from '../../model/records.schemas.ts'

/** Maximum fields that a team keeps about a contact. */
export const MAX_FIELDS = 50

/** A person known to an instance by phone, LID or both (G36). */
export const Contact = Type.Object(
  {
    ...Party.properties,
    profileName: Nullable(
      Type.String({ description: 'O nome do perfil; `name` é o que a equipe deu, se houver' }),
    ),
    fields: Type.Record(Type.String(), Type.String(), {
      description: 'O que a equipe guarda sobre o contato',
    }),
    identityChangedAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'Quando o código de segurança mudou pela última vez, se mudou: a pessoa trocou de celular, ou outra usa o número',
      }),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'Contact',
    examples: [
      {
        phone: '5511999998888',
        lid: '123456789012345@lid',
        name: 'Ana da Padaria',
        profileName: 'Ana',
        fields: { cpf: '529.982.247-25' },
        createdAt: '2026-11-20T12:00:00.000Z',
        updatedAt: '2026-11-20T12:00:00.000Z',
      },
    ],
  },
)
export type Contact = Static<typeof Contact>
/** A page of contacts, newest first. */
export const ContactList = Page(Contact, 'ContactList')

/** Search and pagination of the contact list. */
export const ListContactsQuery = Type.Object({
  ...PageQuery,
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Trecho do nome, do telefone ou de um campo' }),
  ),
})

/** Body with the numbers to check on the network, in any notation. */
export const CheckNumbersBody = Type.Object(
  {
    phones: Type.Array(Type.String({ maxLength: 40 }), {
      minItems: 1,
      maxItems: 100,
      examples: [['+55 11 99999-8888']],
    }),
  },
  { additionalProperties: false },
)
/** One result per requested number, in the order of the request; `phone` and `lid` are null if it does not exist. */
export const CheckNumbersResponse = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        input: Type.String(),
        exists: Type.Boolean(),
        phone: Nullable(Type.String({ description: 'O número como a rede o conhece' })),
        lid: Nullable(Type.String()),
      }),
    ),
  },
  {
    title: 'CheckedPhones',
    examples: [
      {
        items: [{ input: '+55 11 9999-8888', exists: true, phone: '5511999998888', lid: null }],
      },
    ],
  },
)
