import { newId } from '../../kernel/ids.ts'
import { directChatId, STATUS_CHAT } from '../../model/recipient.ts'
import { kindNamed, type MessageContent } from '../../model/kinds/index.ts'
import type { MessageErrorCode, Party, Quoted } from '../../model/records.schemas.ts'
import type { ChatType } from '../../model/vocabulary.ts'
import type { InboundMessage, Receipt, InboundMedia, MediaFacts } from '../network-events.port.ts'
import { behaviorOf, DISCONNECT_MS, LATE_DELIVERY_MS } from './magic-numbers.ts'
import type { NewInboxRow } from './inbox.sql.ts'
import type { PhoneRow, SimulatorEvent } from './simulator.sql.ts'
import type { SimulatedGroup } from './groups-labels-calls.sql.ts'

/** A participant of the simulated network, where every participant has a phone number. */
export type Person = { phone: string; lid: string | null; name: string | null }

/** A message in transit on the simulated network. */
export type Envelope = {
  waMessageId: string
  from: Person
  /** The instance that sent it; null if a virtual phone did. */
  instanceId: string | null
  chatId: string
  chatType: ChatType
  /** The numbers or LIDs of those who see a status post. */
  audience: string[]
  content: MessageContent
  media: (MediaFacts & { id: string }) | null
  /** `by` is the author's phone number. */
  quoted: (Quoted & { by: string | null }) | null
  mentions: string[]
}

/** An event that an instance gets in `inMs` milliseconds. */
export type QueuedEvent = { instanceId: string; inMs: number; event: SimulatorEvent }
/** The effects of one message on the simulated network. */
export type RoutedMessage = {
  /** Reported to the sender's instance immediately. */
  receipts: Receipt[]
  /** Events to queue: for the sender's instance, and for other instances. */
  senderEvents: QueuedEvent[]
  otherEvents: QueuedEvent[]
  inbox: NewInboxRow[]
  drops: boolean
}

/** The phones (by number, LID and id) and groups (by id) that a batch of messages refers to. */
export type KnownAddresses = { phones: Map<string, PhoneRow>; groups: Map<string, SimulatedGroup> }

/** Computes the effects of a message: its copies for the recipients, and the sender's receipts. */
export function routeMessage(message: Envelope, known: KnownAddresses, now: number): RoutedMessage {
  switch (message.chatType) {
    case 'direct':
      return routeToPerson(message, known, now)
    case 'group':
      return routeToGroup(message, known, now)
    case 'status':
      return routeToAudience(message, known, now)
    // The simulated network has no phones that follow a channel.
    case 'channel':
      return { ...reports(message, [], now), inbox: [], otherEvents: [], drops: false }
    default:
      return message.chatType satisfies never
  }
}

/** A status post reaches the virtual phones of its audience; instances do not receive those of others. */
function routeToAudience(
  message: Envelope,
  { phones }: KnownAddresses,
  now: number,
): RoutedMessage {
  const viewers = message.audience.flatMap((phone) => {
    const row = phones.get(phone)
    return row && !row.blocked.includes(message.from.phone) ? [{ person: row, row }] : []
  })
  const chat = { chatId: STATUS_CHAT, chatType: 'status' as const }
  const inbox = viewers.map(({ row }) => toInbox(message, row, chat, now))
  return { ...reports(message, viewers, now), inbox, otherEvents: [], drops: false }
}

function routeToPerson(message: Envelope, { phones }: KnownAddresses, now: number): RoutedMessage {
  const { chatId, from } = message
  const key = chatId.replace(/@s\.whatsapp\.net$/, '')
  const row = phones.get(key)
  const number = row?.phone ?? key
  const missing = behaviorOf(number) === 'not_on_network' || (chatId.endsWith('@lid') && !row)
  if (missing) return reject(message, 'NUMBER_NOT_ON_NETWORK', now)
  const to = { phone: number, lid: row?.lid ?? null, name: row?.name ?? null }
  const chat = { chatId: directChatId(from), chatType: 'direct' as const, chatName: from.name }
  const copies = copiesFor(message, [{ person: to, row }], chat, phones, now)
  const drops = behaviorOf(number) === 'drops_connection'
  return { ...reports(message, [{ person: to, row }], now), ...copies, drops }
}

