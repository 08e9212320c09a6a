import { AggregatorRegistry } from 'prom-client'
import type { Metrics } from './metrics.ts'

/** Responds to the primary process's requests for metrics; empty until `shareMetrics` is called. */
export function answerMetrics(): void {
  AggregatorRegistry.setRegistries([])
  new AggregatorRegistry()
}

/** Adds this worker's metrics to those that the primary process reads, with the label `worker`. */
export function shareMetrics({ registry }: Metrics, slot: number): void {
  registry.setDefaultLabels({ worker: String(slot) })
  AggregatorRegistry.setRegistries([registry])
}

/** Returns a function for the primary process that reads the metrics of all workers. */
export function createMetricsReader(): () => Promise<string> {
  const aggregator = new AggregatorRegistry()
  return () => aggregator.clusterMetrics()
}
