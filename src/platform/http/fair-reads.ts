import { availableParallelism } from 'node:os'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../kernel/clock.ts'
import { createFairSemaphore } from '../../kernel/fair-semaphore.ts'
import { isRead } from './methods.ts'

/** Maximum concurrent reads: slightly more than the number of database connections. */
const READ_CONCURRENCY = 16
/** With more than one per core, the searches of one Project would leave the others no core. */
const PROJECT_READ_CONCURRENCY = Math.max(2, availableParallelism())
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
 * receives it. Routes that respond for long, or wait for a network (`config.longLived`), take no slot. Returns the function
 * that releases the slot of a request earlier: a rejection that is delayed must not hold one.
 */
export function limitReads(
  server: HookedServer,
  clock: Clock,
  maxPerKey = PROJECT_READ_CONCURRENCY,
): (request: FastifyRequest) => void {
  const gate = createFairSemaphore({
    clock,
    max: READ_CONCURRENCY,
    maxPerKey,
    maxWaiting: MAX_WAITING,
    timeoutMs: WAIT_MS,
  })
  const slots = new WeakMap<FastifyRequest, () => void>()

  server.addHook('preHandler', async (request, reply) => {
    const { method, principal, routeOptions } = request
    if (!isRead(method) || !principal || routeOptions.config.longLived) return
    await new Promise<void>((proceed, refuse) => {
      const holdSlot = () => {
        proceed()
        return new Promise<void>((end) => {
          slots.set(request, end)
          if (reply.raw.destroyed || reply.raw.closed) end()
          else reply.raw.once('close', end)
        })
      }
      gate(principal.projectId, holdSlot).catch(refuse)
    })
  })
  const release = (request: FastifyRequest) => slots.get(request)?.()
  server.addHook('onSend', async (request, _reply, payload) => {
    release(request)
    return payload
  })
  return release
}
