import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type RegistryContentType,
} from 'prom-client'

/** The server's metrics, in Prometheus format. */
export type Metrics = {
  registry: Registry<RegistryContentType>
  counter(name: string, help: string, labels?: string[]): Counter
  histogram(name: string, help: string, buckets: number[], labels?: string[]): Histogram
  /** A histogram without labels whose buckets carry the trace id of an exemplar, if there is one. */
  tracedHistogram(
    name: string,
    help: string,
    buckets: number[],
  ): { observe(value: number, traceId: string | null): void }
  /** A gauge whose value is read on each scrape. */
  gauge(name: string, help: string, read: () => number): void
  /** A gauge whose label values are known only when it is read on each scrape. */
  gaugeFamily(
    name: string,
    help: string,
    labels: string[],
    read: () => { labels: string[]; value: number }[],
  ): void
  /** Like `family`, with one label whose values are the keys of `reads`. */
  gauges(name: string, help: string, label: string, reads: Record<string, () => number>): void
}

/**
 * Creates the metrics with their own registry instead of the global one, so that two servers in one process do not
 * share metrics. With `exemplars`, they are in the OpenMetrics format.
 */
export function createMetrics({ exemplars = false } = {}): Metrics {
  const registry = new Registry<RegistryContentType>()
  if (exemplars) registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    counter: (name, help, labelNames = []) =>
      new Counter({ name, help, labelNames, registers: [registry] }),
    histogram: (name, help, buckets, labelNames = []) =>
      new Histogram({ name, help, buckets, labelNames, registers: [registry] }),
    tracedHistogram(name, help, buckets) {
      const options = { name, help, buckets, registers: [registry], enableExemplars: exemplars }
      const histogram = new Histogram(options)
      return {
        observe(value, traceId) {
          if (!exemplars) histogram.observe(value)
          else if (traceId) histogram.observe({ value, exemplarLabels: { trace_id: traceId } })
          else histogram.observe({ value })
        },
      }
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read())
        },
      })
    },
    gaugeFamily(name, help, labelNames, read) {
      new Gauge({
        name,
        help,
        labelNames,
        registers: [registry],
        collect() {
          this.reset()
          for (const { labels, value } of read()) this.labels(...labels).set(value)
        },
      })
    },
    gauges(name, help, label, reads) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        collect() {
          for (const [value, read] of Object.entries(reads)) this.labels(value).set(read())
        },
      })
    },
  }
}
