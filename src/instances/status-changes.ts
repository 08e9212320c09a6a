import type { EventsService } from '../events/events.service.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Mode } from '../kernel/config/config.ts'
import type { InstanceStatus } from '../model/records.schemas.ts'
import type { BusTopics } from '../platform/bus/bus.port.ts'
import type { Db } from '../platform/db/sql.ts'
import {
  changeStatus,
  storeRestriction,
  type Ownership,
  type StatusChange,
  type StatusTransition,
} from './instances.sql.ts'

/** A change to one of these statuses is recorded as an event (G22). */
const REPORTED_STATUSES = new Set<InstanceStatus>([
  'CONNECTED',
  'DISCONNECTED',
  'LOGGED_OUT',
  'BANNED',
  'STOPPED',
  'PASSKEY_REQUIRED',
])

/** An instance after a change, with what its event reports. */
type Changed = {
  id: string
  projectId: string
  mode: Mode
  phone: string | null
  status: InstanceStatus
  previousStatus: InstanceStatus
  reason: string | null
  willReconnect: boolean
  at: Date
}

/** Creates the functions that change the status and the restriction of instances. */
export function createStatusChanges(deps: {
  clock: Clock
  events: EventsService
  publish: BusTopics['publish']
}) {
  const { clock, events, publish } = deps
  const now = () => new Date(clock.now())

  /** Records the event of a change, if it has one, and publishes the change after the commit. */
  async function report(tx: Db, { id, projectId, mode, at, ...change }: Changed): Promise<void> {
    if (REPORTED_STATUSES.has(change.status)) {
      const data = { ...change, at: at.toISOString() }
      await events.record(tx, [{ name: 'instance.status', projectId, mode, instanceId: id, data }])
    }
    tx.afterCommit(() => publish('instances', { id, projectId, mode }))
  }

  return {
    /**
     * Changes the status of an instance, in one transaction with its transition row and its event. With `owner`, only
     * while that node owns the instance. Returns false if its current status does not allow the change.
     */
    transition(
      db: Db,
      id: string,
      owner: Ownership | null,
      change: StatusTransition,
    ): Promise<boolean> {
      return db.transaction(async (tx) => {
        const full: StatusChange = {
          from: null,
          reason: null,
          willReconnect: false,
          paired: null,
          restriction: null,
          at: now(),
          ...change,
        }
        const moved = await changeStatus(tx, id, owner, full)
        if (!moved) return false
        const { projectId, mode, previousStatus, phone } = moved
        const { to: status, reason, willReconnect, at } = full
        const reported = { projectId, mode, phone, previousStatus }
        await report(tx, { id, ...reported, status, reason, willReconnect, at })
        return true
      })
    },

    /** Stores a restriction imposed by the network, or null to lift it; records an event if it changed. */
    async restrict(
      db: Db,
      id: string,
      owner: Ownership | null,
      restriction: { type: string; until: string | null } | null,
    ): Promise<void> {
      await db.transaction(async (tx) => {
        const at = now()
        const changed = await storeRestriction(tx, id, owner, restriction, at)
        if (!changed) return
        const { projectId, mode, phone, status } = changed
        const willReconnect = status === 'DISCONNECTED'
        const reported = { projectId, mode, phone, status, previousStatus: status }
        await report(tx, { id, ...reported, reason: null, willReconnect, at })
      })
    },
  }
}
