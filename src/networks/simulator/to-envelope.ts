import type { MediaFacts } from '../network-events.port.ts'
import type { OutboundMedia, OutboundMessage } from '../network.port.ts'
import type { Envelope, Person } from './route-message.ts'

/** Converts an outbound message of `me` to an envelope of the simulated network. */
export function toEnvelope(message: OutboundMessage, me: Person, instanceId: string): Envelope {
  const { waMessageId, chatId, chatType, content, media, quoted, mentions } = message
  const audience = message.audience.flatMap(({ phone, lid }) => phone ?? lid ?? [])
  return {
    waMessageId,
    chatId,
    chatType,
    audience,
    content,
    mentions,
    from: me,
    instanceId,
    quoted: quoted && { ...quoted, by: authorOf(quoted, chatId, me) },
    media: media && toFacts(media),
  }
}

/** Returns the phone number of a quoted message's author, or null; in a direct chat it is one of the two parties. */
function authorOf(
  { fromMe, sender }: NonNullable<OutboundMessage['quoted']>,
  chatId: string,
  me: Person,
): string | null {
  if (fromMe) return me.phone
  return sender?.phone ?? /^(\d+)@s\.whatsapp\.net$/.exec(chatId)?.[1] ?? null
}

function toFacts(media: OutboundMedia): MediaFacts & { id: string } {
  const { id, mimeType, fileName, sizeBytes, sha256, durationSeconds, width, height } = media
  return { id, mimeType, fileName, sizeBytes, sha256, durationSeconds, width, height }
}
