import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { BudgetExhausted, createByteBudget } from '../../kernel/byte-budget.ts'
import { networkOf } from '../../kernel/attempt-limiter.ts'
import { delay, type Clock } from '../../kernel/clock.ts'
import { createCpuPace, createTokenBuckets } from '../../kernel/token-bucket.ts'
import { createFairSemaphore, SemaphoreTimeout } from '../../kernel/fair-semaphore.ts'
import { fail, type Failure } from '../../kernel/phrases/fail.ts'
import type { Handled } from './handled.ts'
import { spool } from './spool.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Body limit in bytes of routes without authentication. */
export const ANONYMOUS_LIMIT = 16 * KIB
/** Body limit in bytes of routes whose caller is authenticated before the body is read. */
const GUARDED_LIMIT = MIB
/** Bodies up to this size stay in memory and are never delayed. */
const FREE_BYTES = 64 * KIB
/** Maximum number of large bodies received concurrently. */
const MAX_CONCURRENT_UPLOADS = 256
const MAX_CONCURRENT_UPLOADS_PER_PROJECT = 32
/** Memory for large bodies in total: enough for one of the largest. */
const MAX_TOTAL_BYTES = 24 * MIB
const MAX_PROJECT_BYTES = 16 * MIB
/**
 * Larger bodies take long enough to parse to delay other requests, so they are paced per Project; large anonymous bodies
 * of any size are paced, because reading them is all that they cost.
 */
const UNPACED_BYTES = 4 * MIB
const PACE = { perSecond: 4 * MIB, burst: 16 * MIB }
/** How fast large bodies of one key are read, in bytes: faster than most lines, and slow enough to leave time for others. */
const READING = { perSecond: 16 * MIB, burst: 2 * MIB }
/** Large unauthenticated bodies, such as webhooks of other services, have limits apart from those of Projects. */
const ANONYMOUS = { uploads: 32, uploadsPerKey: 8, bytes: 12 * MIB, bytesPerKey: 6 * MIB }
const WAIT_TIMEOUT_MS = 10_000
const MAX_WAITING = 200
const MAX_WAITING_PER_KEY = 50
const RETRY_AFTER_SECONDS = 1

type LimitedServer = {
  addHook(name: 'onRoute', hook: (route: RouteOptions) => void): unknown
  addHook(
    name: 'preParsing',
    hook: (request: FastifyRequest, reply: FastifyReply, payload: Readable) => Promise<unknown>,
  ): unknown
}

/** The slots and the memory of large bodies, in total and per key: a Project or a network. */
function createShares(
  clock: Clock,
  most: { uploads: number; uploadsPerKey: number; bytes: number; bytesPerKey: number },
) {
  const waiting = { clock, timeoutMs: WAIT_TIMEOUT_MS, maxWaiting: MAX_WAITING }
  const maxWaitingPerKey = MAX_WAITING_PER_KEY
  return {
    gate: createFairSemaphore({
      max: most.uploads,
      maxPerKey: most.uploadsPerKey,
      maxWaitingPerKey,
      ...waiting,
    }),
    budget: createByteBudget({ total: most.bytes, perKey: most.bytesPerKey, ...waiting }),
  }
}

/**
 * Limits request bodies: by route before they are read, and by the memory that large JSON bodies use at once, in total
 * and per Project; anonymous callers are limited separately, per network. A large body is received into a file, so that a
 * slow upload occupies no memory; once complete, it
 * waits for its share of the memory and is rejected with 503 after ten seconds.
 */
