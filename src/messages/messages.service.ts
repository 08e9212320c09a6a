import type { Db, Scope } from '../db/sql.ts'
import { pageOf } from '../http/answers.ts'
import type { Clock } from '../lib/clock.ts'
import { newId, newWaMessageId } from '../lib/ids.ts'
import { parsePhone, parseRecipient } from '../lib/recipient.ts'
import { fail } from '../phrases/fail.ts'
import type { InstancesService } from '../instances/instances.service.ts'
import type { MessageContent, NetworkSession } from '../networks/network.port.ts'
import type { Message } from '../records/records.schemas.ts'
import type { Acceptor } from './accept-sends.ts'
import type { SendFields } from './define-message-kind.ts'
import type { ListMessagesQuery, MessageDetail, ReadBody } from './messages.schemas.ts'
import { findMessage, findReceived, listHistory, listMessages, markRead } from './messages.sql.ts'
import { renderMessage } from './render-message.ts'

export type MessagesService = ReturnType<typeof createMessagesService>

/** What is sent: the fields every kind has, and the kind's content. */
export type Send = {
  fields: SendFields
  content: MessageContent
  text: string | null
  linkPreview: boolean
}

/** Sending, reading and marking messages. Source: specification §4.5, contract §2.2. */
export function createMessagesService(deps: {
  clock: Clock
  acceptor: Acceptor
  instances: InstancesService
  /** The session of an instance that this node holds, to tell the network what was read. */
  sessionOf: (instanceId: string) => NetworkSession | null
  onError: (error: unknown) => void
}) {
  const { clock, acceptor, instances, sessionOf, onError } = deps
  const now = () => new Date(clock.now())

  return {
    /** Accepts a send: 201 says that it is committed and will reach a final state. */
    async send(db: Db, scope: Scope, instanceId: string, send: Send): Promise<Message> {
      const { fields, content, text, linkPreview } = send
      const at = clock.now()
      const recipient = readRecipient(fields)
      return acceptor.accept(db, {
        id: newId('msg', at),
        keyId: scope.keyId,
        projectId: scope.projectId,
        mode: scope.mode,
        instanceId,
        waMessageId: newWaMessageId(),
        origin: scope.keyId ? 'api' : 'panel',
        type: content.type,
        content,
        text,
        ...recipient,
        conversationId: fields.conversationId ?? null,
        freshConversationId: newId('cnv', at),
        quotedWaMessageId: fields.quotedWaMessageId ?? null,
        mentions: readMentions(fields.mentions ?? []),
        options: {
          ...(fields.typingMs ? { typingMs: fields.typingMs } : {}),
          ...(linkPreview ? {} : { linkPreview }),
        },
        metadata: fields.metadata ?? {},
        clientReference: fields.clientReference ?? null,
        cost: scope.keyId ? 1 : 0,
        dueAt: new Date(at + (fields.delayMs ?? 0)),
      })
    },

    async list(db: Db, scope: Scope, instanceId: string, query: ListMessagesQuery) {
      const { limit, offset, since, until, q, ...equal } = query
      const filter = {
        conversationId: equal.conversationId ?? null,
        direction: equal.direction ?? null,
        type: equal.type ?? null,
        status: equal.status ?? null,
        clientReference: equal.clientReference ?? null,
        since: readTime('since', since),
        until: readTime('until', until),
        q: q ?? null,
      }
      const page = { limit: limit + 1, offset, now: now() }
      const rows = await listMessages(db, scope, instanceId, filter, page)
      // An empty list may be an instance that is not there.
      if (rows.length === 0) await instances.show(db, scope, instanceId)
      return pageOf(rows.map(renderMessage), limit, offset)
    },

    async show(
      db: Db,
      scope: Scope,
      instanceId: string,
      messageId: string,
    ): Promise<MessageDetail> {
      const row = await findMessage(db, scope, instanceId, messageId, now())
      if (!row) {
        await instances.show(db, scope, instanceId)
        throw fail('not_found', (say) => say.messages.notFound)
      }
      const history = await listHistory(db, scope, row.id, now())
      const message = renderMessage(row)
      const first =
        row.direction === 'outbound' && row.origin !== 'phone' ? 'queued' : message.status
      return {
        ...message,
        events: [
          { status: first, at: message.createdAt, party: null },
          ...history.map(({ status, at, partyPhone, partyLid, partyName }) => ({
            status,
            at: at.toISOString(),
            party:
              partyPhone || partyLid ? { phone: partyPhone, lid: partyLid, name: partyName } : null,
          })),
        ],
      }
    },

    /**
     * Marks received messages as read, here and on the network. Answers the ids that were asked for and exist, or
     * those of the conversation that were unread. Free, and no subscription is needed (specification §7.3).
     */
    async markRead(db: Db, scope: Scope, instanceId: string, body: ReadBody): Promise<string[]> {
      const { waMessageIds = null, conversationId = null } = body
      if ((waMessageIds === null) === (conversationId === null)) {
        throw fail('bad_request', (say) => say.messages.readTarget)
      }
      await instances.show(db, scope, instanceId)
      const which = { waMessageIds, conversationId }
      const { known, conversationExists } = await findReceived(db, scope, instanceId, which, now())
      if (conversationId !== null && !conversationExists) {
        throw fail('not_found', (say) => say.messages.conversationNotFound)
      }
      if (waMessageIds !== null && known.length === 0) {
        throw fail('not_found', (say) => say.messages.notFound)
      }
      const rows = await markRead(db, scope, instanceId, which, now())
      const told = rows.map(({ chatId, waMessageId, senderPhone, senderLid, senderName }) => ({
        chatId,
        waMessageId,
        sender: { phone: senderPhone, lid: senderLid, name: senderName },
      }))
      if (told.length > 0) {
        // The network is told after the commit; if it is away, the contact just does not see the blue ticks.
        db.afterCommit(() => void sessionOf(instanceId)?.markRead(told).catch(onError))
      }
      return waMessageIds === null ? rows.map((row) => row.waMessageId) : [...new Set(known)]
    },
  }
}

function readRecipient(fields: SendFields) {
  const { to, conversationId } = fields
  if ((to === undefined) === (conversationId === undefined)) {
    throw fail('bad_request', (say) => say.messages.recipientRequired)
  }
  if (to === undefined) return { chatId: null, chatType: 'direct', phone: null, lid: null } as const
  const recipient = parseRecipient(to.trim())
  if (!recipient) throw fail('bad_request', (say) => say.messages.recipientInvalid)
  return recipient
}

function readMentions(mentions: string[]): string[] {
  return mentions.map((text) => {
    const phone = parsePhone(text)
    if (!phone) throw fail('bad_request', (say) => say.messages.mentionInvalid(text.slice(0, 40)))
    return phone
  })
}

function readTime(field: string, text: string | undefined): Date | null {
  if (text === undefined) return null
  const time = /^(?!0000)\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw fail('bad_request', (say) => say.http.malformed(field))
  return new Date(time)
}
