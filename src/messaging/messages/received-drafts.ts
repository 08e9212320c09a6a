import type { LockedDb } from '../../company/projects/projects.service.ts'
import type { Mode } from '../../kernel/config/config.ts'
import { newId } from '../../kernel/ids.ts'
import { directChatId } from '../../model/recipient.ts'
import { truncate } from '../../kernel/text.ts'
import { kindNamed, type MessageContent } from '../../model/kinds/index.ts'
import type { MessageRow } from '../../model/message.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { HistoricMessage, InboundMessage } from '../../networks/network-events.port.ts'
import type { ConversationsService } from '../conversations/conversations.service.ts'
import type { MessageKey, ReceivedDraft } from './receive.sql.ts'

const MAX_QUOTE_LENGTH = 1024

/** The instance that a message arrived at. */
export type ReceivingInstance = { id: string; projectId: string; mode: Mode }
/** A message with the id of its file, if it has one. */
export type Received = {
  instance: ReceivingInstance
  message: InboundMessage | HistoricMessage
  mediaId: string | null
}
/** The author of a message, and the other party of a direct chat. */
type People = { sender: Party; peer: Party }

/** An unknown party. */
export const UNKNOWN_PARTY: Party = { phone: null, lid: null, name: null }

/** Returns the contact of a direct chat that this account wrote in. */
function peerOf({ chatId, chatType }: InboundMessage): Party {
  if (chatType === 'group') return UNKNOWN_PARTY
  const phone = /^(\d+)@s\.whatsapp\.net$/.exec(chatId)?.[1] ?? null
  return { phone, lid: phone ? null : chatId, name: null }
}

/** Returns the poll votes among these messages. */
export function votesOf(rows: MessageRow[]) {
  return rows.flatMap(({ content, instanceId, chatId, senderPhone, senderLid, createdAt: at }) => {
    if (content.type !== 'pollVote' || !(senderPhone ?? senderLid)) return []
    const { waMessageId: pollWaMessageId, options } = content
    return [{ instanceId, chatId, pollWaMessageId, senderPhone, senderLid, options, at }]
  })
}

/** Returns the unique key of a message as it was reported: its chat may be named by phone or by LID. */
export function keyOf({ instance, message }: Received): string {
  return `${instance.id} ${message.chatId} ${message.waMessageId}`
}

/** Returns the unique key under which a message is stored. */
export function draftKeyOf({ draft }: { draft: ReceivedDraft }): string {
  return `${draft.instanceId} ${draft.chatId} ${draft.waMessageId}`
}

/** Whether two messages of one chat have the same author according to their own fields. */
function hasSameAuthor({ message: a }: Received, { message: b }: Received): boolean {
  if (a.fromMe !== b.fromMe) return false
  if (a.fromMe || a.chatType === 'direct') return true
  const { phone, lid } = a.sender
  return (phone !== null && phone === b.sender.phone) || (lid !== null && lid === b.sender.lid)
}

/**
 * Deduplicates messages by key: keeps the first one, or a later
 * one of the same author that is readable if the first is not.
 */
export function deduplicate<Entry extends Received>(
  batch: Entry[],
  toKey: (entry: Entry) => string,
): Map<string, Entry> {
  const first = new Map<string, Entry>()
  for (const entry of batch) {
    const key = toKey(entry)
    const known = first.get(key)
    const completes = known?.message.type === 'undecryptable' && hasSameAuthor(known, entry)
    if (!known || completes) first.set(key, entry)
  }
  return first
}

/** The key under which a message is stored, with its author. */
export const storageKeyOf = ({ instance, message }: Received): MessageKey => ({
  instanceId: instance.id,
  waMessageId: message.waMessageId,
  chatId: message.chatId,
  fromMe: message.fromMe,
  senderPhone: message.sender.phone,
  senderLid: message.sender.lid,
})

/** Builds the row to insert, with the current data of sender and peer. */
export function toDraft(received: Received, people: People, now: number): ReceivedDraft {
  const { instance, message, mediaId } = received
  const { chatType, content, quoted, fromMe } = message
  const { sender, peer } = people
  const direct = chatType === 'direct'
  const kind = kindNamed(content.type)
  return {
    id: newId('msg', now),
    projectId: instance.projectId,
    mode: instance.mode,
    instanceId: instance.id,
    freshConversationId: newId('cnv', now),
    waMessageId: message.waMessageId,
    direction: fromMe ? 'outbound' : 'inbound',
    type: message.type,
    content,
    text: kind?.textOf(content as MessageContent) ?? null,
    chatId: direct ? directChatId(peer) || message.chatId : message.chatId,
    chatType,
    chatName: direct ? peer.name : message.chatName,
    phone: direct ? peer.phone : null,
    lid: direct ? peer.lid : null,
    senderPhone: sender.phone,
    senderLid: sender.lid,
    senderName: sender.name,
    quoted: quoted && {
      ...quoted,
      text: quoted.text === null ? null : truncate(quoted.text, MAX_QUOTE_LENGTH),
    },
    mentions: message.mentions,
    mediaId,
    at: new Date(message.at),
    status: 'status' in message ? message.status : fromMe ? 'sent' : 'received',
  }
}

/**
 * Upserts the contacts of the messages; returns the sender of each and the other party (`peer`) of direct chats.
 */
export async function upsertPeople(
  conversations: Pick<ConversationsService, 'upsertContacts'>,
  tx: LockedDb,
  batch: Received[],
): Promise<People[]> {
  const peers = batch.map(({ message }) => (message.fromMe ? peerOf(message) : message.sender))
  const people = await conversations.upsertContacts(
    tx,
    batch.map(({ instance }, index) => ({ instance, party: peers[index] ?? UNKNOWN_PARTY })),
  )
  return batch.map(({ message }, index) => {
    const peer = people[index]?.party ?? UNKNOWN_PARTY
    return { sender: message.fromMe ? message.sender : peer, peer }
  })
}
