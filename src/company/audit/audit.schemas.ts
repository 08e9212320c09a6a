import { Type, type Static } from 'typebox'
import { Nullable, Page, PageQuery, Timestamp } from '../../kernel/schemas.ts'

const mode = Type.Union([Type.Literal('test'), Type.Literal('production')])
const values = Nullable(Type.Record(Type.String(), Type.Unknown()))
/** An entry of an account's audit log: the action, its actor and its origin. */
export const AccountAuditEntry = Type.Object(
  {
    id: Type.Integer(),
    at: Timestamp,
    actor: Type.String(),
    /** The email address of a user, or the name of a key. */
    actorName: Nullable(Type.String()),
    action: Type.String(),
    object: Type.String(),
    objectName: Nullable(Type.String()),
    mode: Nullable(mode),
    /** The IP address of the request. */
    address: Nullable(Type.String()),
    before: values,
    after: values,
  },
  { title: 'AuditEntry' },
)
export type AccountAuditEntry = Static<typeof AccountAuditEntry>
/** A page of the audit log. */
export const AuditLog = Page(AccountAuditEntry, 'AuditLog')
/** A substring of the action, the object's id or name, the actor's name or the IP address. */
const q = Type.Optional(Type.String({ maxLength: 200 }))
/** With `q`, also entries of these actions, separated by commas: those whose words, which only the panel knows, match. */
const actions = Type.Optional(Type.String({ maxLength: 4000 }))
const filter = { q, actions, mode: Type.Optional(mode) }
/** Filters and pagination of the audit log. */
export const AuditQuery = Type.Object({ ...PageQuery, ...filter })
/** Filters of the audit log as a CSV file. */
export const AuditFileQuery = Type.Object(filter)
export type AuditFileQuery = Static<typeof AuditFileQuery>
