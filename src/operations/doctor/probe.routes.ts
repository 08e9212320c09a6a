import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../kernel/clock.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { Server } from '../../platform/http/server.ts'
import { openEventStream } from '../../platform/http/sse.ts'
import {
  isProbeToken,
  PROBE_GAP_MS,
  PROBE_HEADER,
  PROBE_PATH,
  PROBE_STREAM_PATH,
  type Seen,
} from './probe.ts'

/**
 * Adds the routes with which the doctor checks the path through proxies: GET /probe returns how the request arrived, and
 * GET /probe/stream sends two events with a gap. Without a token of the doctor, both return 404.
 */
export function addProbeRoutes(server: Server, deps: { seal: Seal; clock: Clock }): void {
  const { seal, clock } = deps
  const options = {
    schema: { hide: true },
    config: { unlogged: true },
    async onRequest({ headers }: FastifyRequest, reply: FastifyReply) {
      if (isProbeToken(seal, headers[PROBE_HEADER], clock.now())) return
      reply.callNotFound()
      return reply
    },
  }

  server.get(PROBE_PATH, options, async (request): Promise<Seen> => ({
    mode: request.mode,
    scheme: request.protocol,
    client: request.ip,
    peer: request.socket.remoteAddress ?? '',
    forwarded: request.headers['x-forwarded-for'] !== undefined,
    trusted: (request.ips?.length ?? 0) > 1,
  }))
  server.get(PROBE_STREAM_PATH, options, async (_request, reply) => {
    const stream = openEventStream(reply, clock, () => timer.cancel())
    const timer = clock.after(PROBE_GAP_MS, () => {
      stream.send('second', {})
      stream.end()
    })
    stream.send('first', {})
  })
}
