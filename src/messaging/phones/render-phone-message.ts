import { renderMessage } from '../../model/message.ts'
import type {
  PhoneMessage as SeenMessage,
  VirtualPhone,
} from '../../networks/virtual-phones.port.ts'
import { kindNamed } from '../../model/kinds/index.ts'
import type { PhoneMessage } from './phones.schemas.ts'

/**
 * Renders a message as this phone sees it, in the API's format of messages. `instanceId` is null unless an instance
 * sent it.
 */
export function renderPhoneMessage(phone: VirtualPhone, seen: SeenMessage): PhoneMessage {
  const { id, instanceId, waMessageId, direction, chat, from, to, content, media } = seen
  const { quoted, mentions, createdAt, readAt, editedAt, deletedAt, pinnedUntil, starred, kept } =
    seen
  const record = renderMessage({
    id,
    waMessageId,
    direction,
    content,
    media,
    quoted,
    mentions,
    createdAt,
    readAt,
    editedAt,
    deletedAt,
    pinnedUntil,
    starred,
    kept,
    instanceId: '',
    projectId: '',
    mode: 'test',
    conversationId: phone.id,
    origin: 'phone',
    sentBy: null,
    type: content.type,
    status: direction === 'inbound' ? 'received' : 'sent',
    chatId: chat.id,
    chatType: chat.type,
    chatName: chat.name,
    chatPhone: null,
    chatLid: null,
    senderPhone: from.phone,
    senderLid: from.lid,
    senderName: from.name,
    pollVotes: null,
    text: kindNamed(content.type)?.textOf(content) ?? null,
    metadata: {},
    clientReference: null,
    campaignId: null,
    error: null,
    sentAt: createdAt,
    deliveredAt: null,
  })
  return { ...record, instanceId, to }
}
