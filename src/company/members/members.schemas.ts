import { Type, type Static } from 'typebox'
import { Role } from '../accounts/accounts.schemas.ts'
import { Nullable, Timestamp } from '../../kernel/schemas.ts'

export const InviteBody = Type.Object(
  { email: Type.String({ maxLength: 320 }), role: Role },
  { additionalProperties: false },
)
export type InviteBody = Static<typeof InviteBody>

export const ChangeRoleBody = Type.Object({ role: Role }, { additionalProperties: false })

export const AcceptBody = Type.Object(
  { token: Type.String({ maxLength: 200 }), password: Type.String({ maxLength: 1000 }) },
  { additionalProperties: false },
)
export type AcceptBody = Static<typeof AcceptBody>

export const MemberPath = Type.Object({ id: Type.String({ maxLength: 100 }) })

export const Invitation = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: Role,
    createdAt: Timestamp,
    expiresAt: Timestamp,
  },
  { title: 'Invitation' },
)
export type Invitation = Static<typeof Invitation>
export const Member = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: Role,
    secondFactor: Type.Boolean(),
    createdAt: Timestamp,
    lastSignInAt: Nullable(Timestamp),
  },
  { title: 'Member' },
)
export type Member = Static<typeof Member>
export const Members = Type.Object(
  { items: Type.Array(Member), invitations: Type.Array(Invitation) },
  { title: 'Members' },
)
