import type { FastifyReply, FastifyRequest } from 'fastify'

const HSTS = 'max-age=31536000'

type HookedServer = {
  addHook(
    name: 'onSend',
    hook: (request: FastifyRequest, reply: FastifyReply, payload: unknown) => Promise<unknown>,
  ): unknown
}

/**
 * Adds headers to every response: browsers must not guess media types or leave https, and nothing is cached unless the
 * route allows it, because responses contain keys, secrets and customers' messages.
 */
export function addSecurityHeaders(server: HookedServer): void {
  server.addHook('onSend', async (request, reply, payload) => {
    void reply.header('x-content-type-options', 'nosniff')
    if (request.protocol === 'https') void reply.header('strict-transport-security', HSTS)
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store')
    return payload
  })
}
