import { Type, type Static } from 'typebox'
import { NOT_BLANK } from '../../kernel/not-blank.ts'
import { Nullable, Page, PageQuery, Timestamp, Words } from '../../kernel/schemas.ts'
import { exampleMessage, Message, MESSAGE_TYPES, Party } from '../../model/records.schemas.ts'
import { MESSAGE_STATUSES } from '../../model/vocabulary.ts'
import { sendFields } from '../../model/send-fields.schemas.ts'
import { allKinds, kinds } from '../../model/kinds/index.ts'
import { captioned } from '../../model/media-fields.ts'
import { bodyByType } from '../../kernel/body-by-type.ts'

/** A message in the API's common format, with a sent one as the example. */
export const SentMessage = Type.Object(Message.properties, {
  title: 'Message',
  examples: [exampleMessage],
})
/** A page of messages, newest first. */
export const MessageList = Page(SentMessage, 'MessageList')

/** A message with its status history, oldest first. */
export const MessageDetail = Type.Object(
  {
    ...Message.properties,
    events: Type.Array(
      Type.Object({
        status: Words(MESSAGE_STATUSES, 'MessageStatus'),
        at: Timestamp,
        party: Nullable(Party),
      }),
    ),
  },
  {
    title: 'MessageDetail',
    examples: [
      {
        ...exampleMessage,
        events: [{ status: 'queued', at: exampleMessage.createdAt, party: null }],
      },
    ],
  },
)
export type MessageDetail = Static<typeof MessageDetail>

/** The kinds that a body can send. */
export const sendableKinds = allKinds.filter((kind) => kind.path !== null)
/** A send of any kind, chosen by its `type`. */
export const anyKind = bodyByType(sendableKinds.map((kind) => [kind.name, kind.typedBody]))

/** The text parts of a multipart upload, including those common to all sends. */
export const uploadFields = {
  type: {
    type: 'string',
    enum: kinds.flatMap((kind) => (kind.media ? [kind.name] : [])),
    default: 'document',
  },
  caption: { type: 'string' },
  voice: { type: 'boolean' },
  viewOnce: { type: 'boolean' },
  gif: { type: 'boolean' },
  ...sendFields,
}

/** Body that forwards a message; exactly one of `to` and `conversationId` is required. */
export const ForwardBody = Type.Object(
  {
    to: sendFields.to,
    conversationId: sendFields.conversationId,
    delayMs: sendFields.delayMs,
    clientReference: sendFields.clientReference,
    metadata: sendFields.metadata,
  },
  { additionalProperties: false, examples: [{ to: '5511999998888' }] },
)
export type ForwardBody = Static<typeof ForwardBody>

const albumItem = Type.Object(
  { type: Words(['image', 'video']), ...captioned },
  { title: 'AlbumItem', additionalProperties: false },
)
/** Body that sends an album; exactly one of `to` and `conversationId` is required. */
export const AlbumBody = Type.Object(
  {
    ...sendFields,
    items: Type.Array(albumItem, { minItems: 2, maxItems: 30 }),
  },
  { additionalProperties: false },
)
export type AlbumBody = Static<typeof AlbumBody>

/** The messages of an album, in the order of its items. */
export const SentAlbum = Type.Object({ items: Type.Array(SentMessage) }, { title: 'SentAlbum' })

/** Body that replaces the text or caption of a message. */
export const EditBody = Type.Object(
  { text: Type.String({ ...NOT_BLANK, maxLength: 65_536 }) },
  { additionalProperties: false },
)

/** For how long messages can be pinned, in seconds: a day, a week, or thirty days. */
const PIN_SECONDS = [86_400, 604_800, 2_592_000] as const

/** Body that pins a message in its chat. */
export const PinBody = Type.Object(
  {
    seconds: Type.Unsafe<(typeof PIN_SECONDS)[number]>({
      type: 'integer',
      enum: [...PIN_SECONDS],
      description: 'Por quanto tempo: um dia, uma semana ou trinta dias',
    }),
  },
  { additionalProperties: false, examples: [{ seconds: 604_800 }] },
)

/** Filters, full-text search and pagination of the message list. */
export const ListMessagesQuery = Type.Object({
  ...PageQuery,
  conversationId: Type.Optional(Type.String()),
  direction: Type.Optional(Words(['inbound', 'outbound'])),
  type: Type.Optional(Words(MESSAGE_TYPES, 'MessageType')),
  status: Type.Optional(Words(MESSAGE_STATUSES, 'MessageStatus')),
  clientReference: Type.Optional(Type.String()),
  since: Type.Optional(Type.String({ description: 'ISO 8601, inclusive' })),
  until: Type.Optional(Type.String({ description: 'ISO 8601, exclusive' })),
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Palavras do texto, em qualquer ordem; da última basta o começo. Acentos e maiúsculas não contam',
    }),
  ),
  pinned: Type.Optional(
    Type.Boolean({ examples: [true], description: 'Com `true`, só as fixadas na conversa' }),
  ),
  starred: Type.Optional(
    Type.Boolean({ examples: [true], description: 'Com `true`, só as marcadas com estrela' }),
  ),
})
export type ListMessagesQuery = Static<typeof ListMessagesQuery>

/** Body that marks messages as read; exactly one of `waMessageIds` and `conversationId` is required. */
export const MarkReadBody = Type.Object(
  {
    waMessageIds: Type.Optional(
      Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 1000 }),
    ),
    conversationId: Type.Optional(
      Type.String({ maxLength: 100, description: 'Tudo o que chegou nela' }),
    ),
  },
  { additionalProperties: false },
)
export type MarkReadBody = Static<typeof MarkReadBody>

/** The network ids of the messages marked as read. */
export const MarkReadResponse = Type.Object(
  { waMessageIds: Type.Array(Type.String()) },
  { title: 'MarkedRead', examples: [{ waMessageIds: [exampleMessage.waMessageId] }] },
)

/** Recent activity per instance, for the panel. */
export const InstanceActivity = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        instanceId: Type.String(),
        messages: Type.Integer({ description: 'Messages of the last 24 hours; at most 1000' }),
        more: Type.Boolean({ description: 'Whether there were more' }),
        lastMessageAt: Nullable(Timestamp),
      }),
    ),
  },
  { title: 'InstanceActivity' },
)
export type InstanceActivity = Static<typeof InstanceActivity>
