import {
  likePattern,
  timestamps,
  scopedTo,
  type Db,
  type Scope,
  projectOf,
} from '../../platform/db/sql.ts'

/** A stored API request. */
export type ApiRequestRow = {
  id: string
  projectId: string
  mode: 'test' | 'production'
  at: Date
  keyId: string
  method: string
  path: string
  status: number
  ms: number
  code: string | null
  reason: string | null
  message: string | null
}

/** Inserts requests, of any Projects. */
export async function insertApiRequests(db: Db, rows: ApiRequestRow[]): Promise<void> {
  const all = <Name extends keyof ApiRequestRow>(name: Name) => rows.map((row) => row[name])
  await db.system`
    insert into api_request (id, project_id, mode, created_at, key_id, method, path, status, ms, code,
      reason, message)
    select * from unnest(${all('id')}::text[], ${all('projectId')}::text[], ${all('mode')}::text[],
      ${timestamps(db, all('at'))}::timestamptz[], ${all('keyId')}::text[], ${all('method')}::text[],
      ${all('path')}::text[], ${all('status')}::smallint[], ${all('ms')}::real[],
      ${all('code')}::text[], ${all('reason')}::text[], ${all('message')}::text[])`
}

/** A stored request with the name of its key. */
export type ListedRequest = Omit<ApiRequestRow, 'projectId' | 'mode'> & {
  keyName: string | null
  keyPrefix: string | null
}

/**
 * Lists the newest requests of the scope that match the filter, among the last `scan` requests
 * before `before`. `last` is the oldest request scanned, or null if there are no older ones.
 */
export async function findApiRequests(
  db: Db,
  scope: Scope,
  filter: {
    before: string | null
    /** The range of status codes, inclusive. */
    from: number
    to: number
    keyId: string | null
    /** A case-insensitive substring of the path, the id or the error message. */
    q: string | null
    limit: number
    scan: number
    now: Date
  },
): Promise<{ rows: ListedRequest[]; last: string | null }> {
  const { before, from, to, keyId, q, limit, scan, now } = filter
  const like = q === null ? null : likePattern(q)
  // PostgreSQL uses the partial index of failures only if its exact condition is in the query.
  const failed = from >= 400 ? db.sql`and status >= 400` : db.sql``
  type Scanned = { scanned: number; last: string | null }
  const rows = await db.scoped<((ListedRequest | { id: null }) & Scanned)[]>`
    with scanned as materialized (
      select * from api_request
      where ${scopedTo(db, scope, now)} ${failed} and (${before}::text is null or id < ${before})
      order by id desc limit ${scan}),
    found as (
      select * from scanned
      where status between ${from} and ${to}
        and (${keyId}::text is null or key_id = ${keyId})
        and (${like}::text is null or path ilike ${like} or id ilike ${like} or message ilike ${like})
      order by id desc limit ${limit})
    select f.id, f.created_at as at, f.key_id, f.method, f.path, f.status, f.ms, f.code, f.reason,
      f.message, k.name as key_name, k.key_prefix, looked.*
    from (select count(*)::int as scanned, min(id) as last from scanned) looked
    left join found f on true
    left join api_key k on k.id = f.key_id and k.project_id = ${projectOf(db, scope)}
    order by f.id desc`
  const [looked] = rows
  return {
    rows: rows.filter((row): row is ListedRequest & Scanned => row.id !== null),
    last: looked?.scanned === scan ? looked.last : null,
  }
}
