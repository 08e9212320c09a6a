import type { Logger } from 'pino'
import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Mode } from '../../kernel/config/config.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { EventsService } from '../../events/events.service.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { InboundMessage, NetworkEvent, Receipt } from '../../networks/network-events.port.ts'
import { kindNamed, type MessageContent } from '../../model/kinds/index.ts'
import { editMessage, keepMessage, markDeleted, pinMessage, starMessage } from './change.sql.ts'
import {
  findChangeTarget,
  findRefusedReferences,
  savePendingChange,
  sweepPendingChanges,
  popPendingChanges,
  type ChangeTarget,
  type PendingChange,
  type RefusedReference,
} from './inbound-changes.sql.ts'
import { deletePlaceholder } from './placeholders.sql.ts'
import { recordEdit } from './record-edit.ts'
import type { MessageRow } from '../../model/message.ts'

/**
 * How long after sending WhatsApp clients accept an edit: 15 minutes, plus 5 for transit. Both timestamps are the
 * server's. Source: EditWindow of whatsmeow.
 */
const EDIT_WINDOW_MS = 20 * 60_000
/** WhatsApp allows revocation for 60 hours; a message delayed for longer will not arrive. */
const PENDING_RETENTION_MS = 60 * 3600_000

const toDate = (at: number | null) => (at === null ? null : new Date(at))

type Instance = { id: string; projectId: string; mode: Mode }
type Star = Extract<NetworkEvent, { kind: 'starred' }>
type Reason =
  | RefusedReference['reason']
  | 'not_the_author'
  | 'not_an_admin'
  | 'too_late'
  | 'not_editable'
  | 'superseded'
  | 'already_deleted'

/** A message as its network reported it, with its author as currently known. */
export type IncomingMessage = {
  instance: Instance
  message: InboundMessage
  sender: { phone: string | null; lid: string | null }
  chatId: string
}

/** Authorizes and applies the changes that networks report. */
export type InboundChanges = ReturnType<typeof createInboundChanges>

/**
 * Applies reported edits, pins, keeps and revocations if their author may make them, and checks the authors
 * and targets of reactions, votes and receipts. A refused change has no effect and is counted and logged
 * (G34).
 */
