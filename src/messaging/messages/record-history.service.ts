import { lockProjects, type LockedDb } from '../../company/projects/projects.service.ts'
import type { EventsService } from '../../events/events.service.ts'
import type { Fence } from '../../instances/fence.service.ts'
import { isDataError } from '../../platform/db/database-errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FairSemaphore } from '../../kernel/fair-semaphore.ts'
import type { MediaService } from '../../media/media.service.ts'
import { renderMessage, type MessageRow } from '../../model/message.ts'
import type { HistoricMessage, InboundMessage } from '../../networks/network-events.port.ts'
import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { ConversationsService } from '../conversations/conversations.service.ts'
import { saveVotes, starMessages } from './change.sql.ts'
import type { InboundChanges } from './inbound-changes.service.ts'
import { findStored, insertReceived, readStored, updateConversations } from './receive.sql.ts'
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
import { summarizeHistory } from './summarize-received.ts'

const isStarred = ({ message }: Received) => 'starred' in message && message.starred
const UNKNOWN_PEOPLE = { sender: UNKNOWN_PARTY, peer: UNKNOWN_PARTY }

/** Records history; see `createHistoryRecorder`. */
export type HistoryRecorder = ReturnType<typeof createHistoryRecorder>

/** Creates the recorder of the history that a phone shares. */
export function createHistoryRecorder(deps: {
  db: Db
  clock: Clock
  fence: Fence
  turns: FairSemaphore
  conversations: ConversationsService
  media: MediaService
  events: EventsService
  changes: Pick<InboundChanges, 'applyPending'>
  metrics: Metrics
  publish: BusTopics['publish']
  onError: (error: unknown, task?: string) => void
}) {
  const { db, clock, fence, turns, conversations, media, events, changes, publish, onError } = deps
  const imported = deps.metrics.counter(
    'history_messages_total',
    'Messages of the past that phones have shared and that were not stored yet',
  )

  async function store(instance: ReceivingInstance, batch: Received[]): Promise<number> {
    return turns(instance.projectId, () =>
      db.transaction(async (unlocked) => {
        const tx = await lockProjects(unlocked, [instance.projectId])
        await fence.lockOwnership(tx, [instance.id])
        const people = await upsertPeople(conversations, tx, batch)
        const prepared = batch.map((entry, index) => ({
          ...entry,
          draft: toDraft(entry, people[index] ?? UNKNOWN_PEOPLE, clock.now()),
        }))
        const distinct = [...deduplicate(prepared, draftKeyOf).values()]
        const drafts = distinct.map(({ draft }) => draft)
        const fresh = await insertReceived(tx, drafts, null, new Date(clock.now()))
        if (fresh.length === 0) return 0
        const starred = distinct.filter(isStarred).map(({ draft }) => draft.id)
        await starMessages(tx, starred)
        const changed = await changes.applyPending(tx, fresh)
        await saveVotes(tx, votesOf(fresh))
        await updateConversations(tx, summarizeHistory(fresh))
        const ids = fresh.map(({ id }) => id)
        const isSame = changed.length === 0 && starred.length === 0
        await announce(tx, isSame ? fresh : await readStored(tx, ids))
        return fresh.length
      }),
    )
  }

  /** Records events for subscribed webhooks. */
  const announce = (tx: LockedDb, rows: MessageRow[]) =>
    events.record(
      tx,
      rows
        .filter(({ type }) => type !== 'undecryptable')
        .map((row) => ({
          optIn: 'backfill',
          name: 'message.received',
          projectId: row.projectId,
          mode: row.mode,
          instanceId: row.instanceId,
          data: { waMessageId: row.waMessageId, message: renderMessage(row), backfill: true },
        })),
    )

  const report = ({ waMessageId }: InboundMessage, { id }: ReceivingInstance, cause: unknown) =>
    onError(new Error(`cannot store history of instance ${id}, dropped: ${waMessageId}`, { cause }))

  /** Stores messages as a batch, or one by one if the database rejects it, dropping the bad ones. */
  async function storeAll(instance: ReceivingInstance, batch: Received[]): Promise<number> {
    try {
      return await store(instance, batch)
    } catch (error) {
      if (!isDataError(error)) throw error
      const [only] = batch
      if (only && batch.length === 1) report(only.message, instance, error)
    }
    let stored = 0
    if (batch.length > 1) for (const one of batch) stored += await storeAll(instance, [one])
    return stored
  }

  return {
    /**
     * Stores history messages that are not stored yet, with their conversations and contacts.
     * Only webhooks with `backfill` receive events (G94). The messages count as neither received
     * nor unread and start no wait; their files stay on the network until they are downloaded.
     */
    async record(instance: ReceivingInstance, messages: HistoricMessage[]): Promise<void> {
      const entries = messages.map((message) => ({ instance, message, mediaId: null }))
      const stored = await findStored(db, entries.map(storageKeyOf))
      const known = new Set(stored.map(({ position }) => position))
      const fresh = new Map(
        entries
          .filter((_, index) => !known.has(index))
          .map((entry) => [keyOf(entry), entry.message]),
      )
      if (fresh.size === 0) return
      const batch: Received[] = []
      for (const message of fresh.values()) {
        try {
          const mediaId = message.media ? await media.receive(instance, message.media, null) : null
          batch.push({ instance, message, mediaId })
        } catch (error) {
          if (!isDataError(error)) throw error
          report(message, instance, error)
        }
      }
      if (batch.length === 0) return
      const count = await storeAll(instance, batch)
      imported.inc(count)
      if (count === 0) return
      const { projectId, mode } = instance
      for (const what of ['conversations', 'messages'] as const)
        publish('changes', { projectId, mode, what })
    },
  }
}
