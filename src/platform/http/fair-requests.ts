import type { FastifyReply, FastifyRequest } from 'fastify'
import { delay, type Clock } from '../../kernel/clock.ts'
import {
  createFairSemaphore,
  SemaphoreTimeout,
  type FairSemaphore,
} from '../../kernel/fair-semaphore.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { createTokenBuckets } from '../../kernel/token-bucket.ts'
import type { Share } from '../db/shares.ts'
import type { Handled } from './handled.ts'
import { isRead } from './methods.ts'

/** Maximum concurrent requests that make others; these are counted apart, so that the outer ones do not use up their slots. */
const NESTED: Share = { max: 16, maxPerKey: 4 }
/** They also cost the most computing time, so those of one Project are paced. */
const NESTED_PER_PROJECT = { perSecond: 20, burst: 40 }
const MAX_WAITING = 2000
const WAIT_MS = 10_000

type HookedServer = {
  addHook(
    name: 'preHandler',
    hook: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
  ): unknown
}

/** What a request has that decides whether it takes a slot. */
type Candidate = Pick<FastifyRequest, 'headers' | 'body' | 'routeOptions'>

/** Whether a body has a file: itself, its message, or one of its items. */
function hasFile(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || Buffer.isBuffer(body)) return false
  const { message, items } = body as { message?: unknown; items?: unknown }
  return [body, message, ...(Array.isArray(items) ? items : [])].some(
    (part) =>
      typeof part === 'object' &&
      part !== null &&
      'media' in part &&
      typeof part.media === 'object' &&
      part.media !== null,
  )
}

/**
 * Whether a change takes a slot: not one that has slots of its own, because it has an Idempotency-Key or uploads a
 * file; not one that may wait for a network or a file, which must not keep others waiting; and not a send, which shares a
 * connection with those of other Projects or takes a turn with those of its own.
 */
function takesChangeSlot({ headers, body, routeOptions }: Candidate): boolean {
  const { longLived, asksNetwork, waits, batched, idempotent } = routeOptions.config
  if (longLived || asksNetwork || waits || batched || hasFile(body)) return false
  // Elsewhere the header and the media type mean nothing, so they must not let a request past.
  if (!idempotent) return true
  const type = headers['content-type'] ?? ''
  return headers['idempotency-key'] === undefined && !/^(?:multipart\/|text\/csv)/i.test(type)
}

/**
 * Serves requests of different Projects round-robin, reads and changes apart, so that a Project that searches, lists or
 * changes something continuously does not occupy every database connection. A request releases its slot when its handler
 * has ended, however slowly the client receives the response, and no earlier, even if the client disconnects. Returns the
 * function that releases the slot of a request that no handler has begun to serve: a rejection that is delayed must not
 * hold one.
 */
export function limitRequests(
  server: HookedServer,
  clock: Clock,
  handled: Handled,
  shares: { reads: Share; changes: Share },
): (request: FastifyRequest) => void {
  const createGate = (share: Share) =>
    createFairSemaphore({ clock, ...share, maxWaiting: MAX_WAITING, timeoutMs: WAIT_MS })
  const reads = createGate(shares.reads)
  const changes = createGate(shares.changes)
  const nested = createGate(NESTED)
  const pace = createTokenBuckets({ clock, maxWaitMs: WAIT_MS })
  const slots = new WeakMap<FastifyRequest, () => void>()

  function gateOf(request: FastifyRequest): FairSemaphore | null {
    const { config } = request.routeOptions
    if (config.nested) return nested
    if (isRead(request.method)) return config.longLived || config.waits ? null : reads
    return takesChangeSlot(request) ? changes : null
  }

  server.addHook('preHandler', async (request, reply) => {
    const { principal } = request
    const gate = principal && gateOf(request)
    if (!principal || !gate) return
    if (gate === nested) {
      const waitMs = pace.take(principal.projectId, 1, NESTED_PER_PROJECT)
      if (waitMs === null)
        throw new SemaphoreTimeout(`pace of nested requests exceeded (key ${principal.projectId})`)
      if (waitMs > 0) await delay(clock, waitMs)
    }
    await new Promise<void>((proceed, refuse) => {
      const holdSlot = () =>
        new Promise<void>((end) => {
          slots.set(request, end)
          if (handled.whenDone(request, reply, end)) return proceed()
          end()
          refuse(fail('bad_request', (say) => say.http.malformedRequest))
        })
      gate(principal.projectId, holdSlot).catch(refuse)
    })
  })
  return (request) => slots.get(request)?.()
}
