import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { LeasedDelivery } from '../events.service.ts'
import type { AttemptOutcome } from './attempt.ts'
import type { Dispatcher } from './dispatcher.ts'

const DURATION_BUCKETS_S = [0.005, 0.02, 0.1, 0.5, 2, 5, 10, 15, 60, 300]

/**
 * Registers the metrics of deliveries. No label contains a webhook id, which bounds the cardinality (G72).
 */
export function createDeliveryMetrics(metrics: Metrics) {
  const attempts = metrics.counter('wh_attempts_total', 'Delivery attempts that have ended', [
    'outcome',
    'reason_class',
    'attempt',
  ])
  const seconds = metrics.tracedHistogram(
    'wh_attempt_seconds',
    'Duration of an attempt',
    DURATION_BUCKETS_S,
  )
  const lag = metrics.histogram(
    'wh_lag_seconds',
    'From due to start of an attempt',
    DURATION_BUCKETS_S,
  )
  const refused = metrics.counter(
    'wh_ssrf_refused_total',
    'Attempts refused because the address is forbidden',
  )
  // Cached, because looking up a series by its labels costs more than incrementing it.
  const series = new Map<string, ReturnType<typeof attempts.labels>>()

  function seriesOf({ success, reasonClass }: AttemptOutcome, attempt: number) {
    const key = `${reasonClass}${attempt}`
    const known = series.get(key)
    if (known) return known
    const found = attempts.labels(success ? 'success' : 'failed', reasonClass, String(attempt))
    series.set(key, found)
    return found
  }

  return {
    fenced: metrics.counter(
      'wh_fenced_acks_total',
      'Attempts whose lease another node had taken before the result was stored',
    ),
    expired: metrics.counter(
      'wh_lease_expired_total',
      'Expired leases taken over from another node',
    ),
    attempted(
      delivery: LeasedDelivery,
      outcome: AttemptOutcome,
      lagMs: number,
      traceId: string | null,
    ): void {
      seriesOf(outcome, delivery.attempt).inc()
      seconds.observe(outcome.durationMs / 1000, traceId)
      lag.observe(Math.max(0, lagMs) / 1000)
      if (outcome.reasonClass === 'forbidden_address') refused.inc()
    },
    watch(dispatcher: Dispatcher, oldestDueSeconds: () => number): void {
      metrics.gauges('wh_inflight', 'Delivery attempts in flight', 'lane', {
        healthy: () => dispatcher.inFlight('healthy'),
        slow: () => dispatcher.inFlight('slow'),
      })
      metrics.gauges('wh_queue', 'Deliveries held by this node that are not in flight', 'state', {
        waiting: dispatcher.waiting,
        retrying: dispatcher.retrying,
        settling: dispatcher.unstored,
      })
      metrics.gauge(
        'wh_oldest_due_seconds',
        'How long the oldest due delivery has waited in the database to be claimed',
        oldestDueSeconds,
      )
    },
  }
}
