import { Type, type Static } from 'typebox'

/** Body that deletes an account. */
export const DeleteAccountBody = Type.Object(
  {
    password: Type.String({ minLength: 1, maxLength: 200 }),
    code: Type.Optional(Type.String({ maxLength: 40 })),
    company: Type.String({ maxLength: 300, description: 'O nome da empresa, para confirmar' }),
  },
  { additionalProperties: false },
)
export type DeleteAccountBody = Static<typeof DeleteAccountBody>
