import {
  lockFreeProjects,
  lockProjects,
  type LockedDb,
} from '../../company/projects/projects.service.ts'
import type { BillingService } from '../../company/billing/billing.service.ts'
import type { ConversationsService } from '../conversations/conversations.service.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { EventsService } from '../../events/events.service.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import { traceFirstStep } from './trace-message.ts'
import type { Tracing } from '../../platform/tracing/tracing.port.ts'
import { isItemError } from '../../platform/db/database-errors.ts'
import type { Fence } from '../../instances/fence.service.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { createBatcher } from '../../kernel/batcher.ts'
import type { FairSemaphore } from '../../kernel/fair-semaphore.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { MediaService } from '../../media/media.service.ts'
import type { InboundMessage } from '../../networks/network-events.port.ts'
import type { NetworkSession } from '../../networks/network.port.ts'
import { saveVotes } from './change.sql.ts'
import { createLockedLanes } from './locked-lane.ts'
import type { IncomingMessage, InboundChanges } from './inbound-changes.service.ts'
import type { MessageListener } from './message-listener.ts'
import {
  draftKeyOf,
  deduplicate,
  keyOf,
  storageKeyOf,
  toDraft,
  UNKNOWN_PARTY,
  upsertPeople,
  votesOf,
  type Received,
  type ReceivingInstance,
} from './received-drafts.ts'
import { summarizeReceived } from './summarize-received.ts'
import {
  deleteHistoric,
  findStored,
  insertReceived,
  readStored,
  reapplyChanges,
  updateConversations,
} from './receive.sql.ts'
import { renderMessage, type MessageRow } from '../../model/message.ts'

type Download = NetworkSession['download']

const MAX_BATCH_SIZE = 256
/** The result for a message whose Project is locked. */
const LOCKED = Symbol('locked')

/** A message to store; `historicId` is the id of the history row that it replaces. */
type Known = Received & { historicId: string | null }

/** Records the messages that networks report as received. */
export type ReceivedRecorder = {
  /**
   * Stores messages and returns the new rows after the commit. `download` fetches attached files; null leaves them on
   * the network.
   */
  receive(
    instance: ReceivingInstance,
    messages: InboundMessage[],
    download: Download | null,
  ): Promise<MessageRow[]>
}

/**
 * Creates the recorder of received messages. It writes messages, conversations, daily counts and events in one
 * transaction for all messages that arrive together, on any instance.
 */
