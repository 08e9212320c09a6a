import type { BillingService } from '../billing/billing.service.ts'
import type { Mode } from '../config/config.ts'
import type { Db } from '../db/sql.ts'
import type { EventsService } from '../events/events.service.ts'
import type { Activity } from '../lib/activity.ts'
import { createBatcher } from '../lib/batcher.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { InboundMessage } from '../networks/network.port.ts'
import type { MessageRow } from './messages.sql.ts'
import { insertReceived, touchConversations, type ReceivedDraft } from './receive.sql.ts'
import { renderMessage } from './render-message.ts'

const LONGEST_QUOTE = 1024

type ReceivingInstance = { id: string; projectId: string; mode: Mode }
type Received = { instance: ReceivingInstance; message: InboundMessage }

export type ReceivedRecorder = {
  /** Resolves when all are committed; answers those that were new. */
  receive(instance: ReceivingInstance, messages: InboundMessage[]): Promise<MessageRow[]>
}

/**
 * Records what networks report as received: message, conversation, daily count and event in one transaction, for
 * all that arrived together on any instance.
 */
export function createReceivedRecorder(deps: {
  db: Db
  clock: Clock
  activity: Activity
  billing: BillingService
  events: EventsService
}): ReceivedRecorder {
  const { db, clock, activity, billing, events } = deps

  function toDraft({ instance, message }: Received): ReceivedDraft {
    const now = clock.now()
    const { chatType, sender, content, quoted, fromMe } = message
    const direct = chatType === 'direct'
    const peerPhone = /^(\d+)@s\.whatsapp\.net$/.exec(message.chatId)?.[1] ?? null
    const peer = fromMe ? { phone: peerPhone, lid: null, name: null } : sender
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
      text: content.type === 'text' ? content.text : null,
      chatId: message.chatId,
      chatType,
      chatName: direct ? peer.name : message.chatName,
      phone: direct ? peer.phone : null,
      lid: direct ? peer.lid : null,
      senderPhone: sender.phone,
      senderLid: sender.lid,
      senderName: sender.name,
      quoted: quoted && { ...quoted, text: quoted.text?.slice(0, LONGEST_QUOTE) ?? null },
      mentions: message.mentions,
      at: new Date(message.at),
    }
  }

  async function flush(batch: Received[]): Promise<(MessageRow | null)[]> {
    // The same message twice in one batch would be one row that answers both.
    const first = new Map(batch.map((entry) => [keyOf(entry.instance.id, entry.message), entry]))
    const rows = await db.transaction(async (tx) => {
      const now = new Date(clock.now())
      await billing.lock(tx, [...new Set(batch.map(({ instance }) => instance.projectId))])
      const written = await insertReceived(tx, [...first.values()].map(toDraft), now)
      if (written.length === 0) return written
      await touchConversations(tx, summarise(written))
      for (const [projectId, count] of countUncounted(written, first)) {
        await billing.countReceived(tx, projectId, count)
      }
      await events.record(
        tx,
        written
          .filter((row) => row.direction === 'inbound')
          .map((row) => ({
            name: 'message.received' as const,
            projectId: row.projectId,
            mode: row.mode,
            instanceId: row.instanceId,
            data: { waMessageId: row.waMessageId, message: renderMessage(row) },
          })),
      )
      return written
    })
    const byKey = new Map(rows.map((row) => [keyOf(row.instanceId, row), row]))
    return batch.map(({ instance, message }) => {
      const key = keyOf(instance.id, message)
      const row = byKey.get(key) ?? null
      byKey.delete(key)
      return row
    })
  }

  const batcher = createBatcher({ flush, maxItems: 256, maxInFlight: 1, activity })
  return {
    async receive(instance, messages) {
      const rows = await Promise.all(messages.map((message) => batcher.add({ instance, message })))
      return rows.filter((row) => row !== null)
    },
  }
}

function keyOf(instanceId: string, message: { chatId: string; waMessageId: string }): string {
  return `${instanceId} ${message.chatId} ${message.waMessageId}`
}

/** One entry a conversation: its last message and how many unread ones it gained. */
function summarise(rows: MessageRow[]) {
  const entries = new Map<
    string,
    { conversationId: string; messageId: string; at: Date; unread: number }
  >()
  for (const row of rows) {
    const { conversationId, id: messageId, createdAt: at } = row
    const unread =
      (entries.get(conversationId)?.unread ?? 0) + (row.direction === 'inbound' ? 1 : 0)
    entries.set(conversationId, { conversationId, messageId, at, unread })
  }
  return [...entries.values()].sort((a, b) => (a.conversationId < b.conversationId ? -1 : 1))
}

/** Received messages in test mode that nobody has counted yet, by Project. */
function countUncounted(rows: MessageRow[], batch: Map<string, Received>): [string, number][] {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const entry = batch.get(keyOf(row.instanceId, row))
    if (row.mode !== 'test' || row.direction !== 'inbound' || entry?.message.alreadyCounted)
      continue
    counts.set(row.projectId, (counts.get(row.projectId) ?? 0) + 1)
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
}
