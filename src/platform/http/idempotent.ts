import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseUnavailable } from '../db/database-errors.ts'
import type { Db } from '../db/sql.ts'
import type { IdempotencyStore } from '../idempotency/idempotency.service.ts'
import { restAfter } from '../../kernel/clock.ts'
import type { Prepared } from '../../kernel/prepared.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { LONG_STRING } from './json-structure.ts'
import { scopeOf } from './principal.ts'

/** Whether a request has an Idempotency-Key. */
export const hasKey = (request: FastifyRequest): boolean =>
  request.headers['idempotency-key'] !== undefined

/**
 * Returns the status and body of a response. Runs on `db`, which is a transaction if the caller sent an
 * Idempotency-Key, unless the route asks a network. `ready` is what was prepared, if anything.
 */
type Work<Body, Ready> = (db: Db, ready: Ready) => Promise<{ status: number; body: Body }>

type Options<Ready extends Prepared> = {
  /** What fingerprints the request besides its path; by default its parsed body. */
  body?: unknown
  /**
   * Does what must be done before the transaction of a request with a key, because it may take long; not for one whose
   * response is stored.
   */
  prepare?: () => Promise<Ready>
  /** Whether a request without a key is prepared, too. */
  preparesAlways?: boolean
  /** Limits how many change the database at once; what was prepared takes no turn. */
  limit?: <T>(work: () => Promise<T>) => Promise<T>
}

/** Runs a request at most once per `Idempotency-Key`; see `createIdempotent`. */
export type Idempotent = {
  <Body, Ready extends Prepared>(
    request: FastifyRequest,
    reply: Pick<FastifyReply, 'header' | 'code'>,
    work: Work<Body, Ready>,
    options: Options<Ready> & { prepare: () => Promise<Ready>; preparesAlways: true },
  ): Promise<Body>
  <Body, Ready extends Prepared>(
    request: FastifyRequest,
    reply: Pick<FastifyReply, 'header' | 'code'>,
    work: Work<Body, Ready | null>,
    options?: Options<Ready>,
  ): Promise<Body>
}

/**
 * Returns a function that runs a POST of an API key, once per `Idempotency-Key` if it has one, and returns the response
 * body. The change and the stored response commit together, so a crash between them cannot cause a second change (G19).
 */
export function createIdempotent(db: Db, store: IdempotencyStore): Idempotent {
  const idempotent = async <Body, Ready extends Prepared>(
    request: FastifyRequest,
    reply: Pick<FastifyReply, 'header' | 'code'>,
    work: Work<Body, Ready | null>,
    options: Options<Ready> = {},
  ): Promise<Body> => {
    const { body = request.body, prepare, preparesAlways = false } = options
    const { limit = (run) => run() } = options
    const key = request.headers['idempotency-key']
    if (key === undefined) {
      await using ready = prepare && preparesAlways ? await prepare() : null
      const { status, body: answered } = await limit(() => work(db, ready)).catch(
        keepIfUnknown(ready),
      )
      ready?.commit()
      reply.code(status)
      return answered
    }
    if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
      throw fail('bad_request', (say) => say.idempotency.invalid)
    }
    const scope = scopeOf(request)
    const print = await fingerprint(request, body)
    const respond = (answer: { status: number; body: string; replayed: boolean }): Body => {
      if (answer.replayed) void reply.header('idempotent-replayed', 'true')
      reply.code(answer.status)
      return JSON.parse(answer.body) as Body
    }
    const known = prepare && (await store.find(scope, key, print))
    if (known) return respond({ ...known, replayed: true })
    await using ready = prepare ? await store.prepare(scope, prepare) : null
    const run = limit(() =>
      store.once(
        scope,
        key,
        print,
        async (on) => {
          const { status, body: answered } = await work(on, ready)
          return { status, body: JSON.stringify(answered) }
        },
        request.routeOptions.config.asksNetwork ? 'network' : 'database',
      ),
    )
    const answer = await run.catch(keepIfUnknown(ready))
    if (!answer.replayed) ready?.commit()
    return respond(answer)
  }
  return idempotent
}

/** Without the database, it is unknown whether the request was committed, and with it what was prepared. */
const keepIfUnknown =
  (ready: Prepared | null) =>
  (error: unknown): never => {
    if (isDatabaseUnavailable(error)) ready?.commit()
    throw error
  }

async function fingerprint(request: FastifyRequest, body: unknown): Promise<Buffer> {
  const path = request.url.split('?')[0]
  const hashes = new Map<string, string>()
  for (const text of longStringsOf(body)) hashes.set(text, await hashInTurns(text))
  return createHash('sha256')
    .update(`${request.method} ${path}\n${JSON.stringify(normalize(body, hashes))}`)
    .digest()
}

function* longStringsOf(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.length >= LONG_STRING) yield value
  if (typeof value !== 'object' || value === null) return
  for (const item of Object.values(value))
    if (typeof item === 'string' || typeof item === 'object') yield* longStringsOf(item)
}

/** Hashes a file in base64 without keeping other requests waiting. */
async function hashInTurns(text: string): Promise<string> {
  const hash = createHash('sha256')
  for (let from = 0; from < text.length; from += LONG_STRING) {
    const startedAt = performance.now()
    hash.update(text.slice(from, from + LONG_STRING), 'utf16le')
    await restAfter(startedAt)
  }
  return hash.digest('hex')
}

/**
 * Sorts object keys, because bodies that differ only in the order of their fields are equal, and replaces long strings
 * with their hashes.
 */
function normalize(value: unknown, hashes: Map<string, string>): unknown {
  // No short string is equal to an object.
  if (typeof value === 'string')
    return value.length < LONG_STRING ? value : { sha256: hashes.get(value) }
  if (Array.isArray(value)) return value.map((item) => normalize(item, hashes))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, item]) => [key, normalize(item, hashes)]),
  )
}
