import { Type, type Static } from 'typebox'
import { Nullable, Timestamp, Words } from '../kernel/schemas.ts'
import { kinds, type Kind } from './kinds/index.ts'
import { Media } from './media-fields.ts'
import { MessageDetails, Referral } from './details.schemas.ts'
import {
  CHAT_TYPES,
  INSTANCE_STATUSES,
  MESSAGE_ORIGINS,
  MESSAGE_STATUSES,
  PARTICIPANT_ROLES,
} from './vocabulary.ts'

/** A contact or a number. `phone` never contains a LID (G29). */
export const Party = Type.Object(
  {
    phone: Nullable(Type.String({ description: 'Só dígitos' })),
    lid: Nullable(Type.String()),
    name: Nullable(Type.String()),
  },
  { title: 'Party' },
)
export type Party = Static<typeof Party>

/** A participant of a group with their role. */
export const Participant = Type.Object(
  {
    ...Party.properties,
    role: Words(PARTICIPANT_ROLES),
  },
  { title: 'Participant' },
)
export type Participant = Static<typeof Participant>

/**
 * The kinds, and three types that are only received: events of the network, unknown kinds and
 * messages that cannot be decrypted.
 */
export const MESSAGE_TYPES = [
  ...kinds.map((kind): Kind['name'] => kind.name),
  'system' as const,
  'unsupported' as const,
  'undecryptable' as const,
]
/** The type of a message, including those that can only be received. */
export type MessageType = (typeof MESSAGE_TYPES)[number]

const ERROR_CODES = [
  'NUMBER_NOT_ON_NETWORK',
  'INSTANCE_OFFLINE',
  'MEDIA_FETCH_FAILED',
  'MEDIA_TOO_LARGE',
  'MEDIA_UNSUPPORTED',
  'ACK_TIMEOUT',
  'NOT_A_PARTICIPANT',
  'BLOCKED',
  'RESTRICTED',
  'PACE_LIMIT',
  'WINDOW_CLOSED',
  'TEMPLATE_REJECTED',
  'OUTCOME_UNKNOWN',
  'UNKNOWN',
] as const
/** Why a message failed. */
export type MessageErrorCode = (typeof ERROR_CODES)[number]

/** The error of a failed message. */
export const MessageError = Type.Object(
  { code: Words(ERROR_CODES), message: Type.String(), retryable: Type.Boolean() },
  { title: 'MessageError' },
)
export type MessageError = Static<typeof MessageError>

/** The chat of a message. */
export const Chat = Type.Object(
  {
    id: Type.String(),
    type: Words(CHAT_TYPES),
    name: Nullable(Type.String()),
  },
  { title: 'Chat' },
)
export type Chat = Static<typeof Chat>

/** A quoted message. */
export const Quoted = Type.Object(
  {
    waMessageId: Type.String(),
    type: Nullable(Words(MESSAGE_TYPES, 'MessageType')),
    text: Nullable(Type.String({ description: 'Até 1024 caracteres' })),
    fromMe: Type.Boolean(),
  },
  { title: 'Quoted' },
)
export type Quoted = Static<typeof Quoted>

type AllOf<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  each: infer Intersection,
) => void
  ? Intersection
  : never
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- most kinds add no field
type Shown = AllOf<NonNullable<Kind['shown']>>

/** The fields that kinds add to the record. */
const shown = Object.assign({}, ...kinds.map((kind) => kind.shown ?? {})) as Shown
/** The record fields that other kinds add, all null. */
export const NOTHING_SHOWN = Object.fromEntries(
  Object.keys(shown).map((field) => [field, null]),
) as { [Field in keyof Shown]: null }

