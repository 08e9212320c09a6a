import { kindNamed, type MessageContent } from './kinds/index.ts'
import type { Media } from './media-fields.ts'
import type { MessageExtras } from './details.schemas.ts'
import {
  NOTHING_SHOWN,
  type Message,
  type MessageError,
  type MessageErrorCode,
  type MessageType,
  type Quoted,
} from './records.schemas.ts'
import type { ChatType, MessageStatus, MessageOrigin } from './vocabulary.ts'
import type { Mode } from '../kernel/config/config.ts'
import { say } from '../kernel/phrases/phrases.ts'

/** The content of a message; the last three are only received. */
export type StoredContent =
  | MessageContent
  | ({ type: 'unsupported' } & MessageExtras)
  | { type: 'system' }
  | { type: 'undecryptable' }

/** A stored message with its conversation and its file. */
export type MessageRow = {
  id: string
  projectId: string
  mode: Mode
  instanceId: string
  conversationId: string
  waMessageId: string
  direction: 'outbound' | 'inbound'
  origin: MessageOrigin
  /** The member who sent it in the panel; null for the rest. */
  sentBy: string | null
  type: MessageType
  status: MessageStatus
  chatId: string
  chatType: ChatType
  chatName: string | null
  chatPhone: string | null
  chatLid: string | null
  senderPhone: string | null
  senderLid: string | null
  senderName: string | null
  content: StoredContent
  media: Media | null
  /** The votes for each option of a poll; null for other kinds. */
  pollVotes: Record<string, number> | null
  text: string | null
  quoted: Quoted | null
  mentions: string[]
  metadata: Record<string, string>
  clientReference: string | null
  campaignId: string | null
  error: { code: MessageErrorCode; retryable: boolean } | null
  createdAt: Date
  sentAt: Date | null
  deliveredAt: Date | null
  readAt: Date | null
  editedAt: Date | null
  deletedAt: Date | null
  /** Null if it is not pinned; in the past once the pin has expired. */
  pinnedUntil: Date | null
  /** Whether the account has starred it; null means false. */
  starred: boolean | null
  /** Whether a participant keeps it in a chat with disappearing messages; null means false. */
  kept: boolean | null
}

/** Adds the user-facing sentence to an error. */
export function renderError(error: MessageRow['error']): MessageError | null {
  return error && { ...error, message: say.messages.errors[error.code] }
}

/** Renders the message record, which is the same everywhere (G29). */
export function renderMessage(row: MessageRow): Message {
  const peer = { phone: row.chatPhone, lid: row.chatLid, name: row.chatName }
  const sender = { phone: row.senderPhone, lid: row.senderLid, name: row.senderName }
  return {
    id: row.id,
    instanceId: row.instanceId,
    conversationId: row.conversationId,
    waMessageId: row.waMessageId,
    direction: row.direction,
    origin: row.origin,
    type: row.type,
    status: row.status,
    chat: { id: row.chatId, type: row.chatType, name: row.chatName },
    from: sender,
    to: row.direction === 'outbound' && row.chatType === 'direct' ? peer : null,
    text: row.text,
    media: row.media,
    ...NOTHING_SHOWN,
    ...shownBy(row),
    quoted: row.quoted,
    mentions: row.mentions,
    ...extrasOf(row.content),
    ...(row.sentBy ? { sentBy: row.sentBy } : {}),
    ...(row.pinnedUntil ? { pinnedUntil: row.pinnedUntil.toISOString() } : {}),
    ...(row.starred ? { starred: true } : {}),
    ...(row.kept ? { kept: true } : {}),
    viewOnce: 'viewOnce' in row.content && row.content.viewOnce,
    editedAt: row.editedAt?.toISOString() ?? null,
    deletedAt: row.deletedAt?.toISOString() ?? null,
    clientReference: row.clientReference,
    campaignId: row.campaignId,
    metadata: row.metadata,
    error: renderError(row.error),
    createdAt: row.createdAt.toISOString(),
    sentAt: row.sentAt?.toISOString() ?? null,
    deliveredAt: row.deliveredAt?.toISOString() ?? null,
    readAt: row.readAt?.toISOString() ?? null,
  }
}

/** The fields that only some messages have. */
function extrasOf(
  content: MessageRow['content'],
): Pick<
  Message,
  'albumId' | 'content' | 'referral' | 'forwarded' | 'recovered' | 'gif' | 'template'
> {
  const { details, referral, forwarded, recovered, album } = content as MessageExtras
  const gif = content.type === 'video' && content.gif
  return {
    ...(details ? { content: details } : {}),
    ...(referral ? { referral } : {}),
    ...(forwarded ? { forwarded } : {}),
    ...(recovered ? { recovered } : {}),
    ...(album ? { albumId: album.id } : {}),
    ...(gif ? { gif } : {}),
    ...(content.type === 'template' ? { template: templateOf(content) } : {}),
  }
}

const templateOf = ({
  name,
  language,
  variables,
}: Extract<MessageContent, { type: 'template' }>) => ({ name, language, variables })

/** Returns the record fields that the kind of the message adds. */
function shownBy({ content, pollVotes }: MessageRow): Partial<Message> {
  const kind = kindNamed(content.type)
  const shown: Partial<Message> = kind?.show?.(content as MessageContent) ?? {}
  if (!shown.poll || !pollVotes) return shown
  // A Map, because an option may be called "constructor".
  const counts = new Map(Object.entries(pollVotes))
  const options = shown.poll.options.map(({ name }) => ({ name, votes: counts.get(name) ?? 0 }))
  return { ...shown, poll: { ...shown.poll, options } }
}
