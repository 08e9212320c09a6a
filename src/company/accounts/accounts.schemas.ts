import { ROLES } from '../../kernel/permissions.ts'
import { Type, type Static } from 'typebox'

/** Body of a sign-up. */
export const SignUpBody = Type.Object(
  {
    company: Type.String({ maxLength: 200 }),
    taxId: Type.String({ maxLength: 40 }),
    email: Type.String({ maxLength: 320 }),
    password: Type.String({ maxLength: 1000 }),
  },
  { additionalProperties: false },
)
export type SignUpBody = Static<typeof SignUpBody>

/** Body that confirms an email address. */
export const ConfirmEmailBody = Type.Object(
  { token: Type.String({ maxLength: 200 }) },
  { additionalProperties: false },
)
export type ConfirmEmailBody = Static<typeof ConfirmEmailBody>

/** The display name of a member; empty for none. */
export const PersonName = Type.String({ maxLength: 80 })

/** The role of a user in their account (G5). */
export const Role = Type.Enum([...ROLES])
export type Role = Static<typeof Role>
