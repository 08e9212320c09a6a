import type { DailyPartitionedTable } from '../../platform/db/partitions.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import type { ApiRequest, ApiRequestQuery } from './requests.schemas.ts'
import {
  findApiRequests,
  insertApiRequests,
  type ApiRequestRow,
  type ListedRequest,
} from './requests.sql.ts'

const FLUSH_INTERVAL_MS = 1000
/**
 * Maximum logged requests per Project, mode and outcome between two flushes on one node. The rest
 * is sampled out, so that a busy client does not fill the log.
 */
const MAX_SIMILAR_PER_FLUSH = 50
const MAX_TEXT_LENGTH = 500
/**
 * Maximum rows scanned per page, so that a filter without matches does not scan the whole retention
 * period. The caller continues from the cursor.
 */
const MAX_SCANNED_ROWS = 20_000
const RETENTION_MS = 7 * 24 * 3600_000
const STATUSES = { success: [0, 399], failed: [400, 999], '4xx': [400, 499], '5xx': [500, 599] }

/** Retention of the request log. */
export const requestTable: DailyPartitionedTable = {
  name: 'api_request',
  isExpired: (_tx, dayEnd, now) => dayEnd <= now - RETENTION_MS,
}

/** An API request that has just completed, with its duration in `ms`. */
export type CompletedRequest = Omit<ApiRequestRow, 'at'>
/** Records and lists API requests; see `createRequestsService`. */
export type RequestsService = ReturnType<typeof createRequestsService>

/**
 * The log of API requests, which helps users debug their integrations. It is written in batches
 * after the responses, and samples high request rates. A node that crashes loses at most unflushed
 * entries of this log (G57).
 */
export function createRequestsService(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  metrics: Metrics
  onError: (error: unknown, task?: string) => void
}) {
  const { db, clock, activity, metrics, onError } = deps
  let waiting: ApiRequestRow[] = []
  let counts = new Map<string, number>()
  const dropped = metrics.counter(
    'api_requests_unlisted_total',
    'API requests missing from the request log because of sampling or a failed write',
  )

  async function flush(): Promise<void> {
    counts = new Map()
    if (waiting.length === 0) return
    const rows = waiting
    waiting = []
    try {
      await insertApiRequests(db, rows)
    } catch (error) {
      dropped.inc(rows.length)
      throw error
    }
  }
  const loop = createLoop({
    task: 'storing the log of requests',
    clock,
    activity,
    onError,
    everyMs: () => FLUSH_INTERVAL_MS,
    run: () => flush().then(() => false),
  })

  return {
    /** Queues a request for the log. Synchronous and never throws. */
    enqueue(request: CompletedRequest): void {
      const { projectId, mode, status } = request
      const kind = `${projectId} ${mode} ${status >= 400}`
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      if (count > MAX_SIMILAR_PER_FLUSH) return dropped.inc()
      const at = new Date(clock.now() - request.ms)
      const path = request.path.slice(0, MAX_TEXT_LENGTH)
      waiting.push({
        ...request,
        at,
        path,
        message: request.message?.replaceAll('\0', '').slice(0, MAX_TEXT_LENGTH) ?? null,
      })
    },
    flush,

    /** Lists requests of the last seven days, newest first; `before` is the next page's cursor. */
    async list(
      db: Db,
      scope: Scope,
      query: ApiRequestQuery,
    ): Promise<{ items: ApiRequest[]; before: string | null }> {
      const { limit, before = null, result, keyId = null, q } = query
      const [from = 0, to = 999] = result ? STATUSES[result] : []
      // Indexes cover the unfiltered list and the failed requests, so these scan only one page.
      const filters = keyId !== null || Boolean(q?.trim()) || (result && result !== 'failed')
      const { rows, last } = await findApiRequests(db, scope, {
        before,
        from,
        to,
        keyId,
        q: q?.trim() ? q.trim() : null,
        limit: limit + 1,
        scan: filters ? MAX_SCANNED_ROWS : limit + 1,
        now: new Date(clock.now()),
      })
      const shown = rows.slice(0, limit)
      const more = rows.length > limit ? (shown.at(-1)?.id ?? null) : last
      return { items: shown.map(render), before: more }
    },
    stop: () => loop.stop(),
  }
}

function render({ id, at, keyId, keyName, keyPrefix, ...row }: ListedRequest): ApiRequest {
  const { method, path, status, ms, code, reason, message } = row
  const key = { keyId, keyName, keyPrefix }
  return { id, at: at.toISOString(), ...key, method, path, status, ms, code, reason, message }
}