function routeToGroup(
  message: Envelope,
  { phones, groups }: KnownAddresses,
  now: number,
): RoutedMessage {
  const group = groups.get(message.chatId)
  // WhatsApp has one code for those who are not in the group and those who may not write in it.
  if (!group || !mayWrite(group, message)) {
    return reject(message, 'NOT_A_PARTICIPANT', now)
  }
  const others = group.members
    .filter(({ phone }) => phone !== message.from.phone)
    .map(({ phone, lid, name }) => ({
      person: { phone: phone ?? '', lid, name },
      row: phones.get(phone ?? ''),
    }))
  const chat = { chatId: group.id, chatType: 'group' as const, chatName: group.subject }
  const copies = copiesFor(message, others, chat, phones, now)
  return { ...reports(message, others, now), ...copies, drops: false }
}

/** Message types that members may send even in groups where only admins may write. */
const REACTIONS = new Set(['reaction', 'pollVote'])

/**
 * Whether the sender is in the group and may send this: some groups accept only admins, and a community accepts no
 * messages.
 */
function mayWrite(
  { members, settings, community }: SimulatedGroup,
  { from, content }: Envelope,
): boolean {
  const role = members.find(({ phone }) => phone === from.phone)?.role
  if (!role || community?.part === 'community') return false
  return role !== 'member' || !settings?.onlyAdminsSend || REACTIONS.has(content.type)
}

function reject(message: Envelope, code: MessageErrorCode, at: number): RoutedMessage {
  const { waMessageId, chatId } = message
  const error = { code, retryable: false }
  const failed: Receipt = {
    waMessageIds: [waMessageId],
    chatId,
    status: 'failed',
    at,
    party: null,
    error,
  }
  return { receipts: [failed], senderEvents: [], otherEvents: [], inbox: [], drops: false }
}

/** Whether a phone has blocked the sender of a direct message; the sender is not informed. */
const hasBlocked = ({ blocked }: PhoneRow, { chatType, from }: Envelope): boolean =>
  chatType === 'direct' && blocked.includes(from.phone)

type Recipient = { person: Person; row: PhoneRow | undefined }

/** Computes the sender's receipts from the behavior of each recipient's number. */
function reports(message: Envelope, recipients: Recipient[], now: number) {
  const { waMessageId, chatId, instanceId } = message
  const receipts: Receipt[] = []
  const senderEvents: QueuedEvent[] = []
  if (!instanceId) return { receipts, senderEvents }
  const receipt = (status: Receipt['status'], at: number, party: Party | null): Receipt => ({
    waMessageIds: [waMessageId],
    chatId,
    status,
    at,
    party,
    error: null,
  })
  const queueForSender = (inMs: number, event: SimulatorEvent) =>
    senderEvents.push({ instanceId, inMs, event })
  receipts.push(receipt('sent', now, null))
  for (const { person, row } of recipients) {
    if (row && (!row.online || hasBlocked(row, message))) continue
    const delivered = receipt('delivered', now, person)
    const behaviour = behaviorOf(person.phone)
    if (behaviour === 'never_delivered' || behaviour === 'not_on_network') continue
    if (behaviour === 'delivered_late') {
      const late = receipt('delivered', now + LATE_DELIVERY_MS, person)
      queueForSender(LATE_DELIVERY_MS, { kind: 'receipt', receipt: late })
    } else if (behaviour === 'drops_connection') {
      queueForSender(DISCONNECT_MS, { kind: 'receipt', receipt: delivered })
    } else receipts.push(delivered)
    if (behaviour === 'read_at_once') receipts.push(receipt('read', now, person))
    if (behaviour === 'echoes' && message.chatType === 'direct') {
      queueForSender(0, { kind: 'received', message: echo(message, person, now) })
    }
  }
  return { receipts, senderEvents }
}

