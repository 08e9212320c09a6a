import type { BusTopics } from '../../platform/bus/bus.port.ts'
import { UNWATCHED_POLL_MS, type DueWatch } from '../../platform/db/due-watch.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import type { Capability, Network } from '../network.port.ts'
import type { VirtualPhones } from '../virtual-phones.port.ts'
import { createGroups } from './groups.ts'
import { deleteMessagesBefore } from './inbox.sql.ts'
import { openSession, type SimulatorFiles, type SimulatorSession } from './session.ts'
import {
  anyEventDue,
  deleteEvents,
  findDueEvents,
  unlinkInstance,
  type DueEvent,
} from './simulator.sql.ts'
import { createVirtualPhones } from './virtual-phones.ts'
import { createSimulatedNetwork } from './simulated-network.ts'
import { nameInstance } from '../name-instance.ts'

/** Maximum events of one instance that are read at once, and of all of them together. */
const BATCH_SIZE = 500
const MAX_EVENTS = 4000
const RETENTION_MS = 30 * 24 * 3600_000

/** All capabilities, so that it can stand in for any network. */
export const SIMULATOR_CAPABILITIES = new Set<Capability>([
  'codes',
  'groups',
  'changes',
  'phone',
  'history',
  'lookups',
  'polls',
  'viewOnce',
  'albums',
  'blocking',
  'publishing',
  'templates',
])

/**
 * Creates a network inside the product: phones are rows, and their events are queued in a table until the instance's
 * session, on whichever node it runs, has delivered them and the listener has committed them (G54).
 * `sweep` deletes expired phone messages.
 */
export function createSimulator(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  bus: BusTopics
  dueWatch: DueWatch
  files: SimulatorFiles
  onError: (error: unknown, task?: string) => void
}): { network: Network; phones: VirtualPhones; deleteExpiredMessages(db: Db): Promise<void> } {
  const { db, clock, activity, bus, dueWatch, files, onError } = deps
  const world = createSimulatedNetwork({ clock, publish: bus.publish })
  const groups = createGroups({ clock, world })
  const sessions = new Map<string, SimulatorSession>()

  const online = () => [...sessions].flatMap(([id, session]) => (session.canDeliver() ? [id] : []))

  /** Instances whose events are being delivered. */
  const busy = new Set<string>()
  /** Instances for which events were queued since the last round, and those of them that were busy then. */
  const named = new Set<string>()
  const woken = new Set<string>()
  const idle = () => online().filter((id) => !busy.has(id))

  /** Delivers due events of one instance. If it fails, they are delivered again with the next poll. */
  async function deliver(instanceId: string, rows: DueEvent[], isFull: boolean): Promise<void> {
    try {
      await sessions.get(instanceId)?.deliver(rows, (ids) => deleteEvents(db, ids))
      busy.delete(instanceId)
      if (woken.delete(instanceId) || isFull) loop.wake()
    } catch (error) {
      busy.delete(instanceId)
      woken.delete(instanceId)
      onError(error, `instance ${instanceId}`)
    }
  }

  /** Starts to deliver due events to the open sessions, each at its own pace: a slow one delays no other. */
  async function deliverDueEvents(): Promise<boolean> {
    for (const id of named) if (busy.has(id)) woken.add(id)
    named.clear()
    const ids = idle()
    if (ids.length === 0) return false
    const limits = { perInstance: BATCH_SIZE, most: MAX_EVENTS }
    const due = await findDueEvents(db, ids, new Date(clock.now()), limits)
    const isCut = due.length === MAX_EVENTS
    for (const [instanceId, rows] of Map.groupBy(due, (row) => row.instanceId)) {
      busy.add(instanceId)
      void activity.run(() => deliver(instanceId, rows, isCut || rows.length === BATCH_SIZE))
    }
    // Other instances may have due events beyond the limit.
    return isCut
  }

  const loop = createLoop({
    task: 'delivering messages between simulated phones',
    clock,
    activity,
    everyMs: () => UNWATCHED_POLL_MS,
    run: deliverDueEvents,
    onError,
  })
  const unsubscribe = [
    bus.subscribe('simulator', ({ instanceId }) => {
      // The end of its delivery wakes the loop.
      if (busy.has(instanceId)) woken.add(instanceId)
      else {
        named.add(instanceId)
        loop.wake()
      }
    }),
    dueWatch.watch((now) => {
      const ids = idle()
      return ids.length === 0 ? null : anyEventDue(db, ids, now)
    }, loop.wake),
  ]
  const wake = (instanceId: string) => bus.publish('simulator', { instanceId })

  const network: Network = {
    name: 'simulator',
    capabilities: SIMULATOR_CAPABILITIES,
    open(account, listener) {
      const { projectId, mode, instanceId } = account
      const session = openSession({
        db,
        clock,
        activity,
        account,
        listener,
        wake,
        world,
        groups,
        files,
        onError: nameInstance(onError, account.instanceId),
        showTyping({ chatId, typingMs: ms, recording = false }) {
          bus.publish('typing', {
            projectId,
            mode,
            instanceId,
            chatId,
            ms,
            recording,
          })
        },
      })
      sessions.set(account.instanceId, session)
      return {
        ...session,
        async close() {
          if (sessions.get(account.instanceId) === session) sessions.delete(account.instanceId)
          await session.close()
        },
      }
    },
    async unpair({ instanceId }) {
      await unlinkInstance(db, instanceId)
    },
    async stop() {
      for (const end of unsubscribe) end()
      await loop.stop()
    },
  }
  return {
    network,
    phones: createVirtualPhones({ clock, world, groups }),
    deleteExpiredMessages: (patient) =>
      deleteMessagesBefore(patient, new Date(clock.now() - RETENTION_MS)),
  }
}
