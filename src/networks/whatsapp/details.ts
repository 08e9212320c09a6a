import type { proto } from 'baileys'
import type { MessageDetails, MessageExtras, Referral } from '../../model/details.schemas.ts'
import { toStorable, truncate } from '../../kernel/text.ts'

const MAX_LINE_LENGTH = 1024
const MAX_ID_LENGTH = 500
const MAX_URL_LENGTH = 2048
const MAX_CURRENCY_LENGTH = 10
const MAX_CODE_LENGTH = 100
/** Prices are in thousandths. */
const PRICE_UNIT = 1000

type Text = string | null | undefined
type Long = Parameters<typeof Number>[0]

/** Everything below was written by the sender's client, so nothing in it can be trusted to be well-formed. */
const cut = (text: Text, most: number): string | null =>
  truncate(toStorable(text ?? '').trim(), most) || null
const line = (text: Text): string | null => cut(text, MAX_LINE_LENGTH)
const idOf = (text: Text): string | null => cut(text, MAX_ID_LENGTH)

function urlOf(text: Text): string | null {
  const given = toStorable(text ?? '')
  if (!URL.canParse(given)) return null
  const { href, protocol } = new URL(given)
  return /^https?:$/.test(protocol) && href.length <= MAX_URL_LENGTH ? href : null
}

/** A time in seconds as an ISO date; null if it is none. */
function timeOf(seconds: Long): string | null {
  const date = new Date(Number(seconds ?? 0) * 1000)
  const year = Number.isNaN(date.getTime()) ? 0 : date.getUTCFullYear()
  return year > 1970 && year < 10_000 ? date.toISOString() : null
}

function amountOf(thousandths: Long, currency: Text) {
  const value = Number(thousandths ?? 0) / PRICE_UNIT
  const named = cut(currency, MAX_CURRENCY_LENGTH)
  return named && Number.isFinite(value) && value > 0 ? { value, currency: named } : null
}

/** The structured content of a message, before it is reduced to text, and its advertisement. */
export function extrasOf(
  message: proto.IMessage,
  context: proto.IContextInfo | null,
): MessageExtras {
  const details = detailsOf(message)
  const referral = referralOf(context)
  return {
    ...(details ? { details } : {}),
    ...(referral ? { referral } : {}),
    ...(context?.isForwarded ? { forwarded: true } : {}),
  }
}

function detailsOf(message: proto.IMessage): MessageDetails | null {
  const reply = replyOf(message)
  if (reply) return { reply }
  const { orderMessage: order, productMessage, groupInviteMessage: group, eventMessage } = message
  const orderId = idOf(order?.orderId)
  if (order && orderId) {
    return {
      order: {
        id: orderId,
        title: line(order.orderTitle),
        message: line(order.message),
        items: Math.max(0, Math.trunc(order.itemCount ?? 0)) || null,
        total: amountOf(order.totalAmount1000, order.totalCurrencyCode),
      },
    }
  }
  if (productMessage?.product) {
    const { productId, retailerId, title, description, priceAmount1000, currencyCode, url } =
      productMessage.product
    return {
      product: {
        id: idOf(productId),
        retailerId: idOf(retailerId),
        title: line(title),
        description: line(description),
        price: amountOf(priceAmount1000, currencyCode),
        url: urlOf(url),
      },
    }
  }
  const groupId = idOf(group?.groupJid)
  const code = cut(group?.inviteCode, MAX_CODE_LENGTH)
  if (group && groupId && code) {
    return {
      groupInvitation: {
        groupId,
        name: line(group.groupName),
        code,
        expiresAt: timeOf(group.inviteExpiration),
      },
    }
  }
  if (!eventMessage) return null
  const { name, description, startTime, endTime, location, joinLink, isCanceled } = eventMessage
  return {
    event: {
      name: line(name),
      description: line(description),
      startsAt: timeOf(startTime),
      endsAt: timeOf(endTime),
      place: line(location?.name),
      joinUrl: urlOf(joinLink),
      canceled: isCanceled ?? false,
    },
  }
}

function replyOf(message: proto.IMessage): MessageDetails['reply'] | null {
  const { buttonsResponseMessage: button, templateButtonReplyMessage: template } = message
  const { listResponseMessage: list, interactiveResponseMessage: form } = message
  if (button) {
    const { selectedButtonId, selectedDisplayText } = button
    return { kind: 'button', id: idOf(selectedButtonId), title: line(selectedDisplayText) }
  }
  if (template) {
    const { selectedId, selectedDisplayText } = template
    return { kind: 'template', id: idOf(selectedId), title: line(selectedDisplayText) }
  }
  if (list) {
    const { singleSelectReply, title } = list
    return { kind: 'list', id: idOf(singleSelectReply?.selectedRowId), title: line(title) }
  }
  if (!form) return null
  const { body, nativeFlowResponseMessage: flow } = form
  const { id, title } = readChoice(flow?.paramsJson)
  return { kind: 'form', id: id ?? idOf(flow?.name), title: title ?? line(body?.text) }
}

/** The choice in the parameters of a native flow. */
export function readChoice(json: Text): { id: string | null; title: string | null } {
  try {
    const { id, title, display_text: shown } = JSON.parse(json ?? '') as Record<string, unknown>
    const first = [title, shown].find((value) => typeof value === 'string' && value !== '')
    return {
      id: typeof id === 'string' ? idOf(id) : null,
      title: typeof first === 'string' ? line(first) : null,
    }
  } catch {
    // Not JSON, or not an object.
    return { id: null, title: null }
  }
}

/** Link previews of bots use the same field, without a source. */
function referralOf(context: proto.IContextInfo | null): Referral | null {
  const ad = context?.externalAdReply
  if (!ad || !(ad.sourceType || ad.sourceId || ad.ctwaClid)) return null
  return {
    sourceType: line(ad.sourceType),
    sourceId: line(ad.sourceId),
    sourceUrl: urlOf(ad.sourceUrl),
    headline: line(ad.title),
    body: line(ad.body),
    mediaUrl: urlOf(ad.mediaUrl) ?? urlOf(ad.thumbnailUrl),
    ctwaClid: line(ad.ctwaClid),
    entryPoint: line(context.entryPointConversionSource),
  }
}
