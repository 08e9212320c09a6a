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
import { anyEventDue, deleteEvents, findDueEvents, unlinkInstance } from './simulator.sql.ts'
import { createVirtualPhones } from './virtual-phones.ts'
import { createSimulatedNetwork } from './simulated-network.ts'
import { nameInstance } from '../name-instance.ts'

const BATCH_SIZE = 500
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

  /** Delivers due events to the open sessions and deletes them once committed; true if more may be due. */
  async function deliverDueEvents(): Promise<boolean> {
    const ids = online()
    if (ids.length === 0) return false
    const due = await findDueEvents(db, ids, new Date(clock.now()), BATCH_SIZE)
    const byInstance = Map.groupBy(due, (row) => row.instanceId)
    const full = await Promise.all(
      [...byInstance].map(async ([instanceId, rows]) => {
        try {
          await sessions.get(instanceId)?.deliver(rows, (ids) => deleteEvents(db, ids))
          return rows.length === BATCH_SIZE
        } catch (error) {
          // A failing instance must not block the others; its events are retried on the next poll.
          onError(error, `instance ${instanceId}`)
          return false
        }
      }),
    )
    return full.includes(true)
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
    bus.subscribe('simulator', loop.wake),
    dueWatch.watch((now) => {
      const ids = online()
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
