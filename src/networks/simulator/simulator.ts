import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import type { Network } from '../network.port.ts'
import type { VirtualPhones } from '../virtual-phones.port.ts'
import { createGroups } from './groups.ts'
import { dropInboxBefore } from './inbox.sql.ts'
import { openSession, type SimulatorFiles, type SimulatorSession } from './session.ts'
import { dropEvents, dueEvents, unlinkInstance } from './simulator.sql.ts'
import { createVirtualPhones } from './virtual-phones.ts'
import { createWorld } from './world.ts'

const POLL_MS = 1000
const BATCH = 500
const KEPT_MS = 30 * 24 * 3600_000

/**
 * Creates a network inside the product: phones are rows, and their events are queued in a table until the instance's
 * session, on whichever node it runs, has delivered them and the listener has committed them. Source: contract §3.
 * `sweep` deletes expired phone messages.
 */
export function createSimulator(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  bus: BusTopics
  files: SimulatorFiles
  onError: (error: unknown, task?: string) => void
}): { network: Network; phones: VirtualPhones; sweep(db: Db): Promise<void> } {
  const { db, clock, activity, bus, files, onError } = deps
  const world = createWorld({ clock, publish: bus.publish })
  const groups = createGroups({ clock, world })
  const sessions = new Map<string, SimulatorSession>()

  /** Delivers due events to the open sessions and deletes them once committed; true if more may be due. */
  async function tellDue(): Promise<boolean> {
    const online = [...sessions].filter(([, session]) => session.online()).map(([id]) => id)
    if (online.length === 0) return false
    const due = await dueEvents(db, online, new Date(clock.now()), BATCH)
    const byInstance = Map.groupBy(due, (row) => row.instanceId)
    const full = await Promise.all(
      [...byInstance].map(async ([instanceId, rows]) => {
        try {
          await sessions.get(instanceId)?.hear(rows, (ids) => dropEvents(db, ids))
          return rows.length === BATCH
        } catch (error) {
          // A failing instance must not block the others; its events are retried on the next poll.
          onError(error, `instance ${instanceId}`)
          return false
        }
      }),
    )
    return full.includes(true)
  }

  const loop = createLoop({ clock, activity, everyMs: () => POLL_MS, run: tellDue, onError })
  const unsubscribe = bus.subscribe('simulator', loop.wake)
  const wake = (instanceId: string) => bus.publish('simulator', { instanceId })

  const network: Network = {
    name: 'simulator',
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
        onError,
        showTyping({ chatId, typingMs: ms }) {
          bus.publish('typing', {
            projectId,
            mode,
            instanceId,
            chatId,
            ms,
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
    async forget({ instanceId }) {
      await unlinkInstance(db, instanceId)
    },
    async stop() {
      unsubscribe()
      await loop.stop()
    },
  }
  return {
    network,
    phones: createVirtualPhones({ clock, world, groups }),
    sweep: (patient) => dropInboxBefore(patient, new Date(clock.now() - KEPT_MS)),
  }
}
