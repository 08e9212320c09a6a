import type { Clock } from '../kernel/clock.ts'
import type { Ownership } from './instances.sql.ts'

/** A node with its capacity and the instances it holds. */
export type NodeShare = {
  id: string
  epoch: number
  /** Memory in MiB; each node is assigned instances in proportion to it. */
  capacity: number
  /** Whether the node must give away all its instances. */
  draining: boolean
  held: number
  /** Number of all instances that want a connection; the same in every row. */
  total: number
}

/** Fraction of all instances that may change nodes per second during rebalancing. */
const MAX_MOVED_FRACTION_PER_SECOND = 0.02
/** Maximum burst, in seconds of the pace. */
const MAX_BURST_SECONDS = 4

/**
 * Computes how many instances this node may claim (`room`), how many have no owner (`free`), how many it owns (`held`),
 * and its `surplus`. `pace` is how many it may give away per second: all nodes with a surplus together move 2 % of the
 * instances.
 */
export function computeBalance(
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
  // This node is declared dead, or no other node could take its instances.
  if (!own || active.length === 0)
    return { room: 0, free: 0, held: own?.held ?? 0, surplus: 0, pace: 0 }
  const surplus = surplusOf(own)
  const overloaded = nodes.filter((node) => surplusOf(node) > 0).length
  const free = own.total - nodes.reduce((sum, { held }) => sum + held, 0)
  return {
    room: Math.max(0, -surplus),
    free,
    held: own.held,
    surplus: Math.max(0, surplus),
    pace: (own.total * MAX_MOVED_FRACTION_PER_SECOND) / Math.max(1, overloaded),
  }
}

/**
 * Creates a token bucket. The returned function takes the surplus and the pace per second, and returns how many
 * instances may be given away now.
 */
export function createHandoverLimiter(
  clock: Pick<Clock, 'monotonic'>,
): (surplus: number, pace: number) => number {
  let allowed = 0
  let countedAt = clock.monotonic()
  return (surplus, pace) => {
    const now = clock.monotonic()
    const earned = ((now - countedAt) / 1000) * pace
    countedAt = now
    allowed = surplus === 0 ? 0 : Math.min(allowed + earned, Math.max(1, MAX_BURST_SECONDS * pace))
    const given = Math.min(surplus, Math.floor(allowed))
    allowed -= given
    return given
  }
}
