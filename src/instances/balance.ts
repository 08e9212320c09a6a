import type { Clock } from '../kernel/clock.ts'
import type { Ownership } from './instances.sql.ts'

/** A node, what it can hold, and what it does. */
export type NodeShare = {
  id: string
  epoch: number
  /** Its memory in MiB: nodes with more of it hold more instances. */
  capacity: number
  /** It is to give all that it has away. */
  draining: boolean
  held: number
  /** All instances that want a connection, the same on every row. */
  total: number
}

/** Of all instances, those that change hands in a second while nodes are brought into balance. */
const MOVED_PER_SECOND = 0.02
/** What may be given away at once, in seconds of the pace. */
const MOST_AT_ONCE_S = 4

/**
 * How many instances this node may take (`room`), how many no node owns (`free`), how many this one owns (`held`), and its
 * `surplus`. `pace` is how many it may give away in a second: all nodes with a surplus move 2 % of the instances together.
 */
export function balanceOf(
  nodes: NodeShare[],
  self: Ownership,
): { room: number; free: number; held: number; surplus: number; pace: number } {
  const active = nodes.filter(({ draining }) => !draining)
  const capacity = active.reduce((sum, node) => sum + node.capacity, 0)
  const surplusOf = (node: NodeShare) => {
    const share = node.draining ? 0 : Math.ceil((node.total * node.capacity) / capacity)
    return node.held - share
  }
  const own = nodes.find(({ id, epoch }) => id === self.node && epoch === self.epoch)
  // Nobody would take what is given away.
  if (!own || active.length === 0)
    return { room: 0, free: 0, held: own?.held ?? 0, surplus: 0, pace: 0 }
  const surplus = surplusOf(own)
  const givers = nodes.filter((node) => surplusOf(node) > 0).length
  const free = own.total - nodes.reduce((sum, { held }) => sum + held, 0)
  return {
    room: Math.max(0, -surplus),
    free,
    held: own.held,
    surplus: Math.max(0, surplus),
    pace: (own.total * MOVED_PER_SECOND) / Math.max(1, givers),
  }
}

/** Returns how many instances of a surplus may be given away now, at a pace of so many in a second. */
export function createGiving(
  clock: Pick<Clock, 'monotonic'>,
): (surplus: number, pace: number) => number {
  let allowed = 0
  let countedAt = clock.monotonic()
  return (surplus, pace) => {
    const now = clock.monotonic()
    const earned = ((now - countedAt) / 1000) * pace
    countedAt = now
    allowed = surplus === 0 ? 0 : Math.min(allowed + earned, Math.max(1, MOST_AT_ONCE_S * pace))
    const given = Math.min(surplus, Math.floor(allowed))
    allowed -= given
    return given
  }
}
