import type { FastifyRequest } from 'fastify'
import { fail } from '../../kernel/phrases/fail.ts'
import { refuseBadText } from './json-body.ts'
import { refuseFields } from './refuse-fields.ts'

/** Routes that reject unknown query parameters; test inboxes accept any. */
const STRICT_ROUTES = /^\/((v1|panel\/api)\/|mcp$)/
/** Parameters that may be empty: a search for nothing finds everything, and an empty token is one that is not valid. */
const MAY_BE_EMPTY = new Set(['q', 'token'])
const MAX_SHOWN_NAME = 100

/**
 * Rejects input that a route would ignore: query parameters that it does not have, empty ones, which a filter would
 * take for "all", bodies of routes without one, and text that PostgreSQL cannot store.
 */
export function requireKnownInput(server: {
  addHook(name: 'preValidation', hook: (request: FastifyRequest) => Promise<void>): unknown
}): void {
  server.addHook('preValidation', async (request) => {
    const { schema, url = '' } = request.routeOptions
    if (STRICT_ROUTES.test(url) && request.method !== 'OPTIONS') {
      const query = Object.entries(request.query as object)
      const [unknown] = query[0] ?? []
      if (unknown !== undefined && schema?.querystring === undefined) {
        const shown = unknown.slice(0, MAX_SHOWN_NAME)
        throw fail('bad_request', (say) => say.http.unknownParameter(shown), { field: unknown })
      }
      const [empty] = query.find(([name, value]) => value === '' && !MAY_BE_EMPTY.has(name)) ?? []
      // The event stream reports its errors with a close code, from its own validation.
      if (empty !== undefined && !request.ws) {
        const shown = empty.slice(0, MAX_SHOWN_NAME)
        throw fail('bad_request', (say) => say.http.emptyParameter(shown), { field: empty })
      }
      if (schema?.body === undefined && url !== '/mcp') refuseFields(request.body)
    }
    if (request.url.includes('%')) {
      refuseBadText(request.params, '')
      refuseBadText(request.query, '')
    }
  })
}
