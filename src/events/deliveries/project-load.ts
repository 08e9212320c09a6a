import type { LeasedDelivery } from '../events.service.ts'

const MAX_QUEUED = 20_000
const MAX_BYTES = 64 * 1024 * 1024
/** Maximum share of the queue that one Project may hold while the queue is not full. */
const MAX_SHARE = 1 / 4
/** Share of the queue reserved for each Project when others have filled it. */
const RESERVED_SHARE = 1 / 200
/** How far the reserved shares may exceed the limits of the queue. */
const MAX_EXCESS = 2

type Load = { count: number; bytes: number }

const exceeds = ({ count, bytes }: Load, share: number) =>
  count >= MAX_QUEUED * share || bytes >= MAX_BYTES * share

/**
 * Counts the deliveries that this node holds in memory, in total and per Project, and decides which Projects may queue
 * no more: one that holds a quarter of the limit and, once the limit is reached, each that holds more than a reserved
 * share. This keeps room in memory for the deliveries of other Projects despite a backlog (G51).
 */
export function createProjectLoad() {
  const total: Load = { count: 0, bytes: 0 }
  const projects = new Map<string, Load>()

  function change({ projectId, event }: LeasedDelivery, sign: 1 | -1): void {
    const load = projects.get(projectId) ?? { count: 0, bytes: 0 }
    for (const one of [total, load]) {
      one.count += sign
      one.bytes += sign * event.body.length
    }
    if (load.count > 0) projects.set(projectId, load)
    else projects.delete(projectId)
  }

  const isFull = (load: Load) => exceeds(load, exceeds(total, 1) ? RESERVED_SHARE : MAX_SHARE)
  const isNodeFull = () => exceeds(total, MAX_EXCESS)

  return {
    add: (delivery: LeasedDelivery) => change(delivery, 1),
    remove: (delivery: LeasedDelivery) => change(delivery, -1),
    /** Whether the queue is full for all Projects. */
    isNodeFull,
    /** Whether the queue is full for this Project. */
    isFull(projectId: string): boolean {
      const load = projects.get(projectId)
      return isNodeFull() || (load !== undefined && isFull(load))
    },
    /** Lists the Projects for which the queue is full. */
    fullProjects: () => [...projects].flatMap(([id, load]) => (isFull(load) ? [id] : [])),
  }
}
