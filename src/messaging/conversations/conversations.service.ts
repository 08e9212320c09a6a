import type { AuditService } from '../../company/audit/audit.service.ts'
import type { MembersService } from '../../company/members/members.service.ts'
import type { LockedDb } from '../../company/projects/projects.service.ts'
import type {
  ContactsService,
  ReportedContact,
  UpsertedContact,
} from '../contacts/contacts.service.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { toPage } from '../../kernel/schemas.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Finisher } from '../../kernel/finisher.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { newId } from '../../kernel/ids.ts'
import { directChatId } from '../../model/recipient.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Caller } from '../../kernel/principal.ts'
import {
  UNASSIGNED,
  type Conversation,
  type ListConversationsQuery,
  type PatchConversationBody,
} from './conversations.schemas.ts'
import {
  ensureConversation,
  findConversation,
  hasConversation,
  listConversations,
  updateConversationIdentities,
  patchConversation,
  type ChatDraft,
  type ConversationRow,
} from './conversations.sql.ts'
import { markUnread } from './mark-unread.sql.ts'
import { mergeConversations } from './merge-conversations.sql.ts'
import { createChatMerger } from './merge-linked-chats.ts'

/** Reads, creates, updates and merges the conversations of instances. */
export type ConversationsService = ReturnType<typeof createConversationsService>

/**
 * Creates the service for an instance's conversations. A chat has one conversation, whether its contact is known by
 * phone, by LID or by both (G36).
 */
