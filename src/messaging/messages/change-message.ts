import { lockProjects } from '../../company/projects/projects.service.ts'
import type { BillingService } from '../../company/billing/billing.service.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { EventsService } from '../../events/events.service.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import type { NetworkCommander } from '../../instances/network-commands.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { MAX_CAPTION_LENGTH } from '../../model/media-fields.ts'
import { parsePublishedChat } from '../../model/publishing.ts'
import type { Message } from '../../model/records.schemas.ts'
import { cancelQueued, editMessage, markDeleted, pinMessage, starMessage } from './change.sql.ts'
import type { MessageListener } from './message-listener.ts'
import { findMessage } from './messages.sql.ts'
import { recordEdit } from './record-edit.ts'
import { findAudience, MAX_AUDIENCE } from './outbound.sql.ts'
import type { MessageRow } from '../../model/message.ts'
import { renderMessage } from '../../model/message.ts'

/** Creates the functions that edit, pin, star and delete sent messages (G31). */
export function createMessageEditor(deps: {
  clock: Clock
  billing: BillingService
  events: EventsService
  instances: InstancesService
  commander: Pick<NetworkCommander, 'run'>
  listener: MessageListener
}) {
  const { clock, billing, events, instances, commander, listener } = deps
  const now = () => new Date(clock.now())

  async function getOrThrow(
    db: Db,
    scope: Scope,
    instanceId: string,
    messageId: string,
  ): Promise<MessageRow> {
    const row = await findMessage(db, scope, instanceId, messageId, now())
    if (row) return row
    await instances.get(db, scope, instanceId)
    throw fail('not_found', (say) => say.messages.notFound)
  }

  function requireSent(row: MessageRow): void {
    if (row.deletedAt) throw fail('conflict', (say) => say.messages.alreadyDeleted)
    if (row.status === 'failed') throw fail('conflict', (say) => say.messages.failedBefore)
    if (row.status === 'sending') throw fail('conflict', (say) => say.messages.leaving)
  }

  /** Finds a sent message of a connected instance, with its network identifiers. Throws 404 or 409. */
  async function findOnNetwork(db: Db, scope: Scope, instanceId: string, messageId: string) {
    const row = await getOrThrow(db, scope, instanceId, messageId)
    if (parsePublishedChat(row.chatId)) throw fail('conflict', (say) => say.messages.notMarkable)
    requireSent(row)
    if (row.status === 'queued') throw fail('conflict', (say) => say.messages.leaving)
    await instances.account(db, scope, instanceId)
    const { id, chatId, waMessageId, senderPhone: phone, senderLid: lid, senderName: name } = row
    const fromMe = row.direction === 'outbound'
    return { id, key: { chatId, waMessageId, fromMe, sender: { phone, lid, name } } }
  }

  const sentAt = (row: MessageRow) => (row.sentAt ?? row.createdAt).getTime()

  return {
    /** Changes the text or caption of a sent message. Records the optional event for edits if a member changes it. */
    async edit(
      db: Db,
      scope: Scope,
      instanceId: string,
      messageId: string,
      text: string,
    ): Promise<Message> {
      const row = await getOrThrow(db, scope, instanceId, messageId)
      const { content, id, chatId, waMessageId, mentions } = row
      // WhatsApp edits no status posts.
      const editable =
        row.direction === 'outbound' &&
        row.chatType !== 'status' &&
        // An edited post of a channel replaces the whole, and the file would be missing.
        ('text' in content || ('caption' in content && row.chatType !== 'channel'))
      if (!editable) throw fail('bad_request', (say) => say.messages.notEditable)
      if (!('text' in content) && text.length > MAX_CAPTION_LENGTH) {
        const field = 'text'
        throw fail('bad_request', (say) => say.http.tooLong(field, MAX_CAPTION_LENGTH), { field })
      }
      requireSent(row)
      /** Returns the edited message as it is then; null if it has changed meanwhile. */
      const change = (onlyQueued: boolean) =>
        db.transaction(async (tx) => {
          if (!(await editMessage(tx, id, { text, at: now(), onlyQueued }))) return null
          if (scope.keyId === null) await recordEdit(events, tx, id)
          return getOrThrow(tx, scope, instanceId, id)
        })
      // A queued message is sent with the new text, so nothing has to change on the network.
      const queued = await change(true)
      if (queued) return renderMessage(queued)
      // It may have been claimed since it was read.
      requireSent(await getOrThrow(db, scope, instanceId, messageId))
      await instances.account(db, scope, instanceId)
      const edit = { chatId, waMessageId, text, sentAt: sentAt(row), kind: row.type, mentions }
      await commander.run(instanceId, 'edit', edit)
      const edited = await change(false)
      if (!edited) {
        // A deletion came first.
        throw fail('conflict', (say) => say.messages.alreadyDeleted)
      }
      return renderMessage(edited)
    },

    /**
     * Pins a message in its chat for the given seconds; null unpins
     * it. Throws 404, or 409 if the message is not on the network.
     */
    async pin(
      db: Db,
      scope: Scope,
      instanceId: string,
      messageId: string,
      seconds: number | null,
    ): Promise<Message> {
      const { id, key } = await findOnNetwork(db, scope, instanceId, messageId)
      const at = clock.now()
      await commander.run(instanceId, 'pin', { ...key, seconds })
      const until = seconds === null ? null : new Date(at + seconds * 1000)
      await pinMessage(db, id, { until, at: new Date(at) })
      return renderMessage(await getOrThrow(db, scope, instanceId, id))
    },

    /** Stars or unstars a message for the account only. Throws like `pin`. */
    async star(
      db: Db,
      scope: Scope,
      instanceId: string,
      messageId: string,
      starred: boolean,
    ): Promise<Message> {
      const { id, key } = await findOnNetwork(db, scope, instanceId, messageId)
      const { at } = await commander.run(instanceId, 'star', { ...key, starred })
      await starMessage(db, id, { starred, at: new Date(at) })
      return renderMessage(await getOrThrow(db, scope, instanceId, id))
    },

    /** Deletes a sent message for everyone. A queued message is canceled instead, and its credit is refunded. */
    async remove(db: Db, scope: Scope, instanceId: string, messageId: string): Promise<void> {
      const row = await getOrThrow(db, scope, instanceId, messageId)
      if (row.direction !== 'outbound')
        throw fail('bad_request', (say) => say.messages.notRevocable)
      if (row.deletedAt) return
      const { id, chatId, waMessageId } = row
      const canceled = await db.transaction(async (tx) => {
        const cost = await cancelQueued(await lockProjects(tx, [scope.projectId]), id, now())
        if (cost === null) return false
        const { projectId } = scope
        if (cost > 0) await billing.refund(tx, [{ projectId, messageId: id, amount: cost }])
        await listener.onStatusChanged(tx, [{ ...row, status: 'failed' }])
        await events.record(tx, [toFailedEvent(row, now())])
        return true
      })
      if (canceled) return
      const current = await getOrThrow(db, scope, instanceId, id)
      if (current.deletedAt) return
      requireSent(current)
      await instances.account(db, scope, instanceId)
      const isPost = row.chatType === 'status'
      const audience = isPost ? await findAudience(db, instanceId, MAX_AUDIENCE) : []
      const revocation = { chatId, waMessageId, sentAt: sentAt(row), audience }
      await commander.run(instanceId, 'revoke', revocation)
      await markDeleted(db, id, now())
    },
  }
}

function toFailedEvent(row: MessageRow, at: Date) {
  const { projectId, mode, instanceId, waMessageId, clientReference } = row
  const data = {
    waMessageIds: [waMessageId],
    status: 'failed' as const,
    at: at.toISOString(),
    chat: { id: row.chatId, type: row.chatType, name: row.chatName },
    party: null,
    clientReferences: clientReference ? [clientReference] : [],
    error: null,
  }
  return { name: 'message.status' as const, projectId, mode, instanceId, data }
}
