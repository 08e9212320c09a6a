import { Type, type Static } from 'typebox'
import { Nullable, Page } from '../http/answers.ts'
import { exampleMessage, Message } from '../records/records.schemas.ts'

/** Source: contract §3. */
export const Phone = Type.Object(
  {
    id: Type.String(),
    phone: Type.String(),
    name: Type.String(),
    business: Type.Boolean(),
    pairedInstanceIds: Type.Array(Type.String()),
  },
  {
    title: 'Phone',
    examples: [
      {
        id: 'phn_01jcqz3v8xf6k9m2n4p5r7s8t9',
        phone: '5511912345678',
        name: 'Ana',
        business: false,
        pairedInstanceIds: [],
      },
    ],
  },
)
export type Phone = Static<typeof Phone>
export const PhoneList = Page(Phone, 'PhoneList')

export const CreatePhoneBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, examples: ['Ana'] }),
    phone: Type.Optional(
      Type.String({ maxLength: 40, description: 'Ausente: o servidor escolhe um número' }),
    ),
    business: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type CreatePhoneBody = Static<typeof CreatePhoneBody>

export const ScanBody = Type.Object(
  { code: Type.String({ minLength: 1, maxLength: 1000, examples: ['2@kq3…'] }) },
  { additionalProperties: false },
)

export const PhoneMessageBody = Type.Object(
  {
    to: Type.String({ minLength: 1, maxLength: 100, examples: ['5511988887777'] }),
    type: Type.Optional(Type.Literal('text', { default: 'text' })),
    text: Type.String({ minLength: 1, maxLength: 65_536, examples: ['Oi!'] }),
  },
  { additionalProperties: false },
)

export const PhoneReadBody = Type.Object(
  {
    waMessageIds: Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 1000 }),
  },
  { additionalProperties: false },
)

export const PhoneMessage = Type.Object(
  { ...Message.properties, instanceId: Nullable(Type.String()) },
  { title: 'PhoneMessage', examples: [{ ...exampleMessage, instanceId: null }] },
)
export const PhoneInbox = Page(PhoneMessage, 'PhoneInbox')