export function createReceivedRecorder(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  billing: BillingService
  events: EventsService
  fence: Fence
  conversations: ConversationsService
  media: MediaService
  changes: Pick<InboundChanges, 'findRefused' | 'applyPending' | 'recordRefusedMessage'>
  listener: MessageListener
  metrics: Metrics
  tracing: Tracing
  /** The turns of messages whose Project is locked. */
  lockTurns: FairSemaphore
}): ReceivedRecorder {
  const {
    db,
    clock,
    activity,
    billing,
    events,
    fence,
    conversations,
    media,
    changes,
    listener,
    tracing,
    lockTurns,
  } = deps
  const undecryptable = deps.metrics.counter(
    'inbound_undecryptable_total',
    'Received messages that could not be decrypted when they arrived',
  )

  /**
   * Removes names from redelivered messages, which may be older than the stored ones. A message known only from the
   * history counts as new and replaces that row, under its id. Drops messages with the id of another author's message.
   */
  async function resolveStored(tx: Db, entries: Received[]): Promise<Known[]> {
    const stored = await findStored(tx, entries.map(storageKeyOf))
    // A readable message is not replaced by an undecryptable one.
    const historic = stored
      .filter((one) => one.historic && one.sameAuthor)
      .filter(({ position }) => entries[position]?.message.type !== 'undecryptable')
      .map(({ id }) => id)
    const byIndex = new Map(stored.map((one) => [one.position, one]))
    return entries.flatMap(({ message, ...entry }, index): Known[] => {
      const one = byIndex.get(index)
      if (!one) return [{ ...entry, message, historicId: null }]
      if (!one.sameAuthor) {
        changes.recordRefusedMessage(entry.instance.id, message)
        return []
      }
      const nameless = { ...message, sender: { ...message.sender, name: null }, chatName: null }
      return [
        { ...entry, message: nameless, historicId: historic.includes(one.id) ? one.id : null },
      ]
    })
  }

  /** Builds the rows of the messages that are not refused. `later` are the later changes of historic ones. */
  async function prepare(tx: LockedDb, arrived: Received[]) {
    const byDraft = new Map<string, Received>()
    const entries = await resolveStored(tx, arrived)
    const people = await upsertPeople(conversations, tx, entries)
    const prepared = entries.map((entry, index) => {
      const { sender, peer } = people[index] ?? { sender: UNKNOWN_PARTY, peer: UNKNOWN_PARTY }
      const fresh = toDraft(entry, { sender, peer }, clock.now())
      const draft = { ...fresh, id: entry.historicId ?? fresh.id }
      return { ...entry, draft, sender, chatId: draft.chatId }
    })
    // One batch may name a contact by phone as well as by LID.
    const distinct = [...deduplicate(prepared, draftKeyOf).values()]
    const refused: Set<IncomingMessage> = await changes.findRefused(tx, distinct)
    const drafts = distinct.flatMap((entry) => {
      if (refused.has(entry)) return []
      byDraft.set(entry.draft.id, entry)
      return [entry.draft]
    })
    // Not those of refused messages, whose rows stay as they are.
    const historic = distinct.flatMap((entry) =>
      refused.has(entry) ? [] : (entry.historicId ?? []),
    )
    const later = historic.length > 0 ? await deleteHistoric(tx, historic) : []
    return { drafts, byDraft, later }
  }

  /**
   * Stores messages; returns the new rows, and `LOCKED` for those whose Project another transaction has locked. With
   * `waits`, waits for the locks instead.
   */
  async function store(
    arrived: Received[],
    waits: boolean,
  ): Promise<(MessageRow | null | typeof LOCKED)[]> {
    const startedAt = clock.now()
    let batch: Received[] = []
    let byDraft = new Map<string, Received>()
    const rows = await db.transaction(async (unlocked) => {
      const now = new Date(clock.now())
      const projectIds = [...new Set(arrived.map(({ instance }) => instance.projectId))]
      const { tx, locked } = waits
        ? { tx: await lockProjects(unlocked, projectIds), locked: new Set(projectIds) }
        : await lockFreeProjects(unlocked, projectIds)
      batch = arrived.filter(({ instance }) => locked.has(instance.projectId))
      if (batch.length === 0) return []
      // Deduplicate within the batch: one inserted row must not be returned for two entries.
      const first = deduplicate(batch, keyOf)
      await fence.lockOwnership(
        tx,
        batch.map(({ instance }) => instance.id),
      )
      const { drafts, later, ...prepared } = await prepare(tx, [...first.values()])
      byDraft = prepared.byDraft
      const fresh = await insertReceived(tx, drafts, billing.today(), now)
      if (fresh.length === 0) return fresh
      await reapplyChanges(tx, later)
      const changed = await changes.applyPending(tx, fresh)
      const ids = fresh.map((row) => row.id)
      const replaced = new Set(fresh.filter((row) => row.replaced).map((row) => row.id))
      const isSame = changed.length === 0 && later.length === 0
      const written = isSame ? fresh : await readStored(tx, ids)
      for (const row of written) if (row.type === 'undecryptable') undecryptable.inc()
      await saveVotes(tx, votesOf(written))
      const added = written.filter((row) => !replaced.has(row.id))
      const before = new Map(
        fresh.map((row) => [
          row.conversationId,
          {
            lastMessageAt: row.conversationLastAt,
            waitingSince: row.conversationWaitingSince,
          },
        ]),
      )
      await updateConversations(tx, summarizeReceived(written, replaced, before))
      for (const [projectId, count] of countTestMessages(added, byDraft)) {
        await billing.countReceived(tx, projectId, count)
      }
      await listener.onReceived(tx, written)
      await events.record(
        tx,
        written
          // Receivers deduplicate by message id and would skip the decrypted message that replaces this one.
          .filter((row) => row.type !== 'undecryptable')
          .map((row) => ({
            ...(row.direction === 'outbound' ? { optIn: 'outbound' as const } : {}),
            name: 'message.received' as const,
            projectId: row.projectId,
            mode: row.mode,
            instanceId: row.instanceId,
            data: { waMessageId: row.waMessageId, message: renderMessage(row) },
          })),
      )
      return written
    })
    traceFirstStep({ tracing, clock }, 'message.receive', rows.filter(isReadable), startedAt)
    const byKey = new Map(
      rows.flatMap((row) => {
        const entry = byDraft.get(row.id)
        return entry ? [[keyOf(entry), row]] : []
      }),
    )
    const lockedEntries = new Set(batch)
    return arrived.map((entry) => {
      if (!lockedEntries.has(entry)) return LOCKED
      const row = byKey.get(keyOf(entry)) ?? null
      byKey.delete(keyOf(entry))
      return row
    })
  }

  const batcher = createBatcher({
    flush: (batch: Received[]) => store(batch, false),
    maxItems: MAX_BATCH_SIZE,
    keyOf: ({ instance }) => instance.projectId,
    maxInFlight: 1,
    isItemError,
    activity,
  })
  const lanes = createLockedLanes<{ projectId: string; entry: Received }, MessageRow | null>({
    turns: lockTurns,
    maxItems: MAX_BATCH_SIZE,
    async accept(waiting) {
      const entries = waiting.map(({ entry }) => entry)
      return (await store(entries, true)).map((row) => (row === LOCKED ? null : row))
    },
    isItemError,
  })
  /** Stores a message; returns its row, or null if it is stored already or refused. */
  async function add(entry: Received): Promise<MessageRow | null> {
    const { projectId } = entry.instance
    // Queue behind the waiting messages of the Project.
    const row = lanes.isOpen(projectId) ? LOCKED : await batcher.add(entry)
    return row === LOCKED ? activity.run(() => lanes.add({ projectId, entry })) : row
  }
  return {
    async receive(instance, messages, download) {
      const mediaIds = await Promise.all(
        messages.map(async (message) =>
          message.media ? media.receive(instance, message.media, download) : null,
        ),
      )
      const rows = await Promise.all(
        messages.map((message, index) =>
          add({ instance, message, mediaId: mediaIds[index] ?? null }),
        ),
      )
      return rows.filter((row) => row !== null)
    },
  }
}

/** The trace of an undecryptable message starts once it has been replaced. */
const isReadable = ({ type }: MessageRow) => type !== 'undecryptable'
/** Counts received test-mode messages by Project, except those the simulator already counted. */
function countTestMessages(rows: MessageRow[], byDraft: Map<string, Received>): [string, number][] {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const entry = byDraft.get(row.id)
    if (row.mode !== 'test' || row.direction !== 'inbound' || entry?.message.alreadyCounted)
      continue
    counts.set(row.projectId, (counts.get(row.projectId) ?? 0) + 1)
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
}
