import type { BillingService } from '../../company/billing/billing.service.ts'
import type { ContactsService } from '../contacts/contacts.service.ts'
import type { NumbersService } from '../contacts/numbers.service.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { EventsService } from '../../events/events.service.ts'
import { toPage } from '../../kernel/schemas.ts'
import { parseTime } from '../../kernel/validation.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import type { NetworkCommander } from '../../instances/network-commands.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { factsOf, type MediaService } from '../../media/media.service.ts'
import { fail, Failure } from '../../kernel/phrases/fail.ts'
import type { ProjectsService } from '../../company/projects/projects.service.ts'
import type { Message } from '../../model/records.schemas.ts'
import type { Acceptor } from './accept-sends.service.ts'
import { createMessageEditor } from './change-message.ts'
import { createForwarder } from './forward-message.ts'
import { createAlbumBuilder } from './send-album.ts'
import { readActivity } from './activity.sql.ts'
import type { MessageListener } from './message-listener.ts'
import type {
  InstanceActivity,
  ListMessagesQuery,
  MessageDetail,
  MarkReadBody,
} from './messages.schemas.ts'
import {
  findMessage,
  findMessages,
  findReceived,
  listHistory,
  listMessages,
  MARK_READ_BATCH,
  markRead,
  type ReadRow,
} from './messages.sql.ts'
import { renderMessage } from '../../model/message.ts'
import type { Pacer } from './pace.service.ts'
import { createSender } from './send-message.ts'
export type { Send } from './send.ts'

const DAY_MS = 24 * 3600_000
const MAX_COUNTED_MESSAGES = 1000

/** Sends, reads, changes and marks the messages of instances. */
export type MessagesService = ReturnType<typeof createMessagesService>

