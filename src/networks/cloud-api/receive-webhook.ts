import { directChatId, parseRecipient } from '../../kernel/recipient.ts'
import type { StoredContent } from '../../model/message.ts'
import type { InboundMessage, NetworkListener, Receipt } from '../network-events.port.ts'
import { decodeMessage, referencesOf } from './decode.ts'
import { meaningOfCode } from './failures.ts'
import type { SentMessages } from './sent-messages.ts'
import { listOf, numberOf, recordOf, textOf, type Unknown } from './unknown.ts'
import { readWebhook } from './webhook.ts'

const STATUSES = ['sent', 'delivered', 'read', 'played', 'failed'] as const

/** Creates the processing of Meta's webhooks for one number; it resolves once all that they report is committed. */
export function createWebhookReader(deps: {
  sent: SentMessages
  listener: NetworkListener
  /** Since when the session is connected, in epoch milliseconds. */
  connectedAt: () => number
}): (payload: unknown, phoneNumberId: string) => Promise<void> {
  const { sent, listener, connectedAt } = deps

  /** The statuses of messages that this account sent. */
  async function toReceipts(statuses: Unknown[]): Promise<Receipt[]> {
    const wamids = statuses.flatMap(({ id }) => textOf(id) ?? [])
    const own = await sent.ownIds(wamids)
    const told = statuses.flatMap((one) => {
      const wamid = textOf(one['id'])
      const status = STATUSES.find((name) => name === one['status'])
      if (!wamid || !status) return []
      const waMessageId = textOf(one['biz_opaque_callback_data']) ?? own.of(wamid)
      return [{ one, wamid, status, waMessageId }]
    })
    const attempts = await sent.attempts(told.map(({ waMessageId }) => waMessageId))
    const receipts: Receipt[] = []
    for (const { one, wamid, status, waMessageId } of told) {
      const attempt = attempts.get(waMessageId)
      const phone = textOf(one['recipient_id'])
      const chatId = attempt?.chatId ?? directChatId({ phone, lid: null })
      // The response to its request never came; from now on Meta's id of it is known.
      if (attempt && attempt.wamid === null) await sent.accepted(waMessageId, chatId, wamid)
      const at = (numberOf(one['timestamp']) ?? 0) * 1000
      const peer = parseRecipient(chatId)?.phone ?? phone
      const read = status === 'delivered' || status === 'read' || status === 'played'
      const party = read && peer ? { phone: peer, lid: null, name: null } : null
      const base = { waMessageIds: [waMessageId], chatId, at, party }
      receipts.push(
        status === 'failed'
          ? { ...base, status, error: errorOf(one) }
          : { ...base, status, error: null },
      )
    }
    return receipts
  }

  /** Meta's times have a resolution of seconds. */
  const isLate = ({ at }: InboundMessage) => at + 1000 <= connectedAt()
  const late = ({ content }: InboundMessage) => ({ ...content, recovered: true }) as StoredContent

  return async (payload, phoneNumberId) => {
    const { messages, statuses, contacts } = readWebhook(payload, phoneNumberId)
    const names = new Map(
      contacts.flatMap((contact) => {
        const phone = textOf(contact['wa_id'])
        const name = textOf(recordOf(contact, 'profile')['name'])?.slice(0, 200)
        return phone && name ? [[phone, name] as const] : []
      }),
    )
    const own = await sent.ownIds(referencesOf(messages))
    const received = messages.flatMap((message) => {
      const decoded = decodeMessage(message, names, own)
      return decoded ? [isLate(decoded) ? { ...decoded, content: late(decoded) } : decoded] : []
    })
    if (received.length > 0) await listener.onMessages(received)
    const receipts = await toReceipts(statuses)
    if (receipts.length > 0) await listener.onReceipts(receipts)
  }
}

function errorOf(status: Unknown): NonNullable<Receipt['error']> {
  const [first = {}] = listOf(status, 'errors')
  const meaning = meaningOfCode(numberOf(first['code']) ?? -1)
  return meaning.kind === 'failed' ? meaning.error : { code: 'RESTRICTED', retryable: true }
}
