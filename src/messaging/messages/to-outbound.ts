import type { MediaService } from '../../media/media.service.ts'
import type { OutboundMessage } from '../../networks/network.port.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { ClaimedMessage } from './outbound.sql.ts'

/** Returns a claimed message as a network sends it to its chat or audience; its file is opened when it is sent. */
export function toOutbound(
  message: ClaimedMessage,
  audience: Party[],
  media: Pick<MediaService, 'open'>,
): OutboundMessage {
  const { waMessageId, chatId, chatType, content, quoted, mentions, options, projectId, mode } =
    message
  const { typingMs = 0, target = null } = options
  const file = message.media
  const open = () => media.open({ id: file?.id ?? '', projectId, mode })
  return {
    waMessageId,
    chatId,
    chatType,
    audience: chatType === 'status' ? audience : [],
    content,
    quoted,
    mentions,
    typingMs,
    target,
    media: file && { ...file, open },
  }
}
