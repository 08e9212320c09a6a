import type { FastifyRequest } from 'fastify'
import { isSameToken } from '../../kernel/seal.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { hostnameOf } from './host.ts'
import { bearerToken } from './principal.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Server } from './server.ts'

/**
 * Callers on this machine that also use a loopback name: behind a proxy, external callers arrive from a loopback
 * address too, but with the server's public name.
 */
const LOOPBACK_ADDRESS = /^(127\.|::1$|::ffff:127\.)/
const LOOPBACK_NAME = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Whether a caller may read metrics: with the token, or from this machine if no token is configured. */
function mayRead(request: FastifyRequest, token: string | null): boolean {
  if (token !== null) return isSameToken(bearerToken(request) ?? '', token)
  const direct = request.headers['x-forwarded-for'] === undefined
  const address = request.socket.remoteAddress ?? ''
  return direct && LOOPBACK_ADDRESS.test(address) && LOOPBACK_NAME.test(hostnameOf(request.headers))
}

/** Serves /metrics to authorized callers, and measures every request by route template. */
export function addMetricsRoute(
  server: Server,
  { metrics, readMetrics }: { metrics: Metrics; readMetrics: () => Promise<string> },
  token: string | null,
): void {
  const seconds = metrics.histogram(
    'http_request_seconds',
    'Duration of HTTP requests',
    [0.005, 0.02, 0.05, 0.1, 0.25, 1, 5],
    ['method', 'route', 'status'],
  )
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    seconds
      .labels(request.method, route, String(reply.statusCode))
      .observe(reply.elapsedTime / 1000)
  })
  server.get(
    '/metrics',
    { schema: { hide: true }, config: { unlogged: true } },
    async (request, reply) => {
      if (!mayRead(request, token)) throw fail('not_found', (say) => say.http.routeNotFound)
      return reply.type(metrics.registry.contentType).send(await readMetrics())
    },
  )
}
