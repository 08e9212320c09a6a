import { directChatId } from '../../model/recipient.ts'
import { toStorable, truncate } from '../../kernel/text.ts'
import type { MessageDetails, Referral } from '../../model/details.schemas.ts'
import type { MessageContent } from '../../model/kinds/index.ts'
import type { StoredContent } from '../../model/message.ts'
import type { InboundMedia, InboundMessage } from '../network-events.port.ts'
import { listOf, numberOf, recordOf, textOf, type Unknown } from './unknown.ts'
import { MEDIA_KINDS } from '../../model/vocabulary.ts'

/** In characters; the same as the limit of outbound texts (G35). */
const MAX_TEXT_LENGTH = 65_536
const MAX_LINE_LENGTH = 1024
const MAX_ID_LENGTH = 500
const MAX_URL_LENGTH = 2048
const MAX_CONTACTS = 50
const MAX_VALUES = 20

/** Returns Recado's id of a message that Meta knows by another: one that this account sent. */
export type OwnIds = { of(wamid: string): string }

const cut = (value: unknown, most: number): string | null =>
  truncate(toStorable(textOf(value) ?? '').trim(), most) || null
/** Returns the text as the person wrote it. */
const written = (value: unknown) => truncate(toStorable(textOf(value) ?? ''), MAX_TEXT_LENGTH)
const line = (value: unknown) => cut(value, MAX_LINE_LENGTH)
const idOf = (value: unknown) => cut(value, MAX_ID_LENGTH)

function urlOf(value: unknown): string | null {
  const text = textOf(value)
  if (!text || !URL.canParse(text)) return null
  const { href, protocol } = new URL(text)
  return /^https?:$/.test(protocol) && href.length <= MAX_URL_LENGTH ? href : null
}

/** Returns the ids of messages that a webhook refers to: quoted ones, and those that got a reaction. */
export const referencesOf = (messages: Unknown[]): string[] =>
  messages.flatMap((message) =>
    [recordOf(message, 'context')['id'], recordOf(message, 'reaction')['message_id']].flatMap(
      (id) => textOf(id) ?? [],
    ),
  )

/**
 * Decodes a message of a webhook; null if it has no content, such as a change of the person's number. `names` are the
 * profile names of the webhook by number.
 */
export function decodeMessage(
  message: Unknown,
  names: Map<string, string>,
  own: OwnIds,
): InboundMessage | null {
  const waMessageId = idOf(message['id'])
  const phone = /^\d{5,20}$/.exec(textOf(message['from']) ?? '')?.[0]
  if (!waMessageId || !phone || message['type'] === 'system') return null
  const content = contentOf(message, own)
  const details = detailsOf(message)
  const context = recordOf(message, 'context')
  const quotedId = textOf(context['id'])
  const referral = referralOf(recordOf(message, 'referral'))
  const forwarded = context['forwarded'] === true || context['frequently_forwarded'] === true
  const sender = { phone, lid: null, name: names.get(phone) ?? null }
  return {
    waMessageId,
    chatId: directChatId(sender),
    chatType: 'direct',
    chatName: null,
    sender,
    fromMe: false,
    type: content.type,
    content: {
      ...content,
      ...(details ? { details } : {}),
      ...(referral ? { referral } : {}),
      ...(forwarded ? { forwarded } : {}),
    } as StoredContent,
    media: mediaOf(message),
    quoted: quotedId
      ? {
          waMessageId: own.of(quotedId),
          type: null,
          text: null,
          fromMe: textOf(context['from']) !== phone,
        }
      : null,
    mentions: [],
    at: (numberOf(message['timestamp']) ?? 0) * 1000,
    alreadyCounted: false,
  }
}

function contentOf(message: Unknown, own: OwnIds): MessageContent | { type: 'unsupported' } {
  const type = textOf(message['type'])
  const part = recordOf(message, type ?? '')
  const caption = written(part['caption']) || null
  switch (type) {
    case 'text':
      return { type, text: written(part['body']) }
    case 'image':
    case 'video':
      return { type, caption, viewOnce: false }
    case 'audio':
      return { type, voice: part['voice'] === true, viewOnce: false }
    case 'document':
      return { type, caption }
    case 'sticker':
      return { type }
    case 'location':
      return {
        type,
        latitude: numberOf(part['latitude']) ?? 0,
        longitude: numberOf(part['longitude']) ?? 0,
        name: line(part['name']),
        address: line(part['address']),
      }
    case 'contacts': {
      const contacts = listOf(message, 'contacts').slice(0, MAX_CONTACTS).map(toContact)
      return contacts.length > 0 ? { type: 'contact', contacts } : { type: 'unsupported' }
    }
    case 'reaction': {
      const target = textOf(part['message_id'])
      if (!target) return { type: 'unsupported' }
      return { type, waMessageId: own.of(target), emoji: cut(part['emoji'], 32) ?? '' }
    }
    case 'button':
    case 'interactive':
    case 'order': {
      const text = readableOf(message)
      return text === null ? { type: 'unsupported' } : { type: 'text', text }
    }
    default:
      return { type: 'unsupported' }
  }
}

