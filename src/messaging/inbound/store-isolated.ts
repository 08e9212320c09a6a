import { OwnershipLost } from '../../instances/fence.service.ts'
import { delay, type Clock } from '../../kernel/clock.ts'
import { SemaphoreTimeout } from '../../kernel/fair-semaphore.ts'
import { truncate } from '../../kernel/text.ts'
import {
  isConstraintViolation,
  isDatabaseUnavailable,
  isDataError,
  isStatementError,
} from '../../platform/db/database-errors.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'

/** Maximum attempts for an item with a possibly transient failure before it is dropped. */
const MAX_TRIES = 3
const RETRY_MS = 1000
/** Maximum time by which an event's timestamp may be ahead of this server's clock. */
const MAX_CLOCK_SKEW_MS = 24 * 3600_000
const MAX_LOGGED_LENGTH = 200

/** Whether a retry would fail again. A constraint violation may be due to a concurrent change. */
const isPermanent = (error: unknown) =>
  (isDataError(error) && !isConstraintViolation(error)) || error instanceof RangeError

/** Whether the failure is unrelated to the items, so that the adapter retries and nothing is dropped. */
const isRetryable = (error: unknown) =>
  isDatabaseUnavailable(error) ||
  isStatementError(error) ||
  error instanceof OwnershipLost ||
  error instanceof SemaphoreTimeout

/** Replaces an implausible timestamp, which the sender controls, with the current time. */
function withPlausibleTime<Item extends object>(item: Item, now: number): Item {
  if (!('at' in item) || typeof item.at !== 'number') return item
  const isPlausible = item.at >= 0 && item.at <= now + MAX_CLOCK_SKEW_MS
  return isPlausible ? item : { ...item, at: now }
}

/**
 * Creates the function that stores network events such that one bad item cannot block the
 * others: the adapter neither acknowledges nor, often, sends until everything reported is
 * stored. A failing batch is bisected: the bad item is dropped, counted and logged, and
 * the others are stored in order. Throws, so that the adapter retries, if the database is
 * unavailable or rejects the statement itself, or if another node owns the instance.
 */
export function createIsolatingStore(deps: {
  clock: Clock
  metrics: Metrics
  onError: (error: unknown, task?: string) => void
}) {
  const { clock, onError } = deps
  const dropped = deps.metrics.counter(
    'network_events_dropped_total',
    'Network events that could not be stored and were dropped',
  )

  function drop(instanceId: string, item: object, cause: unknown): void {
    dropped.inc()
    const ids = Object.entries(item).filter(([name]) => /id|ids|kind|type$/i.test(name))
    const summary = truncate(JSON.stringify(Object.fromEntries(ids)), MAX_LOGGED_LENGTH)
    onError(
      new Error(`cannot store an event of instance ${instanceId}, dropped: ${summary}`, { cause }),
    )
  }

  async function storeAll<Item extends object>(
    instanceId: string,
    items: Item[],
    store: (items: Item[]) => Promise<void>,
  ): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await store(items)
      } catch (error) {
        if (isRetryable(error)) throw error
        const [only] = items
        if (items.length > 1 || !only) {
          const middle = items.length >> 1
          await storeAll(instanceId, items.slice(0, middle), store)
          return storeAll(instanceId, items.slice(middle), store)
        }
        if (isPermanent(error) || tries === MAX_TRIES) return drop(instanceId, only, error)
        await delay(clock, RETRY_MS)
      }
    }
  }

  return <Item extends object>(
    instanceId: string,
    items: Item[],
    store: (items: Item[]) => Promise<void>,
  ): Promise<void> => {
    const now = clock.now()
    const plausible = items.map((item) => withPlausibleTime(item, now))
    return plausible.length === 0 ? Promise.resolve() : storeAll(instanceId, plausible, store)
  }
}
