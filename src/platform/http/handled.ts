import type { FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify'

type Progress = { isHandled: boolean; ends: Set<() => void> }

/** Calls functions once the work of a request has ended; see `watchHandlers`. */
export type Handled = {
  /**
   * Calls `end` once the handler of the request has made its response or failed, or once its connection closes if no
   * handler has begun.
   * Returns false, without calling `end`, if the client is gone already and no handler will begin.
   */
  whenDone(request: FastifyRequest, reply: FastifyReply, end: () => void): boolean
}

/**
 * Watches the handlers of the routes added from now on. What a request holds must stay held while its handler works, also
 * after its client has disconnected: the statements of a handler go on.
 */
export function watchHandlers(server: {
  addHook(name: 'onRoute', hook: (route: RouteOptions) => void): unknown
  addHook(
    name: 'onSend',
    hook: (request: FastifyRequest, reply: FastifyReply, payload: unknown) => Promise<unknown>,
  ): unknown
}): Handled {
  const progress = new WeakMap<FastifyRequest, Progress>()

  function finish(request: FastifyRequest): void {
    const ends = progress.get(request)?.ends ?? []
    progress.delete(request)
    for (const end of ends) end()
  }

  server.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = async function handle(request, reply) {
      const known = progress.get(request)
      if (!known) return handler.call(this, request, reply)
      known.isHandled = true
      try {
        return await handler.call(this, request, reply)
      } finally {
        finish(request)
      }
    } satisfies RouteHandlerMethod
  })

  // A handler that returns the reply settles only when the client has received the response, which may be never.
  server.addHook('onSend', async (request, _reply, payload) => {
    finish(request)
    return payload
  })

  return {
    whenDone(request, reply, end) {
      if (reply.raw.destroyed || reply.raw.closed) return false
      const known = progress.get(request)
      if (known) known.ends.add(end)
      else {
        const fresh: Progress = { isHandled: false, ends: new Set([end]) }
        progress.set(request, fresh)
        reply.raw.once('close', () => {
          if (!fresh.isHandled) finish(request)
        })
      }
      return true
    },
  }
}
