import { AggregatorRegistry } from 'prom-client'
import type { Metrics } from './metrics.ts'

/** Makes the metrics of this worker part of what the first process reads, under the label `worker`. */
export function shareMetrics({ registry }: Metrics, slot: number): void {
  registry.setDefaultLabels({ worker: String(slot) })
  AggregatorRegistry.setRegistries([registry])
  // Answers the requests of the first process from here on.
  new AggregatorRegistry()
}

/** Creates a function that reads the metrics of all workers, in the process that started them. */
export function createMetricsReader(): () => Promise<string> {
  const aggregator = new AggregatorRegistry()
  return () => aggregator.clusterMetrics()
}
