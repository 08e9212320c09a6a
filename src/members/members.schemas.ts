import { Type, type Static } from 'typebox'

/** Source: contract §1. */
const ROLES = ['Dono', 'Admin', 'Desenvolvedor', 'Atendente', 'Financeiro'] as const
const Role = Type.Enum(ROLES)
export type Role = (typeof ROLES)[number]

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
