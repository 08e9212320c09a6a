import { availableMemoryMb } from '../../kernel/available-memory.ts'
import type { Database } from '../db/database.ts'
import type { Activity } from '../../kernel/activity.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import {
  beat,
  buryNodes,
  endLife,
  freeEarlierLeases,
  PRESENCE_LOCK,
  readTime,
  startLife,
  type NodeRow,
} from './nodes.sql.ts'

export { listNodes, PRESENCE_LOCK, setDraining } from './nodes.sql.ts'

const HEARTBEAT_MS = 900
/** A node is dead when its connection to PostgreSQL is gone and its heart has not beaten for this long… */
const GONE_AFTER_MS = 600
/** …or when its heart has not beaten for this long, its connection notwithstanding: its machine stands still, or is cut off. */
const DEAD_AFTER_MS = 6000
/** After this node's own trouble with the database the others may have the same: a lost connection alone proves nothing. */
const FORGIVING_MS = 5000
const RENEWED_WITHIN_MS = 5000

/** This process among those that share the database. */
export type NodeLife = {
  id: string
  epoch: number
  /** Whether another node was alive at the last look. */
  othersAlive(): boolean
  /** The nodes that are alive, this one among them. */
  aliveNodes(): number
  /** Whether it could write its heartbeat within the last five seconds. */
  renewing(): boolean
  /** Calls `react` when a node was found dead: what it held is free. */
  onDeath(react: () => void): void
  /**
   * Calls `react` when the others may believe, or do believe, that this node is dead: it has not been able to renew its lease for
   * half of it, or was buried.
   */
  onLapse(react: () => void): void
  stop(): Promise<void>
}

/**
 * Enters the node into the database and keeps its heart beating. Each beat also brings the database's time,
 * which is the time of every node. How long the others are silent is measured by this node's own monotonic clock, and only
 * while it could look: neither clocks that jump nor a database that was away make a living node look dead.
 */
export async function startNode(deps: {
  db: Database
  clock: Clock
  activity: Activity
  nodeId: string
  /** Names the place where this node keeps files. */
  mediaStore: string
  followDatabaseClock: boolean
  /** Called when the database could not be reached: an embedded one may have to be started again. */
  onError: (error: unknown) => void
}): Promise<NodeLife> {
  const { db, clock, activity, nodeId, mediaStore, followDatabaseClock, onError } = deps
  const capacity = availableMemoryMb()
  /** How long each other node has been silent. */
  const silent = new Map<string, { epoch: number; beatAt: number; ms: number }>()
  const reactions = { death: [] as (() => void)[], lapse: [] as (() => void)[] }
  let others = 0
  let renewedAt = clock.monotonic()
  let forgiveUntil = -Infinity
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
    const gone = announces && !present && ms >= GONE_AFTER_MS && clock.monotonic() > forgiveUntil
    return gone || ms >= DEAD_AFTER_MS
  }

  /** Beats and looks after the others; returns whether one of them keeps files elsewhere. */
  async function look(): Promise<boolean> {
    const startedAt = clock.monotonic()
    const halfLeaseLeft = renewedAt + DEAD_AFTER_MS / 2 - startedAt
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
      } = await beat(db, { id: nodeId, epoch, capacity, mediaStore, now: now() })
      if (followDatabaseClock) clock.follow(databaseNow.getTime(), floor.getTime())
      if (buried) react(reactions.lapse)
      const sinceLookMs = startedAt - renewedAt
      const unbroken = sinceLookMs <= 2 * HEARTBEAT_MS
      if (!unbroken) forgiveUntil = startedAt + FORGIVING_MS
      renewedAt = startedAt
      const dead = seen.filter((node) => isDead(node, unbroken ? sinceLookMs : 0))
      others = seen.length - dead.length
      for (const id of silent.keys()) if (!seen.some((node) => node.id === id)) silent.delete(id)
      if (dead.length > 0 && (await buryNodes(db, dead, now())) > 0) react(reactions.death)
      return seen.some(
        (node) => node.present && node.mediaStore !== null && node.mediaStore !== mediaStore,
      )
    } finally {
      lapse.cancel()
    }
  }

  if (followDatabaseClock) {
    const { databaseNow, floor } = await readTime(db)
    clock.follow(databaseNow.getTime(), floor?.getTime())
  }
  const epoch = await startLife(db, { id: nodeId, capacity, mediaStore, now: now() })
  const presence = db.hold([PRESENCE_LOCK, epoch])
  const strangers = await look()
  if (strangers) {
    await endLife(db, nodeId, epoch)
    await presence.release()
    throw new StartFault(say.start.mediaNotShared)
  }
  await freeEarlierLeases(db, nodeId, epoch, now())
  const loop = createLoop({
    clock,
    activity,
    everyMs: () => HEARTBEAT_MS,
    run: () => look().then(() => false),
    onError,
  })
  return {
    id: nodeId,
    epoch,
    othersAlive: () => others > 0,
    aliveNodes: () => others + 1,
    renewing: () => clock.monotonic() - renewedAt < RENEWED_WITHIN_MS,
    onDeath: (reaction) => void reactions.death.push(reaction),
    onLapse: (reaction) => void reactions.lapse.push(reaction),
    async stop() {
      await loop.stop()
      await endLife(db, nodeId, epoch)
      await presence.release()
    },
  }
}
