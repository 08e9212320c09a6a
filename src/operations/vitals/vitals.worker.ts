import type { Bus } from '../../platform/bus/bus.port.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import type { NodeRegistration } from '../../platform/nodes/nodes.service.ts'
import { readVitals, type Vitals } from './vitals.sql.ts'

const POLL_INTERVAL_MS = 15_000
const STATEMENT_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 5]

/**
 * Measures what an operator is called out for. What concerns the whole installation is read every 15 seconds by each node, so that it is
 * known as long as one of them is up.
 */
export function startVitals(deps: {
  db: Database
  clock: Clock
  activity: PendingWork
  bus: Pick<Bus, 'connected'>
  node: Pick<NodeRegistration, 'aliveNodes' | 'heartbeatRecent' | 'onNodeDeath' | 'onLeaseLapse'>
  metrics: Metrics
  onError: (error: unknown) => void
}): { stop(): Promise<void> } {
  const { db, clock, activity, bus, node, metrics, onError } = deps
  const statements = metrics.histogram(
    'db_statement_seconds',
    'Duration of statements',
    STATEMENT_SECONDS,
  )
  const poolsLost = metrics.counter(
    'db_pools_lost_total',
    'Pools given up for a lost or silent connection',
  )
  db.observe({
    statement: (seconds) => statements.observe(seconds),
    poolLost: () => poolsLost.inc(),
  })
  metrics.gauge('bus_connected', 'Whether the bus reaches other nodes', () =>
    Number(bus.connected()),
  )
  metrics.gauge('nodes_alive', 'Nodes whose heart beats, as this one sees it', node.aliveNodes)
  metrics.gauge('node_ready', 'Whether the heartbeat of this node reaches the database', () =>
    Number(node.heartbeatRecent()),
  )
  const deaths = metrics.counter('nodes_buried_total', 'Nodes that this one found dead')
  const lapses = metrics.counter(
    'node_lapses_total',
    'Times that this node could not renew its lease and let its sessions go',
  )
  node.onNodeDeath(() => deaths.inc())
  node.onLeaseLapse(() => lapses.inc())

  let vitals: Vitals = { instances: [], waiting: 0, oldestAt: null }
  metrics.gaugeFamily('instances', 'Instances that want a connection', ['node', 'status'], () =>
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
  metrics.gauge('messages_waiting_oldest_seconds', 'Age of the oldest of them', () =>
    vitals.oldestAt ? Math.max(0, (clock.now() - vitals.oldestAt.getTime()) / 1000) : 0,
  )

  async function look(): Promise<boolean> {
    vitals = await readVitals(db)
    return false
  }

  const loop = createLoop({ clock, activity, everyMs: () => POLL_INTERVAL_MS, run: look, onError })
  loop.wake()
  return loop
}
