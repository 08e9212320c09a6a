import type { proto } from 'baileys'
import { readChoice } from './details.ts'

type Message = proto.IMessage

/** Message parts that clients do not display: keys, album headers, pins, calls, and signals between clients. */
const HIDDEN_PARTS = new Set([
  'messageContextInfo',
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'albumMessage',
  'pinInChatMessage',
  'keepInChatMessage',
  'stickerSyncRmrMessage',
  'encReactionMessage',
  'encEventResponseMessage',
  'encCommentMessage',
  'secretEncryptedMessage',
  'placeholderMessage',
  'call',
  'scheduledCallEditMessage',
  'statusNotificationMessage',
  'groupStatusMentionMessage',
])

/** Returns whether a message has any part that clients display. */
export function isDisplayed(message: Message): boolean {
  return Object.entries(message).some(([name, part]) => part && !HIDDEN_PARTS.has(name))
}

/**
 * Reduces a message to the kinds that Recado stores: button and list replies, business templates, video notes and live
 * locations become the texts, files and locations that their recipients see.
 */
export function simplifyMessage(message: Message): Message {
  const { ptvMessage, lottieStickerMessage, liveLocationMessage: live, commentMessage } = message
  if (ptvMessage) return { videoMessage: ptvMessage }
  if (lottieStickerMessage?.message) return lottieStickerMessage.message
  const { botInvokeMessage, groupMentionedMessage } = message
  const wrapped = commentMessage ?? botInvokeMessage ?? groupMentionedMessage
  if (wrapped?.message) return simplifyMessage(wrapped.message)
  if (live) {
    const { degreesLatitude, degreesLongitude, caption, contextInfo } = live
    return {
      locationMessage: {
        degreesLatitude: degreesLatitude ?? 0,
        degreesLongitude: degreesLongitude ?? 0,
        name: caption ?? null,
        contextInfo: contextInfo ?? null,
      },
    }
  }
  return replyOf(message) ?? templateOf(message) ?? otherTextOf(message) ?? message
}

type Context = proto.IContextInfo | null | undefined

/** Joins the lines to a text message with the context of its source; null if all lines are empty. */
function asText(lines: (string | null | undefined)[], contextInfo?: Context): Message | null {
  const text = lines.flatMap((line) => line?.trim() || []).join('\n')
  if (text === '') return null
  return { extendedTextMessage: { text, contextInfo: contextInfo ?? null } }
}

/** Returns the choice made with buttons, in a list, in a template or in a form, as a text message. */
function replyOf(message: Message): Message | null {
  const { buttonsResponseMessage: button, templateButtonReplyMessage: template } = message
  const { listResponseMessage: list, interactiveResponseMessage: form } = message
  if (button) {
    const { selectedDisplayText, selectedButtonId, contextInfo } = button
    return asText([selectedDisplayText || selectedButtonId], contextInfo)
  }
  if (template) {
    const { selectedDisplayText, selectedId, contextInfo } = template
    return asText([selectedDisplayText || selectedId], contextInfo)
  }
  if (list) {
    const { title, description, singleSelectReply, contextInfo } = list
    return asText([title || singleSelectReply?.selectedRowId, description], contextInfo)
  }
  if (!form) return null
  const { body, nativeFlowResponseMessage: flow, contextInfo } = form
  const { title, id } = readChoice(flow?.paramsJson)
  return asText([body?.text || title || id || flow?.name], contextInfo)
}

type Header = Pick<Message, 'imageMessage' | 'videoMessage' | 'documentMessage' | 'locationMessage'>

/** Returns the header's file with the text as its caption, as recipients see a template with a header. */
function captionFile(header: Header, text: Message | null): Message | null {
  const caption = text?.extendedTextMessage?.text
  const more = caption ? { caption } : {}
  const { imageMessage, videoMessage, documentMessage } = header
  if (imageMessage) return { imageMessage: { ...imageMessage, ...more } }
  if (videoMessage) return { videoMessage: { ...videoMessage, ...more } }
  if (documentMessage) return { documentMessage: { ...documentMessage, ...more } }
  return text
}

/** Returns a business template (with buttons, as a list, or in cards) as a text or a captioned file. */
function templateOf(message: Message): Message | null {
  const { buttonsMessage, listMessage, interactiveMessage, templateMessage } = message
  if (buttonsMessage) {
    const { text, contentText, footerText, contextInfo } = buttonsMessage
    return captionFile(buttonsMessage, asText([text, contentText, footerText], contextInfo))
  }
  if (listMessage) {
    const { title, description, footerText, sections, contextInfo } = listMessage
    const rows = (sections ?? []).flatMap(({ rows: items }) => items ?? [])
    const lines = [title, description, ...rows.map((row) => row.title && `- ${row.title}`)]
    return asText([...lines, footerText], contextInfo)
  }
  if (interactiveMessage) return interactiveOf(interactiveMessage)
  if (!templateMessage) return hydrated(message.highlyStructuredMessage?.hydratedHsm)
  const { hydratedTemplate, hydratedFourRowTemplate, interactiveMessageTemplate } = templateMessage
  return (
    hydrated({ hydratedTemplate: hydratedTemplate ?? hydratedFourRowTemplate ?? null }) ??
    (interactiveMessageTemplate ? interactiveOf(interactiveMessageTemplate) : null)
  )
}

function hydrated(template: proto.Message.ITemplateMessage | null | undefined): Message | null {
  const row = template?.hydratedTemplate ?? template?.hydratedFourRowTemplate
  if (!row) return null
  const { hydratedTitleText, hydratedContentText, hydratedFooterText } = row
  const text = asText([hydratedTitleText, hydratedContentText, hydratedFooterText])
  return captionFile(row, text)
}

function interactiveOf(interactive: proto.Message.IInteractiveMessage): Message | null {
  const { header, body, footer, carouselMessage, contextInfo } = interactive
  const cards = (carouselMessage?.cards ?? []).map((card) => card.body?.text)
  const lines = [header?.title, header?.subtitle, body?.text, ...cards, footer?.text]
  return captionFile(header ?? {}, asText(lines, contextInfo))
}

/** Returns the text of message types that have no kind of their own, such as invitations, orders and payments. */
function otherTextOf(message: Message): Message | null {
  const { groupInviteMessage: group, productMessage, orderMessage: order, eventMessage } = message
  if (group) return asText([group.groupName, group.caption], group.contextInfo)
  if (productMessage) {
    const { product, body, footer, contextInfo } = productMessage
    return asText([product?.title, product?.description, body, footer], contextInfo)
  }
  if (order) return asText([order.orderTitle, order.message], order.contextInfo)
  if (eventMessage) {
    const { name, description, location, contextInfo } = eventMessage
    return asText([name, description, location?.name], contextInfo)
  }
  const { requestPaymentMessage: asked, sendPaymentMessage: paid, invoiceMessage } = message
  const note = asked?.noteMessage ?? paid?.noteMessage
  if (note) return note
  if (invoiceMessage) return asText([invoiceMessage.note])
  return asText([message.newsletterAdminInviteMessage?.caption, message.stickerPackMessage?.name])
}