export function limitBodies(
  server: LimitedServer,
  deps: {
    clock: Clock
    dir: string
    delayRefusal: (address: string) => Promise<void>
    handled: Handled
  },
): void {
  const { clock, dir, delayRefusal, handled } = deps
  const ofProjects = createShares(clock, {
    uploads: MAX_CONCURRENT_UPLOADS,
    uploadsPerKey: MAX_CONCURRENT_UPLOADS_PER_PROJECT,
    bytes: MAX_TOTAL_BYTES,
    bytesPerKey: MAX_PROJECT_BYTES,
  })
  const ofAnonymous = createShares(clock, ANONYMOUS)
  const pace = createTokenBuckets({ clock, maxWaitMs: WAIT_TIMEOUT_MS })
  const paceReading = createCpuPace(READING)

  server.addHook('onRoute', (route) => {
    route.bodyLimit ??= route.onRequest ? GUARDED_LIMIT : ANONYMOUS_LIMIT
  })

  server.addHook('preParsing', async (request, reply, payload) => {
    refuseEncoding(request, reply)
    if (!isJson(request.headers['content-type'])) return payload
    const limit = request.routeOptions.bodyLimit ?? ANONYMOUS_LIMIT
    const length = request.headers['content-length']
    const declared = Number(length ?? limit)
    // Fastify rejects a body whose declared length exceeds the limit.
    if (Math.min(declared, limit) <= FREE_BYTES || declared > limit) return payload
    const { gate, budget } = request.principal ? ofProjects : ofAnonymous
    const key = request.principal?.projectId ?? networkOf(request.ip)
    const refuse = async (): Promise<never> => {
      void reply.header('connection', 'close')
      await delayRefusal(request.ip)
      throw fail('unavailable', (say) => say.http.busy, { retryAfter: RETRY_AFTER_SECONDS })
    }
    const wait = async (bytes: number) => {
      const unpaced = request.principal ? UNPACED_BYTES : FREE_BYTES
      const waitMs = bytes > unpaced ? pace.take(key, bytes, PACE) : 0
      if (waitMs === null) await refuse()
      else if (waitMs > 0) await delay(clock, waitMs)
    }
    // Rejected before it is read, because receiving a body only to discard it also costs other callers.
    if (length !== undefined) await wait(declared)
    const pause = (bytes: number) => paceReading(key, bytes)
    const arrive = () => spool(payload, { dir, inMemory: FREE_BYTES, limit, pause })
    const read = await gate(key, arrive).catch((error: unknown) => {
      if (error instanceof SemaphoreTimeout) return refuse()
      if (!request.raw.destroyed) throw error
      throw fail('bad_request', (say) => say.http.malformedRequest, { cause: error })
    })
    if (!read) {
      // The rest of the body is not read.
      void reply.header('connection', 'close')
      throw tooLarge(limit)
    }
    try {
      if (length === undefined) await wait(read.bytes)
      const release = await budget.acquire(key, read.bytes)
      const end = () => {
        release()
        // Nothing else closes the file if the client disconnects before the body is parsed.
        read.stream.destroy()
      }
      if (!handled.whenDone(request, reply, end)) {
        end()
        throw fail('bad_request', (say) => say.http.malformedRequest)
      }
    } catch (error) {
      read.stream.destroy()
      if (error instanceof BudgetExhausted) await refuse()
      throw error
    }
    return read.stream
  })
}

/** The codings of RFC 9110 and the usual others; some clients send a charset by mistake. */
const COMPRESSED = /\b(?:gzip|deflate|br|zstd|compress)\b/i

/** Throws 415 for a compressed body. */
function refuseEncoding({ headers }: FastifyRequest, reply: FastifyReply): void {
  const encoding = headers['content-encoding']
  if (encoding === undefined || !COMPRESSED.test(encoding)) return
  void reply.header('accept-encoding', 'identity')
  throw fail('unsupported_media_type', (say) => say.http.encoded(encoding.slice(0, 50)))
}

/** Media types are case-insensitive, as in the parser that reads the body. */
function isJson(contentType = ''): boolean {
  return contentType.trimStart().toLowerCase().startsWith('application/json')
}

/** The failure for a body that exceeds `limit` bytes. */
export function tooLarge(limit: number): Failure {
  const kib = Math.round(limit / KIB)
  const text = kib < 1024 ? `${kib} KiB` : `${Math.round(kib / 1024)} MiB`
  return fail('payload_too_large', (say) => say.http.tooLargeBody(text))
}
