import type { Mode } from '../config/config.ts'
import type { Db } from '../db/sql.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { EventData, EventName } from './catalog/index.ts'
import { findEvents, insertEvents, type EventRow } from './events.sql.ts'

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
export type EventsService = ReturnType<typeof createEventsService>

/** Events, recorded in the transaction of the change that they tell of. Source: specification §2.5, 6.1. */
export function createEventsService(deps: {
  clock: Clock
  intake: DeliveryIntake
  listener: EventListener
}) {
  const { clock, intake, listener } = deps
  return {
    /** Records events and their deliveries in the caller's transaction; they leave after its commit. */
    async record(tx: Db, drafts: EventDraft[]): Promise<void> {
      if (drafts.length === 0) return
      const now = clock.now()
      const timestamp = new Date(now).toISOString()
      const events = drafts.map((draft) => {
        const id = newId('evt', now)
        const { name, instanceId, projectId, mode, data } = draft
        const envelope = { event: name, instanceId, timestamp, data: { eventId: id, ...data } }
        return { id, projectId, mode, instanceId, name, body: JSON.stringify(envelope) }
      })
      const lease = { ...intake.lease(), until: new Date(now + LEASE_MS) }
      const fresh = await insertEvents(tx, events, lease, new Date(now))
      const byId = new Map(events.map((event) => [event.id, event]))
      const deliveries = fresh.flatMap(({ eventId, ...delivery }) => {
        const event = byId.get(eventId)
        return event
          ? [{ ...delivery, projectId: event.projectId, attempt: 1, dueAt: now, event }]
          : []
      })
      tx.afterCommit(() => {
        intake.accept(deliveries)
        listener.tell(events, now)
      })
    },

    /** Reads recorded events by id and time. */
    read: findEvents,
  }
}
