import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../db/sql.ts'
import type { IdempotencyStore } from '../idempotency/idempotency.service.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { scopeOf } from './principal.ts'

/** Whether a request has an Idempotency-Key, so that its work runs in a transaction. */
export const hasKey = (request: FastifyRequest): boolean =>
  request.headers['idempotency-key'] !== undefined

/**
 * Returns the status and body of a response. Runs on `db`, which is a transaction if the caller sent an
 * Idempotency-Key.
 */
type Work<Body> = (db: Db) => Promise<{ status: number; body: Body }>

/**
 * Returns a function that runs a POST of an API key, once per `Idempotency-Key` if it has one, and returns the response
 * body. The change and the stored response commit together, so a crash between them cannot cause a second change (G19).
 */
export function createIdempotent(db: Db, store: IdempotencyStore) {
  return async <Body>(
    request: FastifyRequest,
    reply: Pick<FastifyReply, 'header' | 'code'>,
    work: Work<Body>,
    /** The value to fingerprint if the request body was a stream. */
    body: unknown = request.body,
  ): Promise<Body> => {
    const key = request.headers['idempotency-key']
    if (key === undefined) {
      const { status, body: answered } = await work(db)
      reply.code(status)
      return answered
    }
    if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
      throw fail('bad_request', (say) => say.idempotency.invalid)
    }
    const answer = await store.once(
      scopeOf(request),
      key,
      fingerprint(request, body),
      async (tx) => {
        const { status, body: answered } = await work(tx)
        return { status, body: JSON.stringify(answered) }
      },
      request.routeOptions.config.asksNetwork ? 'network' : hasFile(request) ? 'file' : 'database',
    )
    if (answer.replayed) void reply.header('idempotent-replayed', 'true')
    reply.code(answer.status)
    return JSON.parse(answer.body) as Body
  }
}
/** Runs a request at most once per `Idempotency-Key`; see `createIdempotent`. */
export type Idempotent = ReturnType<typeof createIdempotent>

/** Whether a request has a file: as multipart, in the body, or in the message or the items within it. */
export function hasFile({ headers, body }: Pick<FastifyRequest, 'headers' | 'body'>): boolean {
  if (headers['content-type']?.startsWith('multipart/')) return true
  const { message, items } = { ...(body as { message?: unknown; items?: unknown } | null) }
  return [body, message, ...(Array.isArray(items) ? items : [])].some(
    (part) => typeof part === 'object' && part !== null && 'media' in part,
  )
}

function fingerprint(request: FastifyRequest, body: unknown): Buffer {
  const path = request.url.split('?')[0]
  return createHash('sha256')
    .update(`${request.method} ${path}\n${JSON.stringify(sorted(body))}`)
    .digest()
}

/** Sorts object keys, because bodies that differ only in the order of their fields are equal. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  )
}
