import { kindNamed, type MessageContent } from '../../model/kinds/index.ts'
import { NOTHING_SHOWN, type Message, type MessageError } from '../../model/records.schemas.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { MessageRow } from './messages.sql.ts'

/** The sentence beside an error's code. */
export function renderError(error: MessageRow['error']): MessageError | null {
  return error && { ...error, message: say.messages.errors[error.code] }
}

/** The one message record (contract §2.1, 2.2), whatever asks for it. */
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