function toContact(card: Unknown) {
  const name = recordOf(card, 'name')
  return {
    name: line(name['formatted_name']) ?? line(name['first_name']) ?? '',
    phones: listOf(card, 'phones')
      .slice(0, MAX_VALUES)
      .flatMap(({ phone, wa_id: waId, type }) => {
        const digits = (textOf(waId) ?? textOf(phone) ?? '').replaceAll(/\D/g, '').slice(0, 20)
        return digits === '' ? [] : [{ phone: digits, label: cut(type, 40)?.toUpperCase() ?? null }]
      }),
    organization: line(recordOf(card, 'org')['company']),
    emails: listOf(card, 'emails')
      .slice(0, MAX_VALUES)
      .flatMap(({ email }) => cut(email, 254) ?? []),
  }
}

/** The readable text of a reply or an order. */
function readableOf(message: Unknown): string | null {
  const details = detailsOf(message)
  if (details?.reply) return details.reply.title ?? details.reply.id
  return details?.order ? (details.order.message ?? details.order.title ?? details.order.id) : null
}

/** The structured content of a button or list reply, or of an order. */
function detailsOf(message: Unknown): MessageDetails | null {
  const reply = replyOf(message)
  if (reply) return { reply }
  if (message['type'] !== 'order') return null
  const order = recordOf(message, 'order')
  const items = listOf(order, 'product_items')
  const currency = cut(items[0]?.['currency'], 10)
  const value = items.reduce(
    (sum, { item_price: price, quantity }) =>
      sum + (numberOf(price) ?? 0) * (numberOf(quantity) ?? 0),
    0,
  )
  const id = idOf(message['id'])
  if (!id) return null
  return {
    order: {
      id,
      title: null,
      message: line(order['text']),
      items: items.length > 0 ? items.length : null,
      total: currency && value > 0 ? { value, currency } : null,
    },
  }
}

function replyOf(message: Unknown): MessageDetails['reply'] | null {
  if (message['type'] === 'button') {
    const { payload, text } = recordOf(message, 'button')
    return { kind: 'template', id: idOf(payload), title: line(text) }
  }
  const interactive = recordOf(message, 'interactive')
  const button = recordOf(interactive, 'button_reply')
  if (textOf(button['id']))
    return { kind: 'button', id: idOf(button['id']), title: line(button['title']) }
  const row = recordOf(interactive, 'list_reply')
  if (textOf(row['id'])) return { kind: 'list', id: idOf(row['id']), title: line(row['title']) }
  const form = recordOf(interactive, 'nfm_reply')
  if (textOf(form['name']))
    return { kind: 'form', id: idOf(form['name']), title: line(form['body']) }
  return null
}

function referralOf(referral: Unknown): Referral | null {
  if (!textOf(referral['source_type']) && !textOf(referral['source_id'])) return null
  return {
    sourceType: line(referral['source_type']),
    sourceId: line(referral['source_id']),
    sourceUrl: urlOf(referral['source_url']),
    headline: line(referral['headline']),
    body: line(referral['body']),
    mediaUrl: urlOf(referral['image_url']) ?? urlOf(referral['video_url']),
    ctwaClid: line(referral['ctwa_clid']),
    entryPoint: null,
  }
}

function mediaOf(message: Unknown): InboundMedia | null {
  const kind = MEDIA_KINDS.find((type) => type === message['type'])
  const file = kind ? recordOf(message, kind) : {}
  const id = idOf(file['id'])
  if (!kind || !id) return null
  const sha256 = Buffer.from(textOf(file['sha256']) ?? '', 'base64').toString('hex')
  return {
    mimeType: cut(file['mime_type'], 200) ?? 'application/octet-stream',
    fileName: cut(file['filename'], 255),
    // Meta names the size only when the file is fetched.
    sizeBytes: 0,
    sha256,
    durationSeconds: null,
    width: null,
    height: null,
    source: { cloudMediaId: id },
  }
}
