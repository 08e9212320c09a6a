import { Type, type Static } from 'typebox'
import { Nullable, Page, PageQuery, Timestamp } from '../http/answers.ts'

const values = Nullable(Type.Record(Type.String(), Type.Unknown()))
/** What was done in an account, by whom. */
export const AccountAuditEntry = Type.Object(
  {
    id: Type.Integer(),
    at: Timestamp,
    actor: Type.String(),
    actorEmail: Nullable(Type.String()),
    action: Type.String(),
    object: Type.String(),
    before: values,
    after: values,
  },
  { title: 'AuditEntry' },
)
export type AccountAuditEntry = Static<typeof AccountAuditEntry>
export const AuditLog = Page(AccountAuditEntry, 'AuditLog')
export const AuditQuery = Type.Object({
  ...PageQuery,
  /** A part of what was done, to whom, or by whom. */
  q: Type.Optional(Type.String({ maxLength: 200 })),
})