export function createConversationsService(deps: {
  clock: Clock
  instances: InstancesService
  contacts: ContactsService
  audit: AuditService
  members: Pick<MembersService, 'listAttendantIds'>
  /** The root database, for work that continues after a transaction. */
  db: Db
  merges: Pick<Finisher<Db>, 'start'>
  activity: PendingWork
  onError: (error: unknown, task?: string) => void
}) {
  const { clock, instances, contacts, audit, members, merges, db: root } = deps
  const { activity, onError } = deps
  const now = () => new Date(clock.now())

  async function getOrThrow(
    db: Db,
    scope: Scope,
    instanceId: string | null,
    id: string,
    viewer: string | null = null,
  ): Promise<ConversationRow> {
    const row = await findConversation(db, scope, instanceId, id, now(), viewer)
    if (row) return row
    if (instanceId !== null) await instances.get(db, scope, instanceId)
    throw fail('not_found', (say) => say.conversations.notFound)
  }

  /** Returns the chat under its canonical id: that of the phone, if a contact links the LID to one. */
  async function canonical<Chat extends Pick<ChatDraft, 'chatId' | 'phone' | 'lid'>>(
    tx: LockedDb,
    { id, ...owner }: ReportedContact['instance'],
    chat: Chat,
  ): Promise<Chat> {
    if (chat.phone !== null || chat.lid === null) return chat
    const phone = await contacts.findPhoneByLid(tx, { ...owner, keyId: null }, id, chat.lid)
    return phone ? { ...chat, phone, chatId: directChatId({ ...chat, phone }) } : chat
  }

  /** Returns the id of the chat's conversation, creating it if missing. The caller holds the Project's lock. */
  async function ensure(tx: LockedDb, instance: ReportedContact['instance'], chat: ChatDraft) {
    const known = await canonical(tx, instance, chat)
    return ensureConversation(tx, instance, known, newId('cnv', clock.now()), now())
  }

  /** Moves the messages stored under another id of a chat (`from`) to the conversation of `into`. */
  async function merge(
    tx: LockedDb,
    instance: ReportedContact['instance'],
    from: string,
    into: ChatDraft,
  ) {
    if (from === into.chatId || !(await hasConversation(tx, instance, from))) return
    const conversationId = await ensure(tx, instance, into)
    const target = { conversationId, chatId: into.chatId }
    const hasMore = await mergeConversations(tx, instance.id, from, target)
    if (hasMore) tx.afterCommit(() => merges.start(root))
  }

  const chatMerger = createChatMerger({ db: root, contacts, merge, activity, onError })

  return {
    scheduleMerge: chatMerger.scheduleMerge,

    /** Returns whether an instance has a conversation of this chat. The caller holds the Project's lock. */
    has: async (
      tx: LockedDb,
      instance: ReportedContact['instance'],
      chat: Pick<ChatDraft, 'chatId' | 'phone' | 'lid'>,
    ): Promise<boolean> =>
      hasConversation(tx, instance, (await canonical(tx, instance, chat)).chatId),
    ensure,
    merge,

    /**
     * Lists the conversations of an instance, or of all (null), most recent activity first. Unread
     * counts are those of the user `viewer` or, without one, of the whole team. Throws 404.
     */
    async list(
      db: Db,
      scope: Scope,
      instanceId: string | null,
      query: ListConversationsQuery,
      viewer: string | null,
    ) {
      const { limit, offset, q, type = null, unread = null, archived = null, labelId } = query
      const { pinned = null, awaitingReply = null } = query
      const { status = null, assigneeId = null } = query
      const unassigned = assigneeId === UNASSIGNED
      const filter = {
        q: q || null,
        type,
        unread,
        awaitingReply,
        archived,
        pinned,
        labelId: labelId ?? null,
        status,
        assigneeId: unassigned ? null : assigneeId,
        unassigned,
      }
      const page = { limit: limit + 1, offset, now: now() }
      const rows = await listConversations(db, scope, instanceId, filter, page, viewer)
      if (rows.length === 0 && instanceId !== null) await instances.get(db, scope, instanceId)
      return toPage(rows.map(renderConversation), limit, offset)
    },

    getOrThrow: getOrThrow,
    /** Returns a conversation of an instance, or of any (null), with the viewer's unread count. Throws 404. */
    get: async (
      db: Db,
      scope: Scope,
      instanceId: string | null,
      id: string,
      viewer: string | null = null,
    ): Promise<Conversation> =>
      renderConversation(await getOrThrow(db, scope, instanceId, id, viewer)),

    /**
     * Changes a conversation. Throws 400 if the patch is empty or the assignee may not answer
     * conversations, 404, and 409 if it is to be unread but nothing was received. The audit log names who assigned or
     * closed a conversation.
     */
    update: (
      db: Db,
      scope: Scope,
      by: Caller,
      place: { instanceId: string; conversationId: string; viewer: string | null },
      body: PatchConversationBody,
    ): Promise<Conversation> =>
      db.transaction(async (tx) => {
        const { status } = body
        const assigneeId = body.assigneeId === UNASSIGNED ? null : body.assigneeId
        if (Object.keys(body).length === 0)
          throw fail('bad_request', (say) => say.conversations.nothingToChange)
        if (
          typeof assigneeId === 'string' &&
          !(await members.listAttendantIds(tx, scope)).has(assigneeId)
        )
          throw fail('bad_request', (say) => say.conversations.assigneeInvalid, {
            field: 'assigneeId',
          })
        const { instanceId, viewer } = place
        const mark = () => markUnread(tx, scope, before.id, viewer, now())
        let before: ConversationRow
        let isMarked = true
        // If the conversation is merged into another one meanwhile, that one is changed.
        do {
          before = await getOrThrow(tx, scope, instanceId, place.conversationId)
          // As when messages are read, they are locked before the conversation.
          if (body.unread && viewer === null) isMarked = await mark()
        } while (!(await patchConversation(tx, scope, before.id, { ...body, assigneeId }, now())))
        // As when a member answers, the conversation is locked before what the members have read.
        if (body.unread && viewer !== null) isMarked = await mark()
        if (!isMarked) throw fail('conflict', (say) => say.conversations.nothingReceived)
        const after = await getOrThrow(tx, scope, instanceId, before.id, viewer)
        if (status !== undefined && after.status !== before.status)
          await audit.recordAction(tx, scope, by, 'conversation.status', before.id, {
            before: { status: before.status },
            after: { status: after.status },
          })
        if (assigneeId !== undefined && after.assigneeId !== before.assigneeId)
          await audit.recordAction(tx, scope, by, 'conversation.assign', before.id, {
            before: { assigneeId: before.assigneeId },
            after: { assigneeId: after.assigneeId },
          })
        return renderConversation(after)
      }),

    /**
     * Upserts the contacts of these parties and updates their conversations: sets new names, and merges the two
     * conversations of a contact whose phone and LID had one each. The caller holds the Projects' locks. Returns each
     * party as stored now, in the order of `reported`.
     */
    async upsertContacts(tx: LockedDb, reported: ReportedContact[]): Promise<UpsertedContact[]> {
      const met = await contacts.upsertContacts(tx, reported)
      const changed = met.flatMap((one, index) => {
        const meeting = reported[index]
        return meeting && (one.merged || one.renamed)
          ? [{ ...one, instance: meeting.instance }]
          : []
      })
      for (const { instance, party, merged } of changed) {
        const { phone, lid } = party
        if (!merged || !phone || !lid) continue
        await merge(tx, instance, lid, {
          chatId: directChatId(party),
          chatType: 'direct',
          ...party,
        })
      }
      if (changed.length > 0) {
        // Keep only the last change per person: an UPDATE that joins several rows applies an arbitrary one.
        const last = new Map(
          changed.map((one) => [`${one.instance.id} ${one.party.phone ?? one.party.lid}`, one]),
        )
        const people = [...last.values()]
        await updateConversationIdentities(
          tx,
          people.map(({ instance }) => instance.id),
          people.map(({ party, renamed }) => ({ ...party, renamed })),
        )
      }
      return met
    },
  }
}

function renderConversation(row: ConversationRow): Conversation {
  const { id, instanceId, chatId, chatType, phone, lid, name, lastWaMessageId, lastType } = row
  return {
    id,
    instanceId,
    chat: { id: chatId, type: chatType, name },
    contact: chatType === 'direct' ? { phone, lid, name } : null,
    unreadCount: row.unreadCount,
    archived: row.archived,
    pinned: row.pinned,
    labelIds: row.labelIds,
    status: row.status,
    assignee:
      row.assigneeId !== null && row.assigneeEmail !== null
        ? { id: row.assigneeId, email: row.assigneeEmail, name: row.assigneeName }
        : null,
    lastMessage:
      lastWaMessageId && lastType
        ? {
            waMessageId: lastWaMessageId,
            type: lastType,
            text: row.lastText,
            fromMe: row.lastDirection === 'outbound',
            at: row.lastAt?.toISOString() ?? '',
          }
        : null,
    lastMessageStatus: row.lastStatus,
    lastMessageFrom:
      row.lastDirection === 'inbound'
        ? { phone: row.lastSenderPhone, lid: row.lastSenderLid, name: row.lastSenderName }
        : null,
    lastMessageAt: row.lastMessageAt?.toISOString() ?? null,
    waitingSince: row.waitingSince?.toISOString() ?? null,
    referral: row.referral,
  }
}
