import { Type, type Static } from 'typebox'
import { OWNER } from '../../kernel/permissions.ts'
import { PersonName, Role } from '../accounts/accounts.schemas.ts'
import { Nullable, Timestamp } from '../../kernel/schemas.ts'

/** Body that invites a member. */
export const InviteBody = Type.Object(
  { email: Type.String({ maxLength: 320 }), role: Role },
  { additionalProperties: false },
)
export type InviteBody = Static<typeof InviteBody>

/** Body that changes the role of a member. */
export const ChangeRoleBody = Type.Object({ role: Role }, { additionalProperties: false })

/** Body that accepts an invitation. */
export const AcceptBody = Type.Object(
  {
    token: Type.String({ maxLength: 200 }),
    password: Type.String({ maxLength: 1000 }),
    name: Type.Optional(PersonName),
  },
  { additionalProperties: false },
)
export type AcceptBody = Static<typeof AcceptBody>

/** Body that reads an invitation: the token of its mail. In the body, because URLs are logged. */
export const InvitedBody = Type.Object(
  { token: Type.String({ maxLength: 200 }) },
  { additionalProperties: false },
)
/** What the recipient of an invitation sees; null if it is unknown, used or expired. */
export const Invited = Type.Object({
  invitation: Nullable(Type.Object({ company: Type.String(), email: Type.String(), role: Role })),
})

/** Path of a member or an invitation. */
export const MemberPath = Type.Object({ id: Type.String() })

/** A pending invitation. */
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
/** A member of an account, with the time of their last sign-in. */
export const Member = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    /** Null until the member sets one. */
    name: Nullable(Type.String()),
    role: Role,
    secondFactor: Type.Boolean(),
    createdAt: Timestamp,
    lastSignInAt: Nullable(Timestamp),
  },
  { title: 'Member' },
)
export type Member = Static<typeof Member>
/** A person of the account, as its keys see them. */
const PublicMember = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name: Nullable(Type.String({ description: 'Como a equipe a chama; nulo se ela não informou' })),
    role: Role,
  },
  {
    title: 'PublicMember',
    examples: [
      {
        id: 'usr_01jcqz3v8xf6k9m2n4p5r7s8t9',
        email: 'bia@padaria.com.br',
        name: 'Bia Souza',
        role: OWNER,
      },
    ],
  },
)
/** The people of the account; at most 100. */
export const PublicMembers = Type.Object(
  { items: Type.Array(PublicMember) },
  { title: 'PublicMembers' },
)
/** The members of an account and its pending invitations. */
export const Members = Type.Object(
  { items: Type.Array(Member), invitations: Type.Array(Invitation) },
  { title: 'Members' },
)
