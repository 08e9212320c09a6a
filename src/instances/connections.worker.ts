import type { BusTopics } from '../platform/bus/bus.port.ts'
import type { Db } from '../platform/db/sql.ts'
import type { PendingWork } from '../kernel/pending-work.ts'
import { delay, type Clock } from '../kernel/clock.ts'
import { createLoop } from '../kernel/loop.ts'
import type { NodeRegistration } from '../platform/nodes/nodes.service.ts'
import type { NetworkOf } from '../networks/create-networks.ts'
import type { CredentialStore, NetworkAccount } from '../networks/network.port.ts'
import { deleteCredentials } from './credentials.sql.ts'
import { computeBalance, createHandoverLimiter } from './balance.ts'
import type { InstancesService } from './instances.service.ts'
import type { InstanceRow } from './instances.sql.ts'
import type { StatusTransition } from './status-changes.ts'
import {
  claimInstances,
  releaseInstances,
  findUnpairable,
  findExpiredRestrictions,
  findShares,
  findOpenStates,
} from './ownership.sql.ts'
import type { InstanceRenderer } from './render-instance.ts'
import type { createOpenSessions, OpenInstance, OpenSession } from './open-sessions.service.ts'
import { createReopenBackoff } from './reopen-backoff.ts'
import type { NetworkEventHandler } from './network-event-handler.port.ts'
import { createSessionListeners } from './session-listener.ts'
import { withDefaults } from './stored-settings.ts'

const POLL_MS = 2000
/** How often instances that are open on no node are unpaired, and expired restrictions are lifted. */
const CLEANUP_INTERVAL_MS = 10_000
const CLAIM_BATCH_SIZE = 500
/** Changes are timestamped before they commit, by nodes whose clocks differ, so reviews overlap by this much. */
const REVIEW_OVERLAP_MS = 60_000
const LOGOUT_TIMEOUT_MS = 10_000
const BAN_LIFTED: StatusTransition = { to: 'CONNECTING', from: ['BANNED'] }
const CONNECTION_LOST: StatusTransition = {
  to: 'DISCONNECTED',
  from: ['CONNECTING', 'CONNECTED'],
  reason: 'network',
  willReconnect: true,
}

/**
 * Starts the worker that maintains the connections of instances. Each instance that wants a connection is owned by one
 * live node, which opens the session, stores what it reports, and closes it when the connection is no longer wanted.
 */
