import type { Mode } from '../kernel/config/config.ts'
import type { DailyTable } from '../platform/db/partitions.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import type { EventData, EventName } from './catalog/index.ts'
import type { KeptEnvelope, KeptEventQuery, KeptEvents, KeptKind } from './events.schemas.ts'
import { findEvents, insertEvents, type EventRow } from './events.sql.ts'
import { keepEvents, listKeptEvents } from './kept-events.sql.ts'

/** An event about to be recorded. */
export type EventDraft = {
  [Name in EventName]: {
    name: Name
    projectId: string
    mode: Mode
    instanceId: string
    data: EventData<Name>
  }
}[EventName]

/** A delivery that this node holds the lease of, with all it needs to be sent. */
export type LeasedDelivery = {
  id: number
  webhookId: string
  projectId: string
  webhookGeneration: number
  attempt: number
  dueAt: number
  event: { id: string; name: string; body: string }
}

/** The room `deliveries`, as the recording of events sees it; `app.ts` connects the two. */
export type DeliveryIntake = {
  lease(): { node: string; epoch: number; fullWebhooks: string[]; nodeFull: boolean }
  accept(deliveries: LeasedDelivery[]): void
}

export type RecordedEvent = EventRow

/** Hears of events once they are committed; `app.ts` connects it. `at` is when they were recorded. */
export type EventListener = { tell(events: RecordedEvent[], at: number): void }

export const LEASE_MS = 30_000
const KEPT_MS = 30 * 24 * 3600_000

/** For how long the histories of groups, labels and calls go back. */
export const keptEventTable: DailyTable = {
  name: 'event_history',
  isOver: (_tx, dayEnd, now) => dayEnd <= now - KEPT_MS,
}

/** Which group, label or call an event tells of; null for all others. */
function subjectOf(draft: EventDraft): { kind: KeptKind; subject: string } | null {
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

export type EventsService = ReturnType<typeof createEventsService>

/** Events, recorded in the transaction of the change that they tell of. Source: specification §2.5, 6.1. */
export function createEventsService(deps: { clock: Clock; intake: DeliveryIntake }) {
  const { clock, intake } = deps
  const listeners: EventListener['tell'][] = []
  return {
    /** Calls `listener` with the events of every transaction after its commit. */
    onRecorded(listener: EventListener['tell']): void {
      listeners.push(listener)
    },

    /** Records events and their deliveries in the caller's transaction; they leave after its commit. */
    async record(tx: Db, drafts: EventDraft[]): Promise<void> {
      if (drafts.length === 0) return
      const now = clock.now()
      const timestamp = new Date(now).toISOString()
      const events = drafts.map((draft) => {
        const id = newId('evt', now)
        const { name, instanceId, projectId, mode, data } = draft
        const envelope = { event: name, instanceId, timestamp, data: { eventId: id, ...data } }
        const body = JSON.stringify(envelope)
        return { id, projectId, mode, instanceId, name, body, about: subjectOf(draft) }
      })
      const lease = { ...intake.lease(), until: new Date(now + LEASE_MS) }
      const fresh = await insertEvents(tx, events, lease, new Date(now))
      const kept = events.flatMap(({ about, ...event }) => (about ? [{ ...event, ...about }] : []))
      if (kept.length > 0) await keepEvents(tx, kept, new Date(now))
      const byId = new Map(events.map((event) => [event.id, event]))
      const deliveries = fresh.flatMap(({ eventId, ...delivery }) => {
        const event = byId.get(eventId)
        return event
          ? [{ ...delivery, projectId: event.projectId, attempt: 1, dueAt: now, event }]
          : []
      })
      tx.afterCommit(() => {
        intake.accept(deliveries)
        for (const tell of listeners) tell(events, now)
      })
    },

    /** What happened to groups or labels, or which calls came, in the last 30 days: the newest first. */
    async history(
      db: Db,
      scope: Scope,
      instanceId: string,
      query: KeptEventQuery,
    ): Promise<KeptEvents> {
      const { limit, kind, subject = null, before = null } = query
      const filter = { kind, subject, before, limit: limit + 1, now: new Date(clock.now()) }
      const rows = await listKeptEvents(db, scope, instanceId, filter)
      const shown = rows.slice(0, limit)
      return {
        items: shown.map(({ body }) => JSON.parse(body) as KeptEnvelope),
        before: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
      }
    },

    /** Reads recorded events by id and time. */
    read: findEvents,
  }
}
