import { Type, type Static, type TProperties } from 'typebox'
import type { MessageContent } from '../networks/network.port.ts'
import type { MessageType } from '../records/records.schemas.ts'

/** The fields that every send has. Source: contract §2.2. */
const sendFields = {
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

/** One kind of message: its path, its fields, and how they become what a network sends. */
export function defineMessageKind<
  const Name extends MessageType & MessageContent['type'],
  Fields extends TProperties,
>(kind: {
  name: Name
  /** Behind /v1/instances/{id}/messages. */
  path: string
  summary: string
  fields: Fields
  toContent: (
    body: Static<ReturnType<typeof Type.Object<Fields>>>,
  ) => Extract<MessageContent, { type: Name }>
  /** The text that the record, a quotation and a preview show. */
  textOf: (content: Extract<MessageContent, { type: Name }>) => string | null
}) {
  const body = Type.Object({ ...sendFields, ...kind.fields }, { additionalProperties: false })
  return { ...kind, body }
}