/** Creates the service that sends, reads, changes and marks messages (G29). */
export function createMessagesService(deps: {
  clock: Clock
  acceptor: Acceptor
  billing: BillingService
  events: EventsService
  instances: InstancesService
  media: MediaService
  contacts: ContactsService
  numbers: NumbersService
  commander: NetworkCommander
  projects: Pick<ProjectsService, 'numberCompleter'>
  pacer: Pacer
  listener: MessageListener
  onError: (error: unknown, task?: string) => void
}) {
  const { clock, acceptor, billing, events, instances, media, contacts, numbers, commander } = deps
  const { listener, projects, pacer, onError } = deps
  const now = () => new Date(clock.now())

  async function find(db: Db, scope: Scope, instanceId: string, messageId: string) {
    const row = await findMessage(db, scope, instanceId, messageId, now())
    if (row) return row
    await instances.get(db, scope, instanceId)
    throw fail('not_found', (say) => say.messages.notFound)
  }

  async function get(
    db: Db,
    scope: Scope,
    instanceId: string,
    messageId: string,
  ): Promise<MessageDetail> {
    const row = await find(db, scope, instanceId, messageId)
    const history = await listHistory(db, scope, row.id, now())
    const message = renderMessage(row)
    const first = row.direction === 'outbound' && row.origin !== 'phone' ? 'queued' : message.status
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
  }

  /** Ignores expected failures: a failed read receipt is neither a client nor a server error. */
  const ignoreExpectedFailure = (instanceId: string) => (error: unknown) => {
    if (!(error instanceof Failure))
      onError(error, `sending read receipts of instance ${instanceId}`)
  }

  /** Marks unread messages as read, and sends their read receipts; returns them. */
  async function markUnread(
    db: Db,
    scope: Scope,
    instanceId: string,
    which: Parameters<typeof markRead>[3],
  ): Promise<ReadRow[]> {
    const rows: ReadRow[] = []
    for (;;) {
      const marked = await markRead(db, scope, instanceId, which, now())
      rows.push(...marked)
      if (marked.length < MARK_READ_BATCH) break
    }
    // Clients mark a whole chat by its latest messages.
    const references = rows
      .slice(-MARK_READ_BATCH)
      .map(({ chatId, waMessageId, senderPhone, senderLid, senderName }) => ({
        chatId,
        waMessageId,
        sender: { phone: senderPhone, lid: senderLid, name: senderName },
      }))
    if (references.length > 0) {
      // Runs after the commit. If the network is unreachable, the contact only misses the blue ticks.
      db.afterCommit(
        () =>
          void commander
            .run(instanceId, 'markRead', { messages: references })
            .catch(ignoreExpectedFailure(instanceId)),
      )
    }
    return rows
  }

  /** Returns the file of a message, fetching it from the network if necessary. Throws 404 if it is not available. */
  async function file(db: Db, scope: Scope, instanceId: string, messageId: string) {
    const message = await find(db, scope, instanceId, messageId)
    if (!message.media) throw fail('not_found', (say) => say.media.none)
    return openFile(scope, instanceId, message.media.id)
  }

  async function openFile(scope: Scope, instanceId: string, mediaId: string) {
    let row = await media.find(scope, mediaId)
    if (row && row.instanceId && (row.status === 'pending' || row.status === 'failed')) {
      const { projectId, mode, id } = row
      await commander.run(instanceId, 'fetchFile', { projectId, mode, mediaId: id })
      row = await media.find(scope, row.id)
    }
    if (!row || row.status === 'expired') throw fail('not_found', (say) => say.media.expired)
    if (row.status !== 'available') throw fail('not_found', (say) => say.media.notReady)
    const opened = row
    return {
      facts: factsOf(row),
      open: (range?: { start: number; end: number }) => media.open(opened, range),
    }
  }

  const sender = createSender({
    clock,
    acceptor,
    media,
    contacts,
    numbers,
    instances,
    projects,
    pacer,
  })

  return {
    ...sender,
    toAlbum: createAlbumBuilder({ instances }),
    toForward: createForwarder({ find, fetchFile: openFile }),
    file,
    ...createMessageEditor({ clock, billing, events, instances, commander, listener }),

    /** Returns, per instance, the message count of the last 24 hours and the time of the last message. */
    async activity(db: Db, scope: Scope): Promise<InstanceActivity> {
      const since = new Date(clock.now() - DAY_MS)
      const rows = await readActivity(db, scope, {
        since,
        most: MAX_COUNTED_MESSAGES + 1,
        now: now(),
      })
      return {
        items: rows.map(({ instanceId, messages, lastMessageAt }) => ({
          instanceId,
          messages: Math.min(messages, MAX_COUNTED_MESSAGES),
          more: messages > MAX_COUNTED_MESSAGES,
          lastMessageAt: lastMessageAt?.toISOString() ?? null,
        })),
      }
    },

    async list(db: Db, scope: Scope, instanceId: string, query: ListMessagesQuery) {
      const { limit, offset, since, until, q, pinned, starred, ...equal } = query
      const filter = {
        conversationId: equal.conversationId ?? null,
        direction: equal.direction ?? null,
        type: equal.type ?? null,
        status: equal.status ?? null,
        clientReference: equal.clientReference ?? null,
        since: since === undefined ? null : parseTime('since', since),
        until: until === undefined ? null : parseTime('until', until),
        q: q ?? null,
        pinnedAfter: pinned === true ? now() : null,
        starred: starred === true || null,
      }
      const page = { limit: limit + 1, offset, now: now() }
      const rows = await listMessages(db, scope, instanceId, filter, page)
      // Distinguish an empty list from an unknown instance.
      if (rows.length === 0) await instances.get(db, scope, instanceId)
      return toPage(rows.map(renderMessage), limit, offset)
    },

    get,

    /** Returns these messages by id; unknown ids are absent. */
    async getByIds(db: Db, scope: Scope, ids: string[]): Promise<Map<string, Message>> {
      const rows = ids.length > 0 ? await findMessages(db, scope, ids, now()) : []
      return new Map(rows.map((row) => [row.id, renderMessage(row)]))
    },

    /** Marks these messages as read, here and on the network, as far as they were received. */
    async markReceived(
      db: Db,
      scope: Scope,
      instanceId: string,
      waMessageIds: string[],
    ): Promise<void> {
      await markUnread(db, scope, instanceId, { waMessageIds, conversationId: null, reader: null })
    },

    /**
     * Marks received messages as read, here and on the network. Returns the requested ids that exist, or the ids of the
     * conversation's messages that were unread. Costs no credits and requires no
     * subscription (G29). `reader` is the user who reads, or null for an API client.
     */
    async markRead(
      db: Db,
      scope: Scope,
      instanceId: string,
      body: MarkReadBody,
      reader: string | null,
    ): Promise<string[]> {
      const { waMessageIds = null, conversationId = null } = body
      if ((waMessageIds === null) === (conversationId === null)) {
        throw fail('bad_request', (say) => say.messages.readTarget)
      }
      await instances.get(db, scope, instanceId)
      const which = { waMessageIds, conversationId, reader }
      const { known, chatType } = await findReceived(db, scope, instanceId, which, now())
      if (conversationId !== null && chatType === null) {
        throw fail('not_found', (say) => say.conversations.notFound)
      }
      if (waMessageIds !== null && known.length === 0) {
        throw fail('not_found', (say) => say.messages.notFound)
      }
      const rows = await markUnread(db, scope, instanceId, which)
      return waMessageIds === null ? rows.map((row) => row.waMessageId) : [...new Set(known)]
    },
  }
}