/** The message record, the same in all responses, lists and events (G29). */
export const Message = Type.Object(
  {
    id: Type.String(),
    instanceId: Type.String(),
    conversationId: Type.String(),
    waMessageId: Type.String(),
    direction: Type.Union([Type.Literal('outbound'), Type.Literal('inbound')]),
    origin: Words(MESSAGE_ORIGINS),
    type: Words(MESSAGE_TYPES, 'MessageType'),
    status: Words(MESSAGE_STATUSES, 'MessageStatus'),
    chat: Chat,
    from: Party,
    to: Nullable(Party),
    text: Nullable(Type.String()),
    media: Nullable(Media),
    ...shown,
    quoted: Nullable(Quoted),
    mentions: Type.Array(Type.String()),
    content: Type.Optional(MessageDetails),
    referral: Type.Optional(Referral),
    forwarded: Type.Optional(
      Type.Boolean({ description: 'Presente e verdadeiro se foi encaminhada de outra conversa' }),
    ),
    recovered: Type.Optional(
      Type.Boolean({
        description:
          'Presente e verdadeiro se chegou atrasada, porque a instância estava sem conexão',
      }),
    ),
    albumId: Type.Optional(
      Type.String({ description: 'O mesmo nas fotos e nos vídeos de um álbum' }),
    ),
    gif: Type.Optional(
      Type.Boolean({ description: 'Presente e verdadeiro em um vídeo que se repete sem som' }),
    ),
    template: Type.Optional(
      Type.Object(
        { name: Type.String(), language: Type.String(), variables: Type.Array(Type.String()) },
        { title: 'SentTemplate' },
      ),
    ),
    sentBy: Type.Optional(
      Type.String({
        description: 'Id da pessoa da equipe que enviou pelo painel (veja `GET /v1/members`)',
      }),
    ),
    pinnedUntil: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Até quando fica fixada na conversa, se estiver',
      }),
    ),
    starred: Type.Optional(
      Type.Boolean({ description: 'Presente e verdadeiro se esta conta a marcou com estrela' }),
    ),
    kept: Type.Optional(
      Type.Boolean({
        description:
          'Presente e verdadeiro se alguém a manteve em uma conversa de mensagens temporárias',
      }),
    ),
    viewOnce: Type.Boolean(),
    editedAt: Nullable(Timestamp),
    deletedAt: Nullable(Timestamp),
    clientReference: Nullable(Type.String()),
    campaignId: Nullable(Type.String()),
    metadata: Type.Record(Type.String(), Type.String()),
    error: Nullable(MessageError),
    createdAt: Timestamp,
    sentAt: Nullable(Timestamp),
    deliveredAt: Nullable(Timestamp),
    readAt: Nullable(Timestamp),
  },
  { title: 'Message' },
)
export type Message = Static<typeof Message>

/** A message in the examples of the reference. */
export const exampleMessage: Message = {
  id: 'msg_01jcqz3v8xf6k9m2n4p5r7s8t9',
  instanceId: 'ins_01jcqz3v8xf6k9m2n4p5r7s8t9',
  conversationId: 'cnv_01jcqz3v8xf6k9m2n4p5r7s8t9',
  waMessageId: '3EB0A1B2C3D4E5F6A7B8C9',
  direction: 'outbound',
  origin: 'api',
  type: 'text',
  status: 'queued',
  chat: { id: '5511999998888@s.whatsapp.net', type: 'direct', name: 'Ana' },
  from: { phone: '5511988887777', lid: null, name: 'Suporte' },
  to: { phone: '5511999998888', lid: null, name: 'Ana' },
  text: 'Olá *Ana*',
  media: null,
  ...NOTHING_SHOWN,
  quoted: null,
  mentions: [],
  viewOnce: false,
  editedAt: null,
  deletedAt: null,
  clientReference: 'pedido-123',
  campaignId: null,
  metadata: {},
  error: null,
  createdAt: '2026-11-20T12:00:00.000Z',
  sentAt: null,
  deliveredAt: null,
  readAt: null,
}

/** The schema of an instance's status. */
export const InstanceStatus = Words(INSTANCE_STATUSES, 'InstanceStatus')