/** Creates the message's copies for the recipients' phones and instances, and for the sender's other instances. */
function copiesFor(
  message: Envelope,
  recipients: Recipient[],
  chat: { chatId: string; chatType: 'direct' | 'group'; chatName: string | null },
  phones: Map<string, PhoneRow>,
  now: number,
): { otherEvents: QueuedEvent[]; inbox: NewInboxRow[] } {
  const sender = message.from
  const rows = recipients.flatMap(({ row }) => (row && !hasBlocked(row, message) ? [row] : []))
  const mine = (phones.get(sender.phone)?.instanceIds ?? []).filter(
    (id) => id !== message.instanceId,
  )
  const inboundFor = (phone: string) =>
    toInbound(message, phone, { ...chat, sender, fromMe: false }, now)
  const own = toInbound(
    message,
    sender.phone,
    { ...chat, chatId: message.chatId, chatName: null, sender, fromMe: true },
    now,
  )
  if (chat.chatType === 'group') own.chatName = chat.chatName
  const toReceivedEvent = (instanceId: string, inbound: InboundMessage): QueuedEvent => ({
    instanceId,
    inMs: 0,
    event: { kind: 'received', message: inbound },
  })
  return {
    inbox: rows.map((row) => toInbox(message, row, chat, now)),
    otherEvents: [
      ...rows.flatMap((row) =>
        row.instanceIds
          .filter((id) => !mine.includes(id))
          .map((id) => toReceivedEvent(id, inboundFor(row.phone))),
      ),
      ...mine.map((id) => toReceivedEvent(id, own)),
    ],
  }
}

/** Returns the quotation with `fromMe` relative to the owner of `phone`. */
function quotedFor(quoted: Envelope['quoted'], phone: string): Quoted | null {
  if (!quoted) return null
  const { waMessageId, type, text, by } = quoted
  return { waMessageId, type, text, fromMe: by === phone }
}

/** Converts a message to what an instance of the phone number `phone` receives. */
function toInbound(
  message: Envelope,
  phone: string,
  place: Pick<InboundMessage, 'chatId' | 'chatType' | 'chatName' | 'sender' | 'fromMe'>,
  at: number,
): InboundMessage {
  const { waMessageId, content, media, quoted, mentions } = message
  return {
    waMessageId,
    ...place,
    type: content.type,
    content,
    mentions,
    at,
    quoted: quotedFor(quoted, phone),
    media: media && toInboundMedia(media),
    alreadyCounted: message.instanceId === null,
  }
}

function toInboundMedia({ id: mediaId, ...facts }: MediaFacts & { id: string }): InboundMedia {
  return { ...facts, source: { mediaId } }
}

/** Creates a reply with the same content, under its own id. */
function echo(message: Envelope, from: Person, at: number): InboundMessage {
  const place = { chatId: message.chatId, chatType: 'direct' as const, chatName: from.name }
  const back = { ...message, waMessageId: `${message.waMessageId}R`, quoted: null, mentions: [] }
  return toInbound(back, message.from.phone, { ...place, sender: from, fromMe: false }, at)
}

function toInbox(
  message: Envelope,
  row: PhoneRow,
  chat: { chatId: string; chatType: ChatType },
  at: number,
): NewInboxRow {
  const { waMessageId, from, instanceId, content, media, quoted, mentions } = message
  return {
    id: newId('msg', at),
    phoneId: row.id,
    waMessageId,
    chatId: chat.chatId,
    chatType: chat.chatType,
    senderPhone: from.phone,
    senderLid: from.lid,
    senderName: from.name,
    instanceId,
    type: content.type,
    content,
    mediaId: media?.id ?? null,
    text: kindNamed(content.type)?.textOf(content) ?? null,
    quoted: quotedFor(quoted, row.phone),
    mentions,
    held: !row.online,
    createdAt: new Date(at),
  }
}
