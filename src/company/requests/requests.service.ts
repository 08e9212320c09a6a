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

const FLUSH_MS = 1000
/** Of each Project and mode, on each node, between two flushes: who sends thousands a second needs no list of them. */
const MAX_SIMILAR_PER_SECOND = 50
const MAX_TEXT_LENGTH = 500
/** Rows scanned per page: a filter without matches must not read a week. The caller continues from the cursor. */
const SCAN = 20_000
const RETENTION_MS = 7 * 24 * 3600_000
const STATUSES = { success: [0, 399], failed: [400, 999], '4xx': [400, 499], '5xx': [500, 599] }

/** For how long calls are kept. */
export const requestTable: DailyPartitionedTable = {
  name: 'api_request',
  isExpired: (_tx, dayEnd, now) => dayEnd <= now - RETENTION_MS,
}

/** A call of the API that was answered just now, `ms` after it came. */
export type AnsweredRequest = Omit<ApiRequestRow, 'at'>
/** Records and lists API requests; see `createRequestsService`. */
export type RequestsService = ReturnType<typeof createRequestsService>

/**
 * The log of API requests, which helps users to find their own faults. It is written behind the responses and in
 * batches, and of very many similar requests only a part. A node that dies loses lines of this log and nothing else (G57).
 */
export function createRequestsService(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  metrics: Metrics
  onError: (error: unknown) => void
}) {
  const { db, clock, activity, metrics, onError } = deps
  let waiting: ApiRequestRow[] = []
  let counts = new Map<string, number>()
  const unlisted = metrics.counter(
    'api_requests_unlisted_total',
    'Calls that the list of calls left out, because there were very many',
  )

  async function flush(): Promise<void> {
    counts = new Map()
    if (waiting.length === 0) return
    const rows = waiting
    waiting = []
    try {
      await insertApiRequests(db, rows)
    } catch (error) {
      unlisted.inc(rows.length)
      throw error
    }
  }
  const loop = createLoop({
    clock,
    activity,
    onError,
    everyMs: () => FLUSH_MS,
    run: () => flush().then(() => false),
  })

  return {
    /** Notes a call. Never throws, never waits. */
    note(request: AnsweredRequest): void {
      const { projectId, mode, status } = request
      const kind = `${projectId} ${mode} ${status >= 400}`
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      if (count > MAX_SIMILAR_PER_SECOND) return unlisted.inc()
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

    /** The calls of the last seven days, the newest first. */
    async list(
      db: Db,
      scope: Scope,
      query: ApiRequestQuery,
    ): Promise<{ items: ApiRequest[]; before: string | null }> {
      const { limit, before = null, result, keyId = null, q } = query
      const [from = 0, to = 999] = result ? STATUSES[result] : []
      // All, and all that failed, stand in an index as they are.
      const filters = keyId !== null || Boolean(q?.trim()) || (result && result !== 'failed')
      const { rows, last } = await findApiRequests(db, scope, {
        before,
        from,
        to,
        keyId,
        q: q?.trim() ? q.trim() : null,
        limit: limit + 1,
        scan: filters ? SCAN : limit + 1,
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
