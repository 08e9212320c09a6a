import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  registry: Registry
  counter(name: string, help: string, labels?: string[]): Counter
  histogram(name: string, help: string, buckets: number[], labels?: string[]): Histogram
  /** A gauge that asks for its value when it is read. */
  gauge(name: string, help: string, read: () => number): void
  /** A family of values whose labels are known only when they are read. */
  family(
    name: string,
    help: string,
    labels: string[],
    read: () => { labels: string[]; value: number }[],
  ): void
  /** The same for a family of values, told apart by a label. */
  gauges(name: string, help: string, label: string, reads: Record<string, () => number>): void
}

/** The server's own registry: nothing global, so that two servers in one process do not mix. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    counter: (name, help, labelNames = []) =>
      new Counter({ name, help, labelNames, registers: [registry] }),
    histogram: (name, help, buckets, labelNames = []) =>
      new Histogram({ name, help, buckets, labelNames, registers: [registry] }),
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
    family(name, help, labelNames, read) {
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
