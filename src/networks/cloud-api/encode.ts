import type { MessageContent } from '../../model/kinds/index.ts'
import { NetworkRejection, type OutboundMessage } from '../network.port.ts'
import type { MediaKind } from '../../model/vocabulary.ts'

type Content<Type extends MessageContent['type']> = Extract<MessageContent, { type: Type }>

/** What a message refers to, in Meta's ids. */
export type References = {
  /** The quoted message; null without one, or if Meta's id is unknown. */
  quoted: string | null
  /** The message that a reaction refers to. */
  target: string | null
  /** The uploaded file. */
  mediaId: string | null
}

/**
 * Encodes a message for the Cloud API. `biz_opaque_callback_data` carries the message's own id, which every status of it
 * repeats. Throws NetworkRejection `not_supported` for kinds that the API cannot send.
 */
export function encodeMessage(message: OutboundMessage, references: References): object {
  const { chatId, waMessageId } = message
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    // Without the plus sign Meta takes the number for one of the sender's country.
    to: `+${phoneOf(chatId)}`,
    ...encodeContent(message, references),
    ...(references.quoted ? { context: { message_id: references.quoted } } : {}),
    biz_opaque_callback_data: waMessageId,
  }
}

/** Returns the digits of a direct chat; the Cloud API has no other chats. */
export function phoneOf(chatId: string): string {
  const phone = /^(\d+)@s\.whatsapp\.net$/.exec(chatId)?.[1]
  if (!phone) throw new NetworkRejection('not_supported')
  return phone
}

function encodeContent(message: OutboundMessage, { target, mediaId }: References): object {
  const { content } = message
  switch (content.type) {
    case 'text': {
      const preview_url = content.linkPreview !== false && /https?:\/\//.test(content.text)
      return { type: 'text', text: { body: content.text, preview_url } }
    }
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return { type: content.type, [content.type]: toFile(message, content, mediaId) }
    case 'location':
      return { type: 'location', location: toLocation(content) }
    case 'contact':
      return { type: 'contacts', contacts: content.contacts.map(toContact) }
    case 'reaction':
      if (!target) throw new NetworkRejection('unknown')
      return { type: 'reaction', reaction: { message_id: target, emoji: content.emoji } }
    case 'template':
      return { type: 'template', template: toTemplate(content) }
    case 'poll':
    case 'pollVote':
      throw new NetworkRejection('not_supported')
    default:
      return content satisfies never
  }
}

function toFile(
  { media }: OutboundMessage,
  content: Content<MediaKind>,
  mediaId: string | null,
): object {
  if (!mediaId) throw new Error('cannot encode message: its file is not uploaded')
  const caption = 'caption' in content ? content.caption : null
  return {
    id: mediaId,
    ...(caption === null ? {} : { caption }),
    ...(content.type === 'document' && media?.fileName ? { filename: media.fileName } : {}),
    ...(content.type === 'audio' && content.voice ? { voice: true } : {}),
  }
}

function toLocation({ latitude, longitude, name, address }: Content<'location'>): object {
  return {
    latitude,
    longitude,
    ...(name === null ? {} : { name }),
    ...(address === null ? {} : { address }),
  }
}

function toContact({
  name,
  phones,
  organization,
  emails,
}: Content<'contact'>['contacts'][number]): object {
  return {
    name: { formatted_name: name, first_name: name },
    phones: phones.map(({ phone, label }) => ({
      phone: `+${phone}`,
      wa_id: phone,
      ...(label === null ? {} : { type: label }),
    })),
    ...(organization === null ? {} : { org: { company: organization } }),
    ...(emails.length > 0 ? { emails: emails.map((email) => ({ email })) } : {}),
  }
}

function toTemplate({ name, language, variables, header, buttons }: Content<'template'>): object {
  const text = (value: string) => ({ type: 'text', text: value })
  const components = [
    ...(header ? [{ type: 'header', parameters: [headerOf(header)] }] : []),
    ...(variables.length > 0 ? [{ type: 'body', parameters: variables.map(text) }] : []),
    ...buttons.map(({ index, type, value }) => ({
      type: 'button',
      sub_type: type,
      index: String(index),
      parameters: [buttonOf(type, value)],
    })),
  ]
  return {
    name,
    language: { code: language },
    ...(components.length > 0 ? { components } : {}),
  }
}

function headerOf({ text, media, url }: NonNullable<Content<'template'>['header']>): object {
  if (media && url) return { type: media, [media]: { link: url } }
  return { type: 'text', text: text ?? '' }
}

function buttonOf(type: Content<'template'>['buttons'][number]['type'], value: string): object {
  if (type === 'quick_reply') return { type: 'payload', payload: value }
  if (type === 'copy_code') return { type: 'coupon_code', coupon_code: value }
  return { type: 'text', text: value }
}
