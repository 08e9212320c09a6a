import { createBatcher } from '../kernel/batcher.ts'
import type { PendingWork } from '../kernel/pending-work.ts'
import { createSemaphore } from '../kernel/semaphore.ts'
import type { NetworkListener, SessionStatus } from '../networks/network-events.port.ts'
import type { BusTopics } from '../platform/bus/bus.port.ts'
import { isItemError } from '../platform/db/database-errors.ts'
import type { Db } from '../platform/db/sql.ts'
import type { InstancesService } from './instances.service.ts'
import type { NetworkEventHandler } from './network-event-handler.port.ts'
import type { createOpenSessions, OpenInstance, OpenSession } from './open-sessions.service.ts'
import type { InstanceTransition } from './status-changes.ts'
import { isFinal, toStored, toTransition } from './status-transitions.ts'

const STATUS_BATCH_SIZE = 128

/**
 * Creates the function that returns the listener of a session: it stores codes, statuses and restrictions, and passes
 * everything else to the handler.
 */
export function createSessionListeners(deps: {
  db: Db
  activity: PendingWork
  bus: BusTopics
  instances: InstancesService
  sessions: ReturnType<typeof createOpenSessions>
  handler: NetworkEventHandler
}): (instance: OpenInstance, entry: OpenSession) => NetworkListener {
  const { db, activity, bus, instances } = deps
  const { owner, entries: open } = deps.sessions

  /** Batches the changes of many sessions, as after a start; those of one session are stored one at a time. */
  const statuses = createBatcher<InstanceTransition, boolean>({
    flush: (transitions) => instances.transitionTogether(db, transitions),
    maxItems: STATUS_BATCH_SIZE,
    maxInFlight: 1,
    isItemError,
    activity,
  })

  return (instance, entry) => {
    // Serialized, because statements on different connections of the pool may overtake each other.
    const inOrder = createSemaphore(1)
    async function store(report: SessionStatus): Promise<void> {
      if (report.status === 'CODES_EXPIRED') {
        await instances.expireCodes(db, instance.id, owner)
        return
      }
      const change = toTransition(report)
      const changed = await statuses.add({ id: instance.id, owner, change })
      // The row was locked, or the change does not apply: retry alone, waiting for the lock.
      if (!changed) await instances.transition(db, instance.id, owner, change)
    }
    return {
      onCode(code) {
        entry.offersCodes = true
        return inOrder(() => instances.offerCode(db, instance.id, owner, code))
      },
      async onStatus(change) {
        // Ignore changes reported by a superseded session.
        if (open.get(instance.id) !== entry) return
        const sequence = ++entry.statusChanges
        entry.offersCodes = false
        if (change.status !== 'CONNECTED') entry.connected = false
        await inOrder(() => store(change))
        // A later change supersedes this one.
        if (entry.statusChanges !== sequence) return
        // Set after the commit: until then the stored status is CONNECTING, which `review` would take for a new request
        // to connect.
        entry.connected = change.status === 'CONNECTED'
        entry.ended = isFinal(change)
        if (change.status === 'CONNECTED') bus.publish('outbound', { instanceId: instance.id })
      },
      onRestriction: (restriction) =>
        inOrder(() =>
          instances.restrict(db, instance.id, owner, restriction && toStored(restriction)),
        ),
      onMessages: (messages) => deps.handler.onMessages(instance, messages),
      onReceipts: (receipts) => deps.handler.onReceipts(instance, receipts),
      onEvents: (reported) => deps.handler.onEvents(instance, reported),
      onHistory: (messages) => deps.handler.onHistory(instance, messages),
    }
  }
}
