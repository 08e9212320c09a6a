import { Type, type Static, type TProperties, type TSchema } from 'typebox'
import type { MediaRule } from './media-fields.ts'
import { extrasDraft } from './details.schemas.ts'
import { sendFields } from './send-fields.schemas.ts'

/**
 * Defines a kind of message: its path, its fields, the content that a network sends, and the fields
 * that it adds to the record. Routes, reference, record and simulator are derived from
 * `kinds/index.ts` (G29).
 */
export function defineMessageKind<
  const Name extends string,
  Fields extends TProperties,
  Content extends { type: Name },
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- most kinds add no field
  Shown extends Record<string, TSchema> = Record<never, TSchema>,
>(kind: {
  name: Name
  /**
   * The path below /v1/instances/{id}/messages; null if the API cannot send the kind. On a path
   * that kinds share, `type` selects the kind.
   */
  path: string | null
  summary: string
  fields: Fields
  /** Converts a body to the content that is stored and sent. Throws 400. */
  toContent: (body: Static<ReturnType<typeof Type.Object<Fields>>>) => Content
  /** Content that every network must preserve in both directions; null for a kind that refers to another message. */
  example: NoInfer<Content> | null
  /** The text for the record, quotes, previews and search. */
  textOf: (content: Content) => string | null
  /** The record fields that this kind adds; they are null on messages of other kinds. */
  shown?: Shown
  show?: (content: Content) => { [Field in keyof Shown]: Static<Shown[Field]> }
  /** The files that the kind accepts, if it carries one. */
  media?: MediaRule
  /** The `waMessageId` of the message that it refers to, which must exist and have this type, if any. */
  target?: { of: (content: Content) => string; type: string | null }
  /** Refers to another message and never counts as unread. */
  silent?: boolean
}) {
  return { ...kind, ...bodiesOf(kind.name, kind.fields) }
}

function bodiesOf<Name extends string, Fields extends TProperties>(name: Name, fields: Fields) {
  const closed = { additionalProperties: false }
  const type = Type.Literal(name)
  return {
    /** The body of its own path. */
    body: Type.Object({ ...sendFields, ...fields }, closed),
    /** The body of a shared path, where `type` names the kind. */
    typedBody: Type.Object(
      { type: name === 'text' ? Type.Optional(type) : type, ...sendFields, ...fields },
      { ...closed, title: titleOf('Send', name) },
    ),
    /** The body of a message from a virtual phone. */
    phoneBody: Type.Object(
      {
        type: name === 'text' ? Type.Optional(type) : type,
        to: Type.String({
          title: 'PhoneRecipient',
          minLength: 1,
          maxLength: 100,
          examples: ['5511988887777'],
        }),
        quotedWaMessageId: sendFields.quotedWaMessageId,
        mentions: sendFields.mentions,
        ...extrasDraft,
        ...fields,
      },
      { ...closed, title: titleOf('PhoneSend', name) },
    ),
  }
}

/** The title of a schema of one kind: `SendText`. */
export const titleOf = (prefix: string, kind: string): string =>
  `${prefix}${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
