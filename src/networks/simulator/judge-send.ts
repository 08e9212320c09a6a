import { newId } from '../../lib/ids.ts'
import type { InboundMessage, OutboundMessage, Receipt } from '../network.port.ts'
import { behaviourOf, DROPPED_MS, LATE_MS } from './magic-numbers.ts'
import type { PhoneRow, SimulatorEvent } from './simulator.sql.ts'

/** The account's own number. */
export type Self = { phone: string; lid: string; name: string }

/** What becomes of one message: what is told now, and what waits in the network. */
export function judgeSend(
  message: OutboundMessage,
  phones: Map<string, PhoneRow>,
  me: Self,
  now: number,
) {
  const { chatId, waMessageId } = message
  const [key = ''] = chatId.split('@')
  const target = phones.get(chatId) ?? phones.get(key)
  const number = target?.phone ?? key
  const party = { phone: number, lid: target?.lid ?? null, name: target?.name ?? null }
  const receipt = (status: Receipt['status'], at: number): Receipt => ({
    waMessageIds: [waMessageId],
    chatId,
    status,
    at,
    party: status === 'sent' ? null : party,
    error: null,
  })
  const refused = (code: 'NUMBER_NOT_ON_NETWORK' | 'NOT_A_PARTICIPANT') => ({
    now: [{ ...receipt('failed', now), party: null, error: { code, retryable: false } }],
    later: [],
    target: undefined,
    drops: false,
  })
  const behaviour = behaviourOf(number)
  if (message.chatType === 'group') return refused('NOT_A_PARTICIPANT')
  if (behaviour === 'not_on_network' || (chatId.endsWith('@lid') && !target)) {
    return refused('NUMBER_NOT_ON_NETWORK')
  }
  const sent = receipt('sent', now)
  const delivered = receipt('delivered', now)
  const told: Receipt[] = [sent]
  const later: { inMs: number; event: SimulatorEvent }[] = []
  if (behaviour === 'delivered_late') {
    const late = receipt('delivered', now + LATE_MS)
    later.push({ inMs: LATE_MS, event: { kind: 'receipt', receipt: late } })
  } else if (behaviour === 'drops_connection') {
    later.push({ inMs: DROPPED_MS, event: { kind: 'receipt', receipt: delivered } })
  } else if (behaviour !== 'never_delivered') {
    told.push(delivered)
  }
  if (behaviour === 'read_at_once') told.push(receipt('read', now))
  if (behaviour === 'echoes') {
    const echo = answer(message, party, me, now)
    later.push({ inMs: 0, event: { kind: 'received', message: echo } })
  }
  return { now: told, later, target, drops: behaviour === 'drops_connection' }
}

export function toInbound(message: OutboundMessage, from: Self, at: number): InboundMessage {
  return {
    waMessageId: message.waMessageId,
    chatId: `${from.phone}@s.whatsapp.net`,
    chatType: 'direct',
    chatName: null,
    sender: from,
    fromMe: false,
    type: message.content.type,
    content: message.content,
    quoted: message.quoted,
    mentions: message.mentions,
    at,
    alreadyCounted: false,
  }
}

/** The same text back, as a message of its own. */
function answer(
  message: OutboundMessage,
  from: { phone: string; lid: string | null; name: string | null },
  me: Self,
  at: number,
): InboundMessage {
  const echo = toInbound(
    message,
    { ...me, ...from, lid: from.lid ?? '', name: from.name ?? '' },
    at,
  )
  const sender = { phone: from.phone, lid: from.lid, name: from.name }
  return { ...echo, waMessageId: `${message.waMessageId}R`, sender, quoted: null, mentions: [] }
}

export function toInbox(
  message: OutboundMessage,
  target: PhoneRow,
  me: Self,
  instanceId: string,
  at: number,
) {
  return {
    id: newId('msg', at),
    phoneId: target.id,
    waMessageId: message.waMessageId,
    chatId: `${me.phone}@s.whatsapp.net`,
    senderPhone: me.phone,
    senderLid: me.lid,
    senderName: me.name,
    instanceId,
    type: message.content.type,
    content: message.content,
    text: message.content.text,
    quoted: message.quoted,
    mentions: message.mentions,
    createdAt: new Date(at),
  }
}
