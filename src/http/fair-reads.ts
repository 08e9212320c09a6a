import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../lib/clock.ts'
import { createFairGate } from '../lib/fair-gate.ts'

/** Reads that are carried out at the same time: a few more than the database has connections for. */
const AT_ONCE = 16
const AT_ONCE_OF_PROJECT = 4
const MAX_WAITING = 2000
const WAIT_MS = 10_000

type HookedServer = {
  addHook(
    name: 'preHandler',
    hook: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
  ): unknown
}

/**
 * Lets the reads of a Project take turns with those of others, so that one that searches and lists without pause does not keep
 * the connections of the database. Routes whose answer lasts (`config.lasting`) take no turn.
 */
export function shareReads(server: HookedServer, clock: Clock): void {
  const gate = createFairGate({
    ...{ clock, max: AT_ONCE, maxPerKey: AT_ONCE_OF_PROJECT },
    ...{ maxWaiting: MAX_WAITING, timeoutMs: WAIT_MS },
  })
  server.addHook('preHandler', async ({ method, principal, routeOptions }, reply) => {
    if (method !== 'GET' || !principal || routeOptions.config.lasting) return
    await new Promise<void>((proceed, refuse) => {
      const answer = () => {
        proceed()
        return new Promise<void>((ended) => {
          if (reply.raw.destroyed || reply.raw.closed) ended()
          else reply.raw.once('close', ended)
        })
      }
      gate(principal.projectId, answer).catch(refuse)
    })
  })
}
