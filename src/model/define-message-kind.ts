import { Type, type Static, type TProperties, type TSchema } from 'typebox'
import type { MediaRule } from './media-fields.ts'

/** The fields that every send has (G29). */
export const sendFields = {
  to: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['+55 11 99999-8888'] })),
  conversationId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  quotedWaMessageId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  mentions: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 1024 })),
  delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  typingMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20_000 })),
  clientReference: Type.Optional(Type.String({ maxLength: 128 })),
  metadata: Type.Optional(
    Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 1000 }), {
      maxProperties: 50,
    }),
  ),
}
const common = Type.Object(sendFields)
export type SendFields = Static<typeof common>

/**
 * One kind of message: its path, its fields, how they become what a network sends, and what of it the record shows.
 * Everything else about kinds (routes, reference, record, simulator) comes from `kinds/index.ts` (G29).
 */
export function defineMessageKind<
  const Name extends string,
  Fields extends TProperties,
  Content extends { type: Name },
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- most kinds add no field
  Shown extends Record<string, TSchema> = Record<never, TSchema>,
>(kind: {
  name: Name
  /** Behind /v1/instances/{id}/messages; null for what only people do. Kinds may share a path, which then takes `type`. */
  path: string | null
  summary: string
  fields: Fields
  /** The content that a row keeps and a network sends. Throws 400. */
  toContent: (body: Static<ReturnType<typeof Type.Object<Fields>>>) => Content
  /** What every network must carry there and back, whole; null for a kind that only speaks of another message. */
  example: NoInfer<Content> | null
  /** The text that the record, a quotation, a preview and the search show. */
  textOf: (content: Content) => string | null
  /** The fields of the record that are this kind's own; on messages of other kinds they are null. */
  shown?: Shown
  show?: (content: Content) => { [Field in keyof Shown]: Static<Shown[Field]> }
  /** Which files it takes, if it carries one. */
  media?: MediaRule
  /** The `waMessageId` of the message that it speaks of, which must exist and be of this type. */
  target?: { of: (content: Content) => string; type: string | null }
  /** Speaks of another message and stands in no list of unread ones. */
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
    /** The body where `type` tells the kind. */
    typedBody: Type.Object(
      { type: name === 'text' ? Type.Optional(type) : type, ...sendFields, ...fields },
      { ...closed, title: titleOf('Send', name) },
    ),
    /** What a virtual phone writes. */
    phoneBody: Type.Object(
      {
        type: name === 'text' ? Type.Optional(type) : type,
        to: Type.String({ minLength: 1, maxLength: 100, examples: ['5511988887777'] }),
        quotedWaMessageId: sendFields.quotedWaMessageId,
        mentions: sendFields.mentions,
        ...fields,
      },
      { ...closed, title: titleOf('PhoneSend', name) },
    ),
  }
}

/** The title of a schema of one kind: `SendText`. */
export const titleOf = (prefix: string, kind: string): string =>
  `${prefix}${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
