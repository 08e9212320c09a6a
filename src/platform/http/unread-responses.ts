import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../../kernel/attempt-limiter.ts'
import { fail } from '../../kernel/phrases/fail.ts'

const MIB = 1024 * 1024
/** Smaller responses fit into the buffers of the connection, and are not counted. */
const FREE_LENGTH = 64 * 1024
/** Maximum length of the responses that the clients of one Project, or of one network, have not received yet. */
const MAX_LENGTH_PER_KEY = 48 * MIB
const MAX_TOTAL_LENGTH = 192 * MIB
/** A client that takes nothing of its response for this long is disconnected. */
const STALL_TIMEOUT_MS = 60_000
const RETRY_AFTER_SECONDS = 1

/**
 * Limits what clients that do not read their responses can hold: their connections are closed after a minute without
 * progress, and further large responses are replaced by 503 while too much waits.
 */
export function limitUnreadResponses(
  server: {
    addHook(
      name: 'onSend',
      hook: (request: FastifyRequest, reply: FastifyReply, payload: unknown) => Promise<unknown>,
    ): unknown
  },
  limits = { perKey: MAX_LENGTH_PER_KEY, total: MAX_TOTAL_LENGTH, stallMs: STALL_TIMEOUT_MS },
): void {
  const held = new Map<string, number>()
  let total = 0

  function change(key: string, by: number): void {
    const left = (held.get(key) ?? 0) + by
    if (left === 0) held.delete(key)
    else held.set(key, left)
    total += by
  }

  server.addHook('onSend', async (request, reply, payload) => {
    // A request of this process, such as one of a tool, has no socket. Node refreshes this timer while the client takes data, and replaces it once the response is complete.
    if (reply.raw.socket instanceof Socket) reply.raw.socket.setTimeout(limits.stallMs)
    const length = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    if (length <= FREE_LENGTH || reply.raw.destroyed) return payload
    const key = request.principal?.projectId ?? networkOf(request.ip)
    const ofKey = held.get(key) ?? 0
    // A response of any size passes while nothing else of its key waits.
    if ((ofKey > 0 && ofKey + length > limits.perKey) || total + length > limits.total)
      throw fail('unavailable', (say) => say.http.busy, { retryAfter: RETRY_AFTER_SECONDS })
    change(key, length)
    reply.raw.once('close', () => change(key, -length))
    return payload
  })
}
