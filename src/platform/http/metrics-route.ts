import type { FastifyRequest } from 'fastify'
import type { Config } from '../../kernel/config/config.ts'
import { isSameToken } from '../../kernel/seal.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { cameThroughProxy } from './came-through-proxy.ts'
import { hostnameOf } from './host.ts'
import { bearerToken } from './principal.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Server } from './server.ts'

/** Addresses and names of this machine. */
const LOOPBACK_ADDRESS = /^(127\.|::1$|::ffff:127\.)/
const LOOPBACK_NAME = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * Whether a caller may read metrics: with the token. Without one, callers on this machine may, if the server has no
 * public name: with one there may be a proxy, through which every caller seems to be on this machine.
 */
function mayRead(request: FastifyRequest, { metricsToken, publicUrl }: MetricsSettings): boolean {
  if (metricsToken !== null) return isSameToken(bearerToken(request) ?? '', metricsToken)
  if (!LOOPBACK_NAME.test(new URL(publicUrl).hostname)) return false
  const direct = !cameThroughProxy(request)
  const address = request.socket.remoteAddress ?? ''
  return direct && LOOPBACK_ADDRESS.test(address) && LOOPBACK_NAME.test(hostnameOf(request.headers))
}

type MetricsSettings = Pick<Config, 'metricsToken' | 'publicUrl'>

/** Serves /metrics to authorized callers, and measures every request by route template. */
export function addMetricsRoute(
  server: Server,
  { metrics, readMetrics }: { metrics: Metrics; readMetrics: () => Promise<string> },
  settings: MetricsSettings,
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
  let reading: Promise<string> | null = null
  server.get(
    '/metrics',
    { schema: { hide: true }, config: { unlogged: true } },
    async (request, reply) => {
      if (!mayRead(request, settings)) throw fail('not_found', (say) => say.http.routeNotFound)
      // Callers at the same moment share one collection.
      reading ??= readMetrics().finally(() => (reading = null))
      return reply.type(metrics.registry.contentType).send(await reading)
    },
  )
}
