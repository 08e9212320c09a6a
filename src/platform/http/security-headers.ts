import type { FastifyReply, FastifyRequest } from 'fastify'

const HSTS = 'max-age=31536000'

type HookedServer = {
  addHook(
    name: 'onSend',
    hook: (request: FastifyRequest, reply: FastifyReply, payload: unknown) => Promise<unknown>,
  ): unknown
}

/**
 * Headers of every response: no browser guesses a type, https is not left again, and nothing is cached unless its route says
 * that it may be (answers carry keys, secrets and what customers wrote).
 */
export function addSecurityHeaders(server: HookedServer): void {
  server.addHook('onSend', async (request, reply, payload) => {
    void reply.header('x-content-type-options', 'nosniff')
    if (request.protocol === 'https') void reply.header('strict-transport-security', HSTS)
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store')
    return payload
  })
}
