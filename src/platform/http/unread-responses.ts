import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../../kernel/phrases/fail.ts'
import { isRead } from './methods.ts'

const MIB = 1024 * 1024
/** Smaller responses fit into the buffers of the connection, and are not counted. */
const FREE_LENGTH = 64 * 1024
/** Maximum length of the responses that the clients of one Project have not received yet. */
const MAX_LENGTH_PER_PROJECT = 48 * MIB
const MAX_TOTAL_LENGTH = 192 * MIB
/** A client that takes nothing of its response for this long, or at most twice as long, is disconnected. */
const STALL_TIMEOUT_MS = 60_000
const RETRY_AFTER_SECONDS = 1

/** Headers of a response that do not apply to the error that replaces it. */
const REPLACED_HEADERS = [
  'content-encoding',
  'content-disposition',
  'cache-control',
  'etag',
  'link',
]

/**
 * Limits what clients that do not read their responses can hold. Their connections are closed after one to two minutes
 * without progress, and while too much of a Project waits, its further large responses to reads are replaced by 503.
 * Responses to anonymous callers share their data, and are not counted.
 */
export function limitUnreadResponses(
  server: {
    addHook(
      name: 'onSend',
      hook: (request: FastifyRequest, reply: FastifyReply, payload: unknown) => Promise<unknown>,
    ): unknown
  },
  limits = {
    perProject: MAX_LENGTH_PER_PROJECT,
    total: MAX_TOTAL_LENGTH,
    stallMs: STALL_TIMEOUT_MS,
  },
): void {
  const held = new Map<string, number>()
  let total = 0

  function change(projectId: string, by: number): void {
    const left = (held.get(projectId) ?? 0) + by
    if (left === 0) held.delete(projectId)
    else held.set(projectId, left)
    total += by
  }

  server.addHook('onSend', async (request, reply, payload) => {
    // Node refreshes this timer while the client takes data, and replaces it once the response is complete. A request of
    // this process, such as one of a tool, has no socket.
    if (reply.raw.socket instanceof Socket) reply.raw.socket.setTimeout(limits.stallMs)
    const length = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    const { projectId } = request.principal ?? {}
    if (!projectId || length <= FREE_LENGTH || reply.raw.destroyed) return payload
    const ofProject = held.get(projectId) ?? 0
    // A response of any size passes while nothing else of its Project waits, and so does that of a change, which is done.
    const isFull =
      (ofProject > 0 && ofProject + length > limits.perProject) || total + length > limits.total
    if (isFull && isRead(request.method)) {
      for (const name of REPLACED_HEADERS) void reply.removeHeader(name)
      void reply.header('cache-control', 'no-store')
      throw fail('unavailable', (say) => say.http.busy, { retryAfter: RETRY_AFTER_SECONDS })
    }
    change(projectId, length)
    reply.raw.once('close', () => change(projectId, -length))
    return payload
  })
}
