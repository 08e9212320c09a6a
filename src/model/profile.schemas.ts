import { Type, type Static } from 'typebox'
import { Nullable } from '../kernel/schemas.ts'

/** WhatsApp's limit for the “about” text of a profile. */
export const MAX_ABOUT = 139

/** The public profile of a business on WhatsApp. */
export const BusinessProfile = Type.Object(
  {
    description: Nullable(Type.String()),
    category: Nullable(Type.String()),
    email: Nullable(Type.String()),
    address: Nullable(Type.String()),
    websites: Type.Array(Type.String()),
  },
  { title: 'BusinessProfile' },
)
export type BusinessProfile = Static<typeof BusinessProfile>
