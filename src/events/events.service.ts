import type { Mode } from '../kernel/config/config.ts'
import type { DailyPartitionedTable } from '../platform/db/partitions.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import type { EventData, EventName } from './catalog/index.ts'
import type {
  HistoryEnvelope,
  EventHistoryQuery,
  EventHistory,
  HistoryKind,
  OptIn,
} from './events.schemas.ts'
import {
  findEvents,
  findOptIns,
  insertEvents,
  type EventFacets,
  type EventRow,
  type IntakeLease,
} from './events.sql.ts'
import { insertEventHistory, listEventHistory } from './event-history.sql.ts'

/** An event to record; its id and timestamp are assigned by `record`. */
export type EventDraft = {
  [Name in EventName]: {
    name: Name
    projectId: string
    mode: Mode
    instanceId: string
    data: EventData<Name>
    /** Delivered only to webhooks with this option; neither streamed nor added to the history. */
    optIn?: OptIn
  }
}[EventName]

/** A delivery leased to this node, with everything needed to send it. `dueAt` is in epoch milliseconds. */
export type LeasedDelivery = {
  id: number
  webhookId: string
  projectId: string
  webhookGeneration: number
  attempt: number
  dueAt: number
  event: { id: string; name: string; body: string }
}

/** The part of the deliveries worker that event recording uses: its current lease and its queue. */
export type DeliveryIntake = {
  lease(): IntakeLease
  accept(deliveries: LeasedDelivery[]): void
}

/** An event as recorded, with its serialized envelope. */
export type RecordedEvent = EventRow

/** Receives events after their transaction commits; `at` is when they were recorded, in epoch milliseconds. */
export type EventsListener = { onEvents(events: RecordedEvent[], at: number): void }

/** How long a node may hold a delivery before another node may claim it. */
export const LEASE_MS = 30_000
const HISTORY_RETENTION_MS = 30 * 24 * 3600_000

/** Retention of the group, label and call history: 30 days. */
export const eventHistoryTable: DailyPartitionedTable = {
  name: 'event_history',
  isExpired: (_tx, dayEnd, now) => dayEnd <= now - HISTORY_RETENTION_MS,
}

/** Returns the group, label or call that an event is about; null for events that have no history. */
function subjectOf(draft: EventDraft): { kind: HistoryKind; subject: string } | null {
  switch (draft.name) {
    case 'group.participants':
    case 'group.updated':
      return { kind: 'group', subject: draft.data.groupId }
    case 'label.updated':
      return { kind: 'label', subject: draft.data.label.id }
    case 'label.association':
      return { kind: 'label', subject: draft.data.labelId }
    case 'call.received':
      return { kind: 'call', subject: draft.data.callId }
    default:
      return null
  }
}

/** Returns the properties by which webhooks can filter an event. */
function facetsOf(draft: EventDraft): EventFacets {
  const { optIn = null } = draft
  const none = { chatType: null, direction: null, kind: null, optIn }
  switch (draft.name) {
    case 'message.received': {
      const { chat, direction, type } = draft.data.message
      return { chatType: chat.type, direction, kind: type, optIn }
    }
    case 'message.status':
      return { ...none, chatType: draft.data.chat.type, direction: 'outbound' }
    case 'message.deleted':
      return { ...none, chatType: draft.data.chat.type }
    default:
      return none
  }
}

/** Removes opt-in events to which no webhook of their scope subscribes, so that they cost only one query. */
async function dropUnsubscribed(tx: Db, drafts: EventDraft[]): Promise<EventDraft[]> {
  const optional = drafts.filter(({ optIn }) => optIn !== undefined)
  if (optional.length === 0) return drafts
  const asked = await findOptIns(tx, [...new Set(optional.map(({ projectId }) => projectId))])
  return drafts.filter(
    ({ optIn, projectId, mode }) =>
      optIn === undefined || asked.has(`${projectId} ${mode} ${optIn}`),
  )
}

/** Records events and reads them back; see `createEventsService`. */
export type EventsService = ReturnType<typeof createEventsService>

/**
 * Creates the events service, an outbox: events are recorded in the transaction of the change that they report (G45).
 */
export function createEventsService(deps: { clock: Clock; intake: DeliveryIntake }) {
  const { clock, intake } = deps
  const listeners: EventsListener['onEvents'][] = []
  return {
    /** Registers `listener`, which is called after each commit with the events of that transaction. */
    onRecorded(listener: EventsListener['onEvents']): void {
      listeners.push(listener)
    },

    /** Records events and their deliveries in the caller's transaction; sending starts after its commit. */
    async record(tx: Db, drafts: EventDraft[]): Promise<void> {
      const wanted = await dropUnsubscribed(tx, drafts)
      if (wanted.length === 0) return
      const now = clock.now()
      const timestamp = new Date(now).toISOString()
      const events = wanted.map((draft) => {
        const id = newId('evt', now)
        const { name, instanceId, projectId, mode, data } = draft
        const envelope = { event: name, instanceId, timestamp, data: { eventId: id, ...data } }
        const body = JSON.stringify(envelope)
        const facets = facetsOf(draft)
        return { id, projectId, mode, instanceId, name, body, ...facets, about: subjectOf(draft) }
      })
      const lease = { ...intake.lease(), until: new Date(now + LEASE_MS) }
      const fresh = await insertEvents(tx, events, lease, new Date(now))
      const kept = events.flatMap(({ about, ...event }) => (about ? [{ ...event, ...about }] : []))
      if (kept.length > 0) await insertEventHistory(tx, kept, new Date(now))
      const byId = new Map(events.map((event) => [event.id, event]))
      const deliveries = fresh.flatMap(({ eventId, ...delivery }) => {
        const event = byId.get(eventId)
        return event
          ? [{ ...delivery, projectId: event.projectId, attempt: 1, dueAt: now, event }]
          : []
      })
      tx.afterCommit(() => {
        intake.accept(deliveries)
        const usual = events.filter(({ optIn }) => optIn === null)
        for (const notify of listeners) notify(usual, now)
      })
    },

    /** Returns a page of group, label or call events of an instance from the last 30 days, newest first. */
    async history(
      db: Db,
      scope: Scope,
      instanceId: string,
      query: EventHistoryQuery,
    ): Promise<EventHistory> {
      const { limit, kind, subject = null, before = null } = query
      const filter = { kind, subject, before, limit: limit + 1, now: new Date(clock.now()) }
      const rows = await listEventHistory(db, scope, instanceId, filter)
      const shown = rows.slice(0, limit)
      return {
        items: shown.map(({ body }) => JSON.parse(body) as HistoryEnvelope),
        before: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
      }
    },

    /** Reads recorded events by id and creation time, which selects the partition. */
    read: findEvents,
  }
}
