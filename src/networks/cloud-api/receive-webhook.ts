import { phoneSpellings } from '../../kernel/phone-number.ts'
import { directChatId, parseRecipient } from '../../model/recipient.ts'
import type { StoredContent } from '../../model/message.ts'
import type { InboundMessage, NetworkListener, Receipt } from '../network-events.port.ts'
import { decodeMessage, referencesOf } from './decode.ts'
import { meaningOfCode } from './failures.ts'
import type { SentMessages } from './sent-messages.ts'
import { listOf, numberOf, recordOf, textOf, type Unknown } from './unknown.ts'
import { readWebhook } from './webhook.ts'
import { RECEIPT_STATUSES } from '../../model/vocabulary.ts'

/**
 * Messages or statuses that are recorded at once: each message may begin a download, and batches are shared with other
 * instances, which wait for one slice only.
 */
const SLICE = 50
const phoneIn = (value: unknown) => /^\d{5,20}$/.exec(textOf(value) ?? '')?.[0]

/** Creates the processing of Meta's webhooks for one number; it resolves once all that they report is committed. */
export function createWebhookReader(deps: {
  sent: SentMessages
  listener: NetworkListener
  /** Reports Meta's spelling of numbers. */
  learn(pairs: { typed: string; phone: string }[]): Promise<void>
  /** When the session connected, in epoch milliseconds. */
  connectedAt: () => number
}): (payload: unknown, phoneNumberId: string) => Promise<void> {
  const { sent, listener, learn, connectedAt } = deps

  /** The statuses of messages that this account sent. */
  async function toReceipts(statuses: Unknown[]): Promise<Receipt[]> {
    const wamids = statuses.flatMap(({ id }) => textOf(id) ?? [])
    const own = await sent.ownIds(wamids)
    const updates = statuses.flatMap((one) => {
      const wamid = textOf(one['id'])
      const status = RECEIPT_STATUSES.find((name) => name === one['status'])
      if (!wamid || !status) return []
      const waMessageId = textOf(one['biz_opaque_callback_data']) ?? own.of(wamid)
      return [{ one, wamid, status, waMessageId }]
    })
    const attempts = await sent.attempts(updates.map(({ waMessageId }) => waMessageId))
    const recognized = updates.map((status) => {
      const attempt = attempts.get(status.waMessageId)
      const typed = attempt && parseRecipient(attempt.chatId)?.phone
      const phone = phoneIn(status.one['recipient_id']) ?? typed ?? null
      return { ...status, attempt, typed, phone, chatId: directChatId({ phone, lid: null }) }
    })
    // Stored before the receipts, which name the chat in Meta's form.
    await learn(
      recognized.flatMap(({ typed, phone }) => (typed && phone ? [{ typed, phone }] : [])),
    )
    await Promise.all(
      recognized.map(async ({ attempt, waMessageId, chatId, wamid }) => {
        // The response to the send was lost; this status reveals Meta's id of the message.
        if (attempt && attempt.wamid === null) await sent.accepted(waMessageId, chatId, wamid)
      }),
    )
    const receipts: Receipt[] = []
    for (const { one, status, waMessageId, chatId, phone } of recognized) {
      const at = (numberOf(one['timestamp']) ?? 0) * 1000
      const isPersons = status === 'delivered' || status === 'read' || status === 'played'
      const party = isPersons && phone ? { phone, lid: null, name: null } : null
      const base = { waMessageIds: [waMessageId], chatId, at, party }
      receipts.push(
        status === 'failed'
          ? // Only a message that Meta has accepted has a status; its company signs the webhook, and could forge it.
            { ...base, status, error: errorOf(one), wasAccepted: true }
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
    // Senders appear in Meta's form of their number; the company may have typed the other one.
    const phones = new Set(received.flatMap(({ sender }) => sender.phone ?? []))
    await learn(
      [...phones].flatMap((phone) => phoneSpellings(phone).map((typed) => ({ typed, phone }))),
    )
    for (let at = 0; at < received.length; at += SLICE)
      await listener.onMessages(received.slice(at, at + SLICE))
    for (let at = 0; at < statuses.length; at += SLICE) {
      const receipts = await toReceipts(statuses.slice(at, at + SLICE))
      if (receipts.length > 0) await listener.onReceipts(receipts)
    }
  }
}

function errorOf(status: Unknown): NonNullable<Receipt['error']> {
  const [first = {}] = listOf(status, 'errors')
  const meaning = meaningOfCode(numberOf(first['code']) ?? -1)
  return meaning.kind === 'failed' ? meaning.error : { code: 'RESTRICTED', retryable: true }
}
