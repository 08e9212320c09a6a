import { kindNamed, type MessageContent } from './kinds/index.ts'
import type { Media } from './media-fields.ts'
import {
  NOTHING_SHOWN,
  type Message,
  type MessageError,
  type MessageErrorCode,
  type MessageStatus,
  type MessageType,
  type Quoted,
} from './records.schemas.ts'
import type { Mode } from '../kernel/config/config.ts'
import { say } from '../kernel/phrases/phrases.ts'

/** A message as it is stored, with its conversation and its file. `pollVotes`: how many chose each option of a poll. */
export type MessageRow = {
  id: string
  projectId: string
  mode: Mode
  instanceId: string
  conversationId: string
  waMessageId: string
  direction: 'outbound' | 'inbound'
  origin: 'api' | 'panel' | 'campaign' | 'phone'
  type: MessageType
  status: MessageStatus
  chatId: string
  chatType: 'direct' | 'group'
  chatName: string | null
  chatPhone: string | null
  chatLid: string | null
  senderPhone: string | null
  senderLid: string | null
  senderName: string | null
  content: MessageContent | { type: 'system' } | { type: 'unsupported' } | { type: 'undecryptable' }
  media: Media | null
  /** Of a poll: how many chose each option. */
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
}

/** The sentence beside an error's code. */
export function renderError(error: MessageRow['error']): MessageError | null {
  return error && { ...error, message: say.messages.errors[error.code] }
}

/** The one message record (G29), whatever asks for it. */
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

/** What the message's kind adds to the record. */
function shownBy({ content, pollVotes }: MessageRow): Partial<Message> {
  const kind = kindNamed(content.type)
  const shown: Partial<Message> = kind?.show?.(content as MessageContent) ?? {}
  if (!shown.poll || !pollVotes) return shown
  // Options are named by strangers: an object would know "constructor", too.
  const counts = new Map(Object.entries(pollVotes))
  const options = shown.poll.options.map(({ name }) => ({ name, votes: counts.get(name) ?? 0 }))
  return { ...shown, poll: { ...shown.poll, options } }
}
