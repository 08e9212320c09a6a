import type { Bus } from '../../platform/bus/bus.port.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import type { NodeRegistration } from '../../platform/nodes/nodes.service.ts'
import { readVitals, type Vitals } from './vitals.sql.ts'

export { readVitals } from './vitals.sql.ts'

const POLL_INTERVAL_MS = 15_000
const STATEMENT_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 5]

/**
 * Starts measuring what operators are alerted about. Every node reads the metrics of the whole
 * installation every 15 seconds, so that they are available while any node is up.
 */
export function startVitals(deps: {
  db: Database
  clock: Clock
  activity: PendingWork
  bus: Pick<Bus, 'connected'>
  node: Pick<NodeRegistration, 'aliveNodes' | 'heartbeatRecent' | 'onNodeDeath' | 'onLeaseLapse'>
  metrics: Metrics
  onError: (error: unknown, task?: string) => void
}): { stop(): Promise<void> } {
  const { db, clock, activity, bus, node, metrics, onError } = deps
  const statements = metrics.histogram(
    'db_statement_seconds',
    'Duration of statements',
    STATEMENT_SECONDS,
  )
  const poolsLost = metrics.counter(
    'db_pools_lost_total',
    'Pools discarded for a lost or stalled connection',
  )
  db.observe({
    statement: (seconds) => statements.observe(seconds),
    poolLost: () => poolsLost.inc(),
  })
  metrics.gauge('bus_connected', 'Whether the bus reaches other nodes', () =>
    Number(bus.connected()),
  )
  metrics.gauge('nodes_alive', 'Live nodes, as this node sees them', node.aliveNodes)
  metrics.gauge('node_ready', 'Whether the heartbeat of this node reaches the database', () =>
    Number(node.heartbeatRecent()),
  )
  const deaths = metrics.counter('nodes_buried_total', 'Nodes that this node declared dead')
  const lapses = metrics.counter(
    'node_lapses_total',
    'Times that this node could not renew its lease and released its sessions',
  )
  node.onNodeDeath(() => deaths.inc())
  node.onLeaseLapse(() => lapses.inc())

  let vitals: Vitals = { instances: [], waiting: 0, oldestAt: null }
  metrics.gaugeFamily('instances', 'Instances that need a connection', ['node', 'status'], () =>
    vitals.instances.map(({ node: name, status, count }) => ({
      labels: [name, status],
      value: count,
    })),
  )
  metrics.gauge(
    'messages_waiting',
    'Messages accepted and without a final state',
    () => vitals.waiting,
  )
  metrics.gauge('messages_waiting_oldest_seconds', 'Age of the oldest waiting message', () =>
    vitals.oldestAt ? Math.max(0, (clock.now() - vitals.oldestAt.getTime()) / 1000) : 0,
  )

  async function look(): Promise<boolean> {
    vitals = await readVitals(db)
    return false
  }

  const loop = createLoop({
    task: 'reading the vitals of the installation',
    clock,
    activity,
    everyMs: () => POLL_INTERVAL_MS,
    run: look,
    onError,
  })
  loop.wake()
  return loop
}
