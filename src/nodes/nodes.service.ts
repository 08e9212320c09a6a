import type { Db } from '../db/sql.ts'
import type { Activity } from '../lib/activity.ts'
import type { Clock } from '../lib/clock.ts'
import { createLoop } from '../lib/loop.ts'
import { beat, buryNodes, endLife, freeEarlierLeases, startLife } from './nodes.sql.ts'

const HEARTBEAT_MS = 2000
/** A node silent for this long is dead: its leases are free. */
const DEAD_AFTER_MS = 6000

/** This process among those that share the database. */
export type NodeLife = {
  id: string
  epoch: number
  /** Whether another node's heart beat at the last look. */
  othersAlive(): boolean
  /** The nodes whose heart beats, this one among them. */
  aliveNodes(): number
  stop(): Promise<void>
}

/**
 * Enters the node into the database and keeps its heart beating. Each beat also brings the database's time,
 * which is the time of every node.
 */
export async function startNode(deps: {
  db: Db
  clock: Clock
  activity: Activity
  nodeId: string
  followDatabaseClock: boolean
  /** Called when the database could not be reached: an embedded one may have to be started again. */
  onError: (error: unknown) => void
}): Promise<NodeLife> {
  const { db, clock, activity, nodeId, followDatabaseClock, onError } = deps
  let others = 0

  async function look(): Promise<boolean> {
    const now = clock.now()
    const seen = await beat(db, nodeId, epoch, new Date(now))
    const [self, ...rest] = seen
    if (followDatabaseClock && self) clock.follow(self.databaseNow.getTime())
    const deadBefore = now - DEAD_AFTER_MS
    const dead = rest.filter((node) => node.heartbeatAt.getTime() <= deadBefore)
    others = rest.length - dead.length
    if (dead.length > 0) await buryNodes(db, nodeId, new Date(deadBefore), new Date(now))
    return false
  }

  const epoch = await startLife(db, nodeId, new Date(clock.now()))
  await look()
  await freeEarlierLeases(db, nodeId, epoch, new Date(clock.now()))
  const loop = createLoop({ clock, activity, everyMs: () => HEARTBEAT_MS, run: look, onError })
  return {
    id: nodeId,
    epoch,
    othersAlive: () => others > 0,
    aliveNodes: () => others + 1,
    async stop() {
      await loop.stop()
      await endLife(db, nodeId, epoch)
    },
  }
}
