import type { HTTPMethods, RouteOptions } from 'fastify'
import { fail } from '../../kernel/phrases/fail.ts'

/** Paths of our own routes; the plugin that serves files handles other methods itself. */
const OWN_ROUTES =
  /^\/((v1|panel|caixa|cloud)\/|(mcp|metrics|healthz|readyz|parear|docs|openapi\.json|asyncapi\.json)?$)/
const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Whether a request of this method only reads. HEAD runs the same handler as GET, so every rule for one holds for both. */
export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** The part of a server used here. */
type RouteWatcher = {
  addHook(name: 'onRoute', hook: (route: RouteOptions) => void): unknown
  route(options: RouteOptions): unknown
}

/**
 * Records the methods of each path. The returned function must be called after the last route is added; it responds to
 * other methods: OPTIONS with 204 and `Allow`, any other with 405 and `Allow` instead of a 404.
 */
export function watchMethods(server: RouteWatcher): () => void {
  const taken = new Map<string, Set<string>>()
  server.addHook('onRoute', (route) => {
    const methods = taken.get(route.url) ?? new Set()
    for (const method of [route.method].flat()) methods.add(method)
    taken.set(route.url, methods)
  })
  return () => {
    for (const [url, methods] of taken) {
      if (!OWN_ROUTES.test(url)) continue
      const allowed = [...new Set([...methods, 'OPTIONS'])].join(', ')
      if (!methods.has('OPTIONS')) {
        server.route({
          method: 'OPTIONS',
          url,
          schema: { hide: true },
          config: { unlogged: true },
          handler: async (_request, reply) => reply.header('allow', allowed).code(204).send(),
        })
      }
      const others = METHODS.filter((method) => !methods.has(method))
      if (others.length === 0) continue
      server.route({
        method: others,
        url,
        schema: { hide: true },
        onRequest: async (_request, reply) => {
          void reply.header('allow', allowed)
          throw fail('method_not_allowed', (say) => say.http.methodNotAllowed(allowed))
        },
        handler: async () => {},
      })
    }
  }
}
