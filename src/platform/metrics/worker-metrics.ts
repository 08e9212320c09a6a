import { AggregatorRegistry } from 'prom-client'
import type { Metrics } from './metrics.ts'

/** Answers the first process, which reads the metrics of all workers: with nothing until `shareMetrics`. */
export function answerMetrics(): void {
  AggregatorRegistry.setRegistries([])
  new AggregatorRegistry()
}

/** Makes the metrics of this worker part of what the first process reads, under the label `worker`. */
export function shareMetrics({ registry }: Metrics, slot: number): void {
  registry.setDefaultLabels({ worker: String(slot) })
  AggregatorRegistry.setRegistries([registry])
}

/** Creates a function that reads the metrics of all workers, in the process that started them. */
export function createMetricsReader(): () => Promise<string> {
  const aggregator = new AggregatorRegistry()
  return () => aggregator.clusterMetrics()
}
