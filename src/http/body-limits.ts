import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { BudgetExhausted, createByteBudget } from '../lib/byte-budget.ts'
import type { Clock } from '../lib/clock.ts'
import { fail } from '../phrases/fail.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Bodies of routes that anybody may call. */
export const ANONYMOUS_LIMIT = 16 * KIB
/** Bodies of routes whose caller is known before the body is read. */
const GUARDED_LIMIT = MIB
/** Bodies up to this size are never delayed. */
const FREE_BYTES = 64 * KIB
const TOTAL_BYTES = 48 * MIB
const PER_PROJECT_BYTES = 24 * MIB
const WAIT_MS = 10_000
const MAX_WAITING = 200
const RETRY_AFTER_SECONDS = 1

type LimitedServer = {
  addHook(name: 'onRoute', hook: (route: RouteOptions) => void): unknown
  addHook(
    name: 'preParsing',
    hook: (request: FastifyRequest, reply: FastifyReply, payload: Readable) => Promise<unknown>,
  ): unknown
}

/**
 * Limits request bodies before they are read: by route, and by the memory that large JSON bodies take at once, in all and per
 * Project. What does not fit waits unread, and is refused with 503 after ten seconds.
 */
export function limitBodies(server: LimitedServer, clock: Clock): void {
  const budget = createByteBudget({
    ...{ clock, total: TOTAL_BYTES, perKey: PER_PROJECT_BYTES },
    ...{ timeoutMs: WAIT_MS, maxWaiting: MAX_WAITING },
  })

  server.addHook('onRoute', (route) => {
    route.bodyLimit ??= route.onRequest ? GUARDED_LIMIT : ANONYMOUS_LIMIT
  })

  server.addHook('preParsing', async (request, reply, payload) => {
    if (!request.headers['content-type']?.startsWith('application/json')) return payload
    const key = ownerOf(request)
    const limit = request.routeOptions.bodyLimit ?? ANONYMOUS_LIMIT
    const hold = async (bytes: number) => {
      const release = await budget.take(key, bytes).catch((error: unknown) => {
        if (!(error instanceof BudgetExhausted)) throw error
        throw fail('unavailable', (say) => say.http.busy, { retryAfter: RETRY_AFTER_SECONDS })
      })
      if (reply.raw.destroyed || reply.raw.closed) release()
      else reply.raw.once('close', release)
    }
    const length = Number(request.headers['content-length'] ?? limit)
    return Math.min(length, limit) > FREE_BYTES ? metered(payload, limit, hold) : payload
  })
}

/** A body that reserves memory as its bytes arrive: a declared length alone holds nothing. */
function metered(payload: Readable, limit: number, hold: (bytes: number) => Promise<void>) {
  async function* chunks() {
    let received = 0
    let reserved = FREE_BYTES
    for await (const chunk of payload as AsyncIterable<Buffer>) {
      received += chunk.length
      while (received > reserved && reserved < limit) {
        const step = Math.min(limit - reserved, reserved)
        await hold(step)
        reserved += step
      }
      yield chunk
    }
  }
  return Readable.from(chunks())
}

function ownerOf({ principal, ip }: FastifyRequest): string {
  return principal ? principal.projectId : `address ${ip}`
}
