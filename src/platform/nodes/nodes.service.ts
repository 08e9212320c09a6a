import type { Database } from '../db/database.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import {
  sendHeartbeat,
  deregisterNode,
  releaseEarlierLeases,
  PRESENCE_LOCK,
  readDatabaseTime,
  registerNode,
  removeDeadNodes,
  type NodeRow,
} from './nodes.sql.ts'

export { listNodes, lockDraining, PRESENCE_LOCK, setDraining } from './nodes.sql.ts'

const HEARTBEAT_INTERVAL_MS = 900
/** A node is dead when it has lost its connection to PostgreSQL and its last heartbeat is older than this… */
const DISCONNECTED_TIMEOUT_MS = 600
/**
 * …or when its last heartbeat is older than this, even if it still appears connected: its machine may be suspended or
 * cut off.
 */
const HEARTBEAT_TIMEOUT_MS = 6000
/**
 * After this node has had trouble reaching the database, other nodes may have the same trouble, so for this long a lost
 * connection alone does not prove that a node is dead.
 */
const RECOVERY_GRACE_MS = 5000
const RENEWED_WITHIN_MS = 5000

/** This process's registration among the nodes that share the database. `epoch` is its fencing token. */
export type NodeRegistration = {
  id: string
  epoch: number
  /** Whether another node was alive at the last heartbeat. */
  othersAlive(): boolean
  /** The number of live nodes, including this one. */
  aliveNodes(): number
  /** Whether this node wrote its heartbeat within the last five seconds. */
  heartbeatRecent(): boolean
  /** Calls `react` after another node was found dead and removed, so that its instances are free. */
  onNodeDeath(react: () => void): void
  /**
   * Calls `react` when other nodes may consider this node dead: it has failed to renew its lease for half the lease's
   * duration, or another node has already removed it.
   */
  onLeaseLapse(react: () => void): void
  /** Stops the heartbeat and removes this node. */
  stop(): Promise<void>
}

/**
 * Registers this node and sends heartbeats. Each heartbeat also reads the database time, which all nodes follow. The
 * silence of other nodes is measured on this node's monotonic clock and only while its own heartbeats succeed, so
 * neither clock jumps nor a database outage make a live node look dead. Throws StartFault when another node stores
 * files elsewhere.
 */
export async function startNode(deps: {
  db: Database
  clock: Clock
  activity: PendingWork
  nodeId: string
  /** Memory of this node in MiB, by which instances are shared between nodes. */
  capacityMb: number
  /** Names the place where this node stores files. */
  mediaStore: string
  followDatabaseClock: boolean
  /** Called when a heartbeat fails; an embedded database may have to be restarted. */
  onError: (error: unknown, task?: string) => void
}): Promise<NodeRegistration> {
  const {
    db,
    clock,
    activity,
    nodeId,
    capacityMb: capacity,
    mediaStore,
    followDatabaseClock,
    onError,
  } = deps
  /** How long each other node has sent no heartbeat. */
  const silent = new Map<string, { epoch: number; beatAt: number; ms: number }>()
  const reactions = { death: [] as (() => void)[], lapse: [] as (() => void)[] }
  let others = 0
  let renewedAt = clock.monotonic()
  let forgiveUntil = -Infinity
  let burying = false
  const now = () => new Date(clock.now())
  const react = (all: (() => void)[]) => {
    for (const one of all) one()
  }

  function isDead(node: NodeRow, sinceLookMs: number): boolean {
    const { id, epoch, heartbeatAt, present, announces } = node
    const beatAt = heartbeatAt.getTime()
    const before = silent.get(id)
    const same = before?.epoch === epoch && before.beatAt === beatAt
    const ms = same ? before.ms + sinceLookMs : 0
    silent.set(id, { epoch, beatAt, ms })
    const gone =
      announces && !present && ms >= DISCONNECTED_TIMEOUT_MS && clock.monotonic() > forgiveUntil
    return gone || ms >= HEARTBEAT_TIMEOUT_MS
  }

  /**
   * Removes dead nodes, and then releases their deliveries, which may be many. Apart from the heartbeat, which must not
   * wait for it.
   */
  async function bury(dead: NodeRow[]): Promise<void> {
    const removed = await removeDeadNodes(db, dead).finally(() => (burying = false))
    if (removed.length === 0) return
    react(reactions.death)
    for (const { id, epoch: last } of removed)
      await releaseEarlierLeases(db.patient, id, last + 1, now())
  }

  /** Sends a heartbeat and checks the other nodes. Returns whether one of them stores files elsewhere. */
  async function heartbeat(): Promise<boolean> {
    const startedAt = clock.monotonic()
    const halfLeaseLeft = renewedAt + HEARTBEAT_TIMEOUT_MS / 2 - startedAt
    const lapse = clock.after(
      Math.max(0, halfLeaseLeft),
      () => others > 0 && react(reactions.lapse),
    )
    try {
      const {
        databaseNow,
        floor,
        buried,
        others: seen,
      } = await sendHeartbeat(db.vital, { id: nodeId, epoch, capacity, mediaStore, now: now() })
      lapse.cancel()
      if (followDatabaseClock) clock.follow(databaseNow.getTime(), floor.getTime())
      if (buried) react(reactions.lapse)
      const sinceLookMs = startedAt - renewedAt
      const unbroken = sinceLookMs <= 2 * HEARTBEAT_INTERVAL_MS
      if (!unbroken) forgiveUntil = startedAt + RECOVERY_GRACE_MS
      renewedAt = startedAt
      const dead = seen.filter((node) => isDead(node, unbroken ? sinceLookMs : 0))
      others = seen.length - dead.length
      for (const id of silent.keys()) if (!seen.some((node) => node.id === id)) silent.delete(id)
      if (dead.length > 0 && !burying) {
        burying = true
        void activity
          .run(() => bury(dead))
          .catch((error: unknown) => onError(error, 'removing dead nodes'))
      }
      return seen.some(
        (node) => node.present && node.mediaStore !== null && node.mediaStore !== mediaStore,
      )
    } finally {
      lapse.cancel()
    }
  }

  if (followDatabaseClock) {
    const { databaseNow, floor } = await readDatabaseTime(db)
    clock.follow(databaseNow.getTime(), floor?.getTime())
  }
  const epoch = await registerNode(db, { id: nodeId, capacity, mediaStore, now: now() })
  const presence = db.holdAdvisoryLock([PRESENCE_LOCK, epoch])
  const storesElsewhere = await heartbeat()
  if (storesElsewhere) {
    await deregisterNode(db, nodeId, epoch)
    await presence.release()
    throw new StartFault(say.start.mediaNotShared)
  }
  await releaseEarlierLeases(db.patient, nodeId, epoch, now())
  const loop = createLoop({
    task: 'renewing the lease of this node',
    clock,
    activity,
    everyMs: () => HEARTBEAT_INTERVAL_MS,
    run: () => heartbeat().then(() => false),
    onError,
  })
  return {
    id: nodeId,
    epoch,
    othersAlive: () => others > 0,
    aliveNodes: () => others + 1,
    heartbeatRecent: () => clock.monotonic() - renewedAt < RENEWED_WITHIN_MS,
    onNodeDeath: (reaction) => void reactions.death.push(reaction),
    onLeaseLapse: (reaction) => void reactions.lapse.push(reaction),
    async stop() {
      await loop.stop()
      await deregisterNode(db, nodeId, epoch)
      await presence.release()
    },
  }
}
