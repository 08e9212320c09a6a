import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../kernel/clock.ts'
import { createFairGate } from '../../kernel/fair-gate.ts'

/** Maximum concurrent reads: slightly more than the number of database connections. */
const AT_ONCE = 16
const AT_ONCE_OF_PROJECT = 4
const MAX_WAITING = 2000
const WAIT_MS = 10_000

type HookedServer = {
  addHook(
    name: 'preHandler',
    hook: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
  ): unknown
  addHook(
    name: 'onSend',
    hook: (request: FastifyRequest, reply: FastifyReply, payload: unknown) => Promise<unknown>,
  ): unknown
}

/**
 * Serves reads of different Projects round-robin, so that a Project that searches and lists continuously does not
 * occupy every database connection. A read releases its slot when the response is ready, however slowly the client
 * receives it. Routes with a long-lived response (`config.lasting`) take no slot.
 */
export function shareReads(server: HookedServer, clock: Clock): void {
  const gate = createFairGate({
    clock,
    max: AT_ONCE,
    maxPerKey: AT_ONCE_OF_PROJECT,
    maxWaiting: MAX_WAITING,
    timeoutMs: WAIT_MS,
  })
  const turns = new WeakMap<FastifyRequest, () => void>()

  server.addHook('preHandler', async (request, reply) => {
    const { method, principal, routeOptions } = request
    if (method !== 'GET' || !principal || routeOptions.config.lasting) return
    await new Promise<void>((proceed, refuse) => {
      const takeTurn = () => {
        proceed()
        return new Promise<void>((end) => {
          turns.set(request, end)
          if (reply.raw.destroyed || reply.raw.closed) end()
          else reply.raw.once('close', end)
        })
      }
      gate(principal.projectId, takeTurn).catch(refuse)
    })
  })
  server.addHook('onSend', async (request, _reply, payload) => {
    turns.get(request)?.()
    return payload
  })
}
