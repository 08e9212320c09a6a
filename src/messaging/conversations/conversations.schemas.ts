import { Type, type Static } from 'typebox'
import { Referral } from '../../model/details.schemas.ts'
import { Nullable, Page, PageQuery, Timestamp, Words } from '../../kernel/schemas.ts'
import { Chat, exampleMessage, MESSAGE_TYPES, Party } from '../../model/records.schemas.ts'
import {
  CHAT_TYPES,
  MESSAGE_STATUSES,
  PRESENCES,
  type PresenceState,
} from '../../model/vocabulary.ts'

/**
 * The status in the team's workflow. A message from the contact
 * sets it to `open`; members and API clients set the others.
 */
const CONVERSATION_STATUSES = ['open', 'waiting', 'done'] as const
/** One of `CONVERSATION_STATUSES`. */
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number]
/** The value of `assigneeId` for no assignee, because null in a request is equivalent to an absent field. */
export const UNASSIGNED = 'none'

/** A conversation with its last message. `contact` is null for groups (G37). */
export const Conversation = Type.Object(
  {
    id: Type.String(),
    instanceId: Type.String(),
    chat: Chat,
    contact: Nullable(Party),
    unreadCount: Type.Integer({
      description: 'Não lidas por ninguém; no painel, não lidas por quem está vendo',
    }),
    archived: Type.Boolean(),
    pinned: Type.Boolean(),
    labelIds: Type.Array(Type.String()),
    status: Words(CONVERSATION_STATUSES, 'ConversationStatus'),
    assignee: Nullable(
      Type.Object(
        { id: Type.String(), email: Type.String(), name: Nullable(Type.String()) },
        { description: 'Quem atende' },
      ),
    ),
    lastMessage: Nullable(
      Type.Object({
        waMessageId: Type.String(),
        type: Words(MESSAGE_TYPES, 'MessageType'),
        text: Nullable(Type.String({ description: 'Até 1024 caracteres' })),
        fromMe: Type.Boolean(),
        at: Timestamp,
      }),
    ),
    lastMessageStatus: Nullable(Words(MESSAGE_STATUSES, 'MessageStatus')),
    /** Who sent the last message, if it was received. */
    lastMessageFrom: Nullable(Party),
    lastMessageAt: Nullable(Timestamp),
    waitingSince: Nullable(
      Type.String({
        format: 'date-time',
        description: 'Desde quando o contato espera resposta; nulo se não espera',
      }),
    ),
    /** The first advertisement from which the contact opened the chat. */
    referral: Nullable(Referral),
  },
  {
    title: 'Conversation',
    examples: [
      {
        id: exampleMessage.conversationId,
        instanceId: exampleMessage.instanceId,
        chat: exampleMessage.chat,
        contact: exampleMessage.to,
        unreadCount: 2,
        archived: false,
        pinned: false,
        labelIds: [],
        status: 'open',
        assignee: {
          id: 'usr_01jcqz3v8xf6k9m2n4p5r7s8t9',
          email: 'bia@padaria.com.br',
          name: 'Bia Souza',
        },
        lastMessage: {
          waMessageId: exampleMessage.waMessageId,
          type: 'text',
          text: 'Olá *Ana*',
          fromMe: true,
          at: exampleMessage.createdAt,
        },
        lastMessageStatus: 'delivered',
        lastMessageFrom: null,
        lastMessageAt: exampleMessage.createdAt,
        waitingSince: null,
        referral: null,
      },
    ],
  },
)
export type Conversation = Static<typeof Conversation>
/** A page of conversations, most recent activity first. */
export const ConversationList = Page(Conversation, 'ConversationList')

/** Body that sets the presence shown to the contact. */
export const PresenceBody = Type.Object(
  {
    state: Type.Unsafe<PresenceState>({
      type: 'string',
      enum: [...PRESENCES],
      description: 'Digitando, gravando áudio, ou nenhum dos dois',
      examples: ['typing'],
    }),
  },
  { additionalProperties: false, examples: [{ state: 'typing' }] },
)

/** Filters and pagination of the conversation list. */
export const ListConversationsQuery = Type.Object({
  ...PageQuery,
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Trecho do nome ou do telefone' })),
  type: Type.Optional(Words(CHAT_TYPES)),
  unread: Type.Optional(Type.Boolean()),
  awaitingReply: Type.Optional(Type.Boolean()),
  archived: Type.Optional(Type.Boolean()),
  pinned: Type.Optional(Type.Boolean()),
  labelId: Type.Optional(Type.String()),
  status: Type.Optional(Words(CONVERSATION_STATUSES, 'ConversationStatus')),
  assigneeId: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Id de quem atende, ou `none` para sem responsável',
    }),
  ),
})
export type ListConversationsQuery = Static<typeof ListConversationsQuery>

/** Body that archives, pins, assigns, closes or marks a conversation as unread; at least one field is required. */
export const PatchConversationBody = Type.Object(
  {
    archived: Type.Optional(Type.Boolean()),
    pinned: Type.Optional(Type.Boolean()),
    status: Type.Optional(Words(CONVERSATION_STATUSES, 'ConversationStatus')),
    assigneeId: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Id de quem atende, ou `none` para deixar sem responsável',
      }),
    ),
    unread: Type.Optional(
      Type.Literal(true, {
        description:
          'Deixa não lida a última mensagem recebida, para todos ou só para quem usa o painel',
      }),
    ),
  },
  { additionalProperties: false },
)
export type PatchConversationBody = Static<typeof PatchConversationBody>
