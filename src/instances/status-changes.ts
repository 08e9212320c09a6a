import type { EventsService } from '../events/events.service.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Mode } from '../kernel/config/config.ts'
import type { InstanceStatus } from '../model/vocabulary.ts'
import type { BusTopics } from '../platform/bus/bus.port.ts'
import type { Db } from '../platform/db/sql.ts'
import { storeRestriction, type Ownership } from './instances.sql.ts'
import { changeStatuses, type StatusChange } from './status.sql.ts'

/** A change to one of these statuses is recorded as an event (G22). */
const REPORTED_STATUSES = new Set<InstanceStatus>([
  'CONNECTED',
  'DISCONNECTED',
  'LOGGED_OUT',
  'BANNED',
  'STOPPED',
  'PASSKEY_REQUIRED',
])

/** A status change with defaults: from any status, without a reason. */
export type StatusTransition = Partial<StatusChange> & Pick<StatusChange, 'to'>
/** A status change of one instance; with `owner`, only while that node owns it. */
export type InstanceTransition = { id: string; owner: Ownership | null; change: StatusTransition }

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

  /** Records the events of changes that have one, and publishes the changes after the commit. */
  async function report(tx: Db, changes: Changed[]): Promise<void> {
    const reported = changes.filter(({ status }) => REPORTED_STATUSES.has(status))
    const drafts = reported.map(({ id: instanceId, projectId, mode, at, ...change }) => {
      const data = { ...change, at: at.toISOString() }
      return { name: 'instance.status' as const, projectId, mode, instanceId, data }
    })
    if (drafts.length > 0) await events.record(tx, drafts)
    tx.afterCommit(() => {
      for (const { id, projectId, mode } of changes) publish('instances', { id, projectId, mode })
    })
  }

  /** Changes the statuses that may change, in one transaction with their transition rows and events. */
  function change(
    db: Db,
    transitions: InstanceTransition[],
    locked: 'wait' | 'skip',
  ): Promise<boolean[]> {
    return db.transaction(async (tx) => {
      const full = transitions.map(({ change: partial, ...rest }) => ({
        ...rest,
        change: {
          from: null,
          reason: null,
          willReconnect: false,
          paired: null,
          restriction: null,
          at: now(),
          ...partial,
        },
      }))
      const moved = await changeStatuses(tx, full, locked)
      const changed = moved.flatMap(({ position, ...row }) => {
        const one = full[position]
        if (!one) return []
        const { to: status, reason, willReconnect, at } = one.change
        return [{ id: one.id, ...row, status, reason, willReconnect, at }]
      })
      if (changed.length > 0) await report(tx, changed)
      const positions = new Set(moved.map(({ position }) => position))
      return transitions.map((_, position) => positions.has(position))
    })
  }

  return {
    /**
     * Changes the status of an instance. With `owner`, only while that node owns the instance. Returns false if its
     * current status or owner does not allow the change.
     */
    async transition(
      db: Db,
      id: string,
      owner: Ownership | null,
      to: StatusTransition,
    ): Promise<boolean> {
      const [moved = false] = await change(db, [{ id, owner, change: to }], 'wait')
      return moved
    },

    /**
     * Changes the status of many instances together, the first change of each. Returns false also for one whose row is
     * locked, which would delay the others.
     */
    async transitionTogether(db: Db, transitions: InstanceTransition[]): Promise<boolean[]> {
      const first = new Map(transitions.toReversed().map((one) => [one.id, one]))
      const moved = await change(db, [...first.values()], 'skip')
      const done = new Set([...first.values()].filter((_, position) => moved[position]))
      return transitions.map((one) => done.has(one))
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
        await report(tx, [{ id, ...reported, reason: null, willReconnect, at }])
      })
    },
  }
}