export function startConnections(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  bus: BusTopics
  storeOf: (instanceId: string) => CredentialStore
  networkOf: NetworkOf
  instances: InstancesService
  renderer: InstanceRenderer
  /** The registry that this worker fills. */
  sessions: ReturnType<typeof createOpenSessions>
  node: Pick<NodeRegistration, 'onNodeDeath' | 'onLeaseLapse'>
  handler: NetworkEventHandler
  onError: (error: unknown, task?: string) => void
}): { stop(): Promise<void> } {
  const { db, clock, activity, bus, storeOf, networkOf, instances, renderer, onError } = deps
  const { owner, entries: open } = deps.sessions
  const reopenBackoff = createReopenBackoff(clock)
  const handoverAllowance = createHandoverLimiter(clock)

  const listenerFor = createSessionListeners({
    db,
    activity,
    bus,
    instances,
    sessions: deps.sessions,
    handler: deps.handler,
  })

  function accountOf(instance: OpenInstance): NetworkAccount {
    const { id: instanceId, projectId, mode, settings } = instance
    const { rejectCalls, downloadMedia } = settings
    const proxyUrl = renderer.openProxy(instanceId, settings)
    return {
      instanceId,
      projectId,
      mode,
      credentials: storeOf(instanceId),
      settings: {
        proxyUrl,
        rejectCalls,
        downloadMedia,
        // Read late, because the setting may change before the account is paired.
        get historySync() {
          return instance.settings.historySync
        },
      },
    }
  }

  async function openOne({
    id,
    projectId,
    mode,
    network: kind,
    ...row
  }: InstanceRow): Promise<void> {
    const settings = withDefaults(row.settings)
    const instance: OpenInstance = { id, projectId, mode, settings }
    const network = networkOf({ mode, network: kind })
    const proxy = settings.proxyUrlSealed
    const entry: OpenSession = {
      session: null,
      connected: false,
      offersCodes: false,
      ended: false,
      statusChanges: 0,
      instance,
      proxy,
    }
    open.set(id, entry)
    try {
      // Mark the instance as disconnected if its network is not installed, so that queued messages do not wait forever.
      if (!network) await instances.transition(db, id, owner, CONNECTION_LOST)
      else entry.session = network.open(accountOf(instance), listenerFor(instance, entry))
      reopenBackoff.opened(id)
    } catch (error) {
      open.delete(id)
      reopenBackoff.failed(id)
      throw error
    }
  }

  /** The instances being closed; each remains until its network has responded. */
  const closing = new Map<string, Promise<void>>()

  /** Closes an instance in the background, so that a slow network does not delay other instances. */
  function closeInBackground(id: string, work: () => Promise<void>): void {
    const ended = activity
      .run(() => guarded(id, work))
      .finally(() => {
        if (closing.get(id) === ended) closing.delete(id)
        loop.wake()
      })
    closing.set(id, ended)
  }

  /** The instances that this node must not claim: open ones, closing ones, and those in backoff. */
  const unclaimable = () => [...open.keys(), ...closing.keys(), ...reopenBackoff.ids()]

  async function closeOne(id: string, unpair: boolean): Promise<void> {
    const entry = open.get(id)
    if (!entry) return
    // Removed first, so that if a step below fails, the instance is claimed or unpaired again.
    open.delete(id)
    try {
      if (unpair && entry.session) {
        await Promise.race([entry.session.logout(), delay(clock, LOGOUT_TIMEOUT_MS)])
        await deleteCredentials(db, id)
      }
    } finally {
      // If the logout failed, ownership is kept: this node claims or unpairs the instance again at the next poll.
      await entry.session?.close()
    }
    await releaseInstances(db, owner, [id])
  }

  /** Unpairs instances that were logged out or removed while they were open on no node. */
  async function unpairUnowned(): Promise<void> {
    const held = [...open.keys(), ...closing.keys()]
    for (const row of await findUnpairable(db, owner, held, CLAIM_BATCH_SIZE)) {
      await guarded(row.id, async () => {
        const account = accountOf({ ...row, settings: withDefaults(row.settings) })
        await networkOf(row)?.unpair(account)
        await deleteCredentials(db, row.id)
      })
    }
  }

  /** Lifts expired restrictions, and reconnects instances whose temporary ban has expired. */
  async function liftRestrictions(): Promise<void> {
    for (const { id, status } of await findExpiredRestrictions(
      db,
      new Date(clock.now()),
      CLAIM_BATCH_SIZE,
    )) {
      await guarded(id, async () => {
        if (status === 'BANNED') await instances.transition(db, id, null, BAN_LIFTED)
        else await instances.restrict(db, id, null, null)
      })
    }
  }

  /** Runs `work` and reports its error, so that the failure of one instance does not affect the others. */
  async function guarded(id: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      onError(error, `managing the connection of instance ${id}`)
    }
  }

  let reviewedAt = 0

  async function review(): Promise<void> {
    const startedAt = clock.now()
    const since = new Date(Math.max(0, reviewedAt - REVIEW_OVERLAP_MS))
    const settled = new Set(
      [...open].flatMap(([id, { connected, ended: over }]) => (connected || over ? id : [])),
    )
    for (const row of await findOpenStates(db, owner, [...open.keys()], since)) {
      const entry = open.get(row.id)
      if (!entry || closing.has(row.id)) continue
      entry.instance.settings = withDefaults(row.settings)
      const stale = row.connectRequested && settled.has(row.id)
      const rerouted = row.settings.proxyUrlSealed !== entry.proxy
      if (row.wanted && !stale && !rerouted && !row.unpair) continue
      closeInBackground(row.id, async () => {
        // Change the status while this node owns the instance: once released, another node may connect it.
        if (row.wanted && rerouted && !row.unpair)
          await instances.transition(db, row.id, owner, CONNECTION_LOST)
        await closeOne(row.id, row.unpair)
      })
    }
    reviewedAt = startedAt
  }

  /** Closes part of this node's surplus, so that other nodes claim those instances. */
  function handOver(surplus: number, pace: number): void {
    // Those that cannot connect here, which come last, may connect elsewhere.
    const movable = [...open]
      .filter(([, { offersCodes }]) => !offersCodes)
      .toSorted(([, one], [, other]) => Number(other.connected) - Number(one.connected))
    const leaving = movable.slice(0, handoverAllowance(surplus, pace)).map(([id]) => id)
    for (const id of leaving) {
      closeInBackground(id, async () => {
        await closeOne(id, false)
        bus.publish('instances', null)
      })
    }
  }

  /** Closes every session without writing to the database, because other nodes may own the instances by now. */
  function closeAllSessions(): void {
    const entries = [...open]
    open.clear()
    for (const [id, { session }] of entries) {
      if (session) closeInBackground(id, () => session.close())
    }
  }

  async function tick(): Promise<boolean> {
    await review()
    const { room, free, held, surplus, pace } = computeBalance(await findShares(db), owner)
    // Instances being closed still count as held.
    handOver(Math.max(0, surplus - closing.size), pace)
    if (held <= open.size && Math.min(free, room) <= 0) return false
    const claim = { unclaimable: unclaimable(), most: Math.min(room, CLAIM_BATCH_SIZE) }
    const claimed = await claimInstances(db, owner, { ...claim, now: new Date(clock.now()) })
    for (const row of claimed) await guarded(row.id, () => openOne(row))
    for (const { id, projectId, mode } of claimed) bus.publish('instances', { id, projectId, mode })
    return claimed.length >= CLAIM_BATCH_SIZE
  }

  async function cleanUp(): Promise<boolean> {
    await unpairUnowned()
    await liftRestrictions()
    return false
  }

  const common = { clock, activity, onError }
  const managing = { task: 'managing connections', everyMs: () => POLL_MS, run: tick }
  const cleaning = {
    task: 'cleaning up connections',
    everyMs: () => CLEANUP_INTERVAL_MS,
    run: cleanUp,
  }
  const loop = createLoop({ ...common, ...managing })
  const cleanUpLoop = createLoop({ ...common, ...cleaning })
  const unsubscribe = bus.subscribe('instances', () => {
    loop.wake()
    cleanUpLoop.wake()
  })
  deps.node.onNodeDeath(loop.wake)
  deps.node.onLeaseLapse(closeAllSessions)
  loop.wake()
  return {
    async stop() {
      unsubscribe()
      await Promise.all([loop.stop(), cleanUpLoop.stop()])
      const ids = [...open.keys()]
      await Promise.all([
        ...closing.values(),
        ...[...open.values()].map(async ({ session }) => session?.close()),
      ])
      open.clear()
      await releaseInstances(db, owner, ids)
      // Wakes the other nodes, which claim the instances immediately.
      if (ids.length > 0) bus.publish('instances', null)
    },
  }
}