export function createInboundChanges(deps: {
  clock: Clock
  events: EventsService
  metrics: Metrics
  logger: Logger
  publish: BusTopics['publish']
}) {
  const { clock, events, logger, publish } = deps
  const refused = deps.metrics.counter(
    'inbound_changes_refused_total',
    'Edits, pins, kept messages, revocations, receipts, votes, reactions and messages with the id of another, not authorized',
    ['kind', 'reason'],
  )

  function refuse(
    kind: PendingChange['kind'] | 'message' | 'starred' | 'reaction' | 'pollVote' | 'receipt',
    reason: Reason,
    details: { instanceId: string; waMessageId: string; chatId: string; by: unknown },
  ): void {
    refused.labels(kind, reason).inc()
    logger.info({ kind, reason, ...details }, 'inbound change refused')
  }

  /** Returns why a change must not be applied, or null. */
  function refusalOf(change: PendingChange, target: ChangeTarget): Reason | null {
    if (!target.sameChat) return 'other_chat'
    if (change.kind === 'pinned' || change.kind === 'kept') {
      if (!change.fromMe && !target.byMember) return 'not_a_participant'
      if (!change.fromMe && target.onlyAdminsEdit && !target.byAdmin) return 'not_an_admin'
      return target.deletedAt ? 'already_deleted' : null
    }
    // The account's own devices are the author of every outbound message, and of no other.
    const byAuthor = change.fromMe ? target.direction === 'outbound' : target.byAuthor
    if (change.kind === 'deleted') {
      if (!byAuthor && !change.fromMe && !target.byAdmin) return 'not_the_author'
      return target.deletedAt ? 'already_deleted' : null
    }
    if (!byAuthor) return 'not_the_author'
    if (target.deletedAt) return 'already_deleted'
    if (!('text' in target.content || 'caption' in target.content)) return 'not_editable'
    const sentAt = (target.sentAt ?? target.createdAt).getTime()
    if (change.at - sentAt > EDIT_WINDOW_MS) return 'too_late'
    return target.editedAt && change.at < target.editedAt.getTime() ? 'superseded' : null
  }

  /** Makes open panels reload the messages. */
  const reload = ({ projectId, mode }: Instance) =>
    publish('changes', { projectId, mode, what: 'messages' })

  /** Applies or refuses a change to a stored message; returns false if it has to wait for the message. */
  async function apply(tx: Db, instance: Instance, change: PendingChange): Promise<boolean> {
    const target = await findChangeTarget(tx, instance.id, change)
    // An undecryptable message has no text yet, so its edit is deferred.
    if (!target || (change.kind === 'edited' && target.type === 'undecryptable')) return false
    const { kind, waMessageId, chatId, by, at } = change
    const reason = refusalOf(change, target)
    if (reason) {
      refuse(kind, reason, { instanceId: instance.id, waMessageId, chatId, by })
      return true
    }
    const changed = () => reload(instance)
    if (kind === 'pinned') {
      await pinMessage(tx, target.id, { until: toDate(change.until), at: new Date(at) })
      tx.afterCommit(changed)
    } else if (kind === 'kept') {
      await keepMessage(tx, target.id, { kept: change.kept, at: new Date(at) })
      tx.afterCommit(changed)
    } else if (kind === 'edited') {
      const edit = { text: change.text, at: new Date(at), onlyQueued: false }
      await editMessage(tx, target.id, edit)
      await recordEdit(events, tx, target.id)
      tx.afterCommit(changed)
    } else if (kind === 'deleted' && (await markDeleted(tx, target.id, new Date(at)))) {
      await events.record(tx, [toDeletedEvent(instance, target, change)])
    }
    return true
  }

  return {
    /**
     * Applies a reported change. One that arrives before its message is deferred, unless the message will not be stored
     * (`isExpected` false). Deletes the placeholder of the message that carried it, if that could not be decrypted before.
     */
    async applyOrDefer(
      tx: Db,
      instance: Instance,
      change: PendingChange,
      isExpected: boolean,
    ): Promise<void> {
      if (change.carriedBy !== undefined && (await deletePlaceholder(tx, instance.id, change)))
        tx.afterCommit(() => reload(instance))
      if (await apply(tx, instance, change)) return
      if (!isExpected) return
      await savePendingChange(tx, instance.id, change, new Date(clock.now()))
    },

    /**
     * Applies a star from the account's own devices. A star for an unknown message is dropped: when paired, a
     * phone reports all of its stars.
     */
    async applyStar(tx: Db, instance: Instance, change: Star): Promise<void> {
      const by = { phone: null, lid: null, name: null }
      const target = await findChangeTarget(tx, instance.id, { ...change, by, fromMe: true })
      if (!target) return
      const { waMessageId, chatId, starred } = change
      if (!target.sameChat)
        return refuse('starred', 'other_chat', { instanceId: instance.id, waMessageId, chatId, by })
      const changed = await starMessage(tx, target.id, { starred, at: new Date(change.at) })
      if (changed) tx.afterCommit(() => reload(instance))
    },

    /** Applies the pending changes of messages that were just stored; returns the ids of messages that had any. */
    async applyPending(tx: Db, rows: MessageRow[]): Promise<string[]> {
      const waiting = await popPendingChanges(tx, rows)
      if (waiting.length === 0) return []
      const byKey = new Map(rows.map((row) => [`${row.instanceId} ${row.waMessageId}`, row]))
      const ids = new Set<string>()
      for (const { instanceId, change } of waiting) {
        const row = byKey.get(`${instanceId} ${change.waMessageId}`)
        if (!row) continue
        const { projectId, mode } = row
        const isApplied = await apply(tx, { id: instanceId, projectId, mode }, change)
        if (isApplied) ids.add(row.id)
        else await savePendingChange(tx, instanceId, change, new Date(clock.now()))
      }
      return [...ids]
    },

    /** Returns the reactions and votes among these messages that are not authorized and must not be stored. */
    async findRefused(tx: Db, arriving: IncomingMessage[]): Promise<Set<IncomingMessage>> {
      const claims = arriving.flatMap((one) => {
        const { instance, message, sender, chatId } = one
        const { content } = message
        const target = kindNamed(content.type)?.target?.of(content as MessageContent)
        if (!target || message.fromMe) return []
        return [{ one, instanceId: instance.id, chatId, targetWaMessageId: target, ...sender }]
      })
      if (claims.length === 0) return new Set()
      const found = await findRefusedReferences(tx, claims)
      return new Set(
        found.flatMap(({ position, reason }) => {
          const claim = claims[position]
          if (!claim) return []
          const { instanceId, chatId, targetWaMessageId: waMessageId, one } = claim
          const kind = one.message.content.type === 'pollVote' ? 'pollVote' : 'reaction'
          refuse(kind, reason, { instanceId, waMessageId, chatId, by: one.sender })
          return [one]
        }),
      )
    },

    /** Counts and logs a message that was ignored because its id belongs to a message of another author. */
    recordRefusedMessage(
      instanceId: string,
      { waMessageId, chatId, sender }: InboundMessage,
    ): void {
      refuse('message', 'not_the_author', { instanceId, waMessageId, chatId, by: sender })
    },

    /** Counts and logs a receipt that was ignored because its author is not a participant of the chat. */
    recordRefusedReceipt(
      instanceId: string,
      waMessageId: string,
      { chatId, party }: Receipt,
    ): void {
      refuse('receipt', 'not_a_participant', { instanceId, waMessageId, chatId, by: party })
    },

    /** Deletes pending changes whose message never arrived. */
    sweep: (db: Db) => sweepPendingChanges(db, new Date(clock.now() - PENDING_RETENTION_MS)),
  }
}

function toDeletedEvent(instance: Instance, row: MessageRow, { by, at }: PendingChange) {
  const { id: instanceId, projectId, mode } = instance
  const data = {
    waMessageId: row.waMessageId,
    messageId: row.id,
    chat: { id: row.chatId, type: row.chatType, name: row.chatName },
    deletedBy: by,
    at: new Date(at).toISOString(),
  }
  return { name: 'message.deleted' as const, projectId, mode, instanceId, data }
}
