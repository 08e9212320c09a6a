import { AggregatorRegistry } from 'prom-client'
import type { Metrics } from './metrics.ts'

/** Answers the primary process's requests for metrics: with none until `shareMetrics` is called. */
export function answerMetrics(): void {
  AggregatorRegistry.setRegistries([])
  new AggregatorRegistry()
}

/** Includes this worker's metrics in what the primary process reads, with the label `worker`. */
export function shareMetrics({ registry }: Metrics, slot: number): void {
  registry.setDefaultLabels({ worker: String(slot) })
  AggregatorRegistry.setRegistries([registry])
}

/** Returns a function for the primary process that reads the metrics of all workers. */
export function createMetricsReader(): () => Promise<string> {
  const aggregator = new AggregatorRegistry()
  return () => aggregator.clusterMetrics()
}
