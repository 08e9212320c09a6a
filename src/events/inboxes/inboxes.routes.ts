import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import { NoContent, PageQuery } from '../../kernel/schemas.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { delay, type Clock } from '../../kernel/clock.ts'
import { createTokenBuckets } from '../../kernel/token-bucket.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import {
  InboxResponseBody,
  CreateInboxBody,
  Inbox,
  InboxList,
  InboxRequestList,
} from './inboxes.schemas.ts'
import { MAX_INBOX_BODY, type InboxesService } from './inboxes.service.ts'

const tags = ['Simulador']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const notFound = { 404: say.inboxes.notFound }
/** How long a late response is delayed: beyond the 15 s budget of a delivery. */
const RESPONSE_DELAY_MS = 20_000
/** Maximum responses delayed at the same time on this node, in total and per Project. */
const MAX_DELAYED = 1000
const MAX_DELAYED_PER_PROJECT = 20

/** Adds the public routes that manage test inboxes (G55). */
export function addInboxRoutes(
  server: Server,
  deps: {
    db: Db
    inboxes: InboxesService
    guard: Guard
    idempotent: Idempotent
  },
): void {
  const { db, inboxes, guard: onRequest, idempotent } = deps

  server.post(
    '/v1/simulator/inboxes',
    {
      config: { idempotent: true, changes: 'inboxes' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'createInbox',
        summary: 'Criar uma caixa de teste',
        body: CreateInboxBody,
        response: responses({ 201: Inbox }, [400, 401, 402, 403, 404, 409, 413, 415]),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 201,
        body: await inboxes.create(tx, scopeOf(request), request.body.name),
      })),
  )

  server.get(
    '/v1/simulator/inboxes',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listInboxes',
        summary: 'Listar as caixas de teste',
        querystring: Type.Object(PageQuery),
        response: responses({ 200: InboxList }, [400, 401, 402, 403, 404]),
      },
    },
    (request) => inboxes.list(db, scopeOf(request), request.query),
  )

  server.get(
    '/v1/simulator/inboxes/:id',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getInbox',
        summary: 'Ver uma caixa de teste',
        params,
        response: responses({ 200: Inbox }, [401, 402, 403, 404], notFound),
      },
    },
    (request) => inboxes.get(db, scopeOf(request), request.params.id),
  )

  server.delete(
    '/v1/simulator/inboxes/:id',
    {
      config: { changes: 'inboxes' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'deleteInbox',
        summary: 'Remover uma caixa de teste',
        params,
        response: responses({ 204: NoContent }, [401, 402, 403, 404], notFound),
      },
    },
    async (request, reply) => {
      await inboxes.remove(db, scopeOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )

  server.get(
    '/v1/simulator/inboxes/:id/requests',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listInboxRequests',
        summary: 'Ver as últimas requisições que a caixa recebeu',
        params,
        querystring: Type.Object(PageQuery),
        response: responses({ 200: InboxRequestList }, [400, 401, 402, 403, 404], notFound),
      },
    },
    (request) => inboxes.requests(db, scopeOf(request), request.params.id, request.query),
  )

  server.put(
    '/v1/simulator/inboxes/:id/answer',
    {
      config: { changes: 'inboxes' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'setInboxAnswer',
        summary: 'Escolher o que a caixa responde',
        params,
        body: InboxResponseBody,
        response: responses({ 200: Inbox }, [400, 401, 402, 403, 404, 413, 415], notFound),
      },
    },
    (request) => inboxes.setResponse(db, scopeOf(request), request.params.id, request.body),
  )
}

/**
 * Delays responses until the delivery has timed out, the caller has disconnected or the server stops. Because inboxes
 * are public, responses beyond `MAX_DELAYED_PER_PROJECT` at a time are not delayed.
 */
function createDelayedResponses(server: Server, clock: Clock) {
  /** The function that ends the delay of each response, and the response's Project. */
  const waiting = new Map<() => void, string>()
  server.addHook('preClose', async () => {
    for (const go of waiting.keys()) go()
  })
  return {
    async wait(reply: FastifyReply, projectId: string): Promise<void> {
      const own = [...waiting.values()].filter((project) => project === projectId).length
      if (waiting.size >= MAX_DELAYED || own >= MAX_DELAYED_PER_PROJECT || reply.raw.destroyed)
        return
      await new Promise<void>((resolve) => {
        const go = () => {
          timer.cancel()
          waiting.delete(go)
          resolve()
        }
        const timer = clock.after(RESPONSE_DELAY_MS, go)
        waiting.set(go, projectId)
        reply.raw.once('close', go)
      })
    },
  }
}

const MIB = 1024 * 1024
/** Rate, in bytes, that the inboxes of one Project accept together. */
const RATE = { perSecond: MIB / 2, burst: 4 * MIB }
const MAX_WAIT_MS = 5000
/** Flat cost of a request in addition to its body. */
const OVERHEAD_BYTES = 512

/**
 * Adds the public endpoint of inboxes, which accepts any request. It is outside /v1, because it is a target and not
 * part of the API.
 */
export function addInboxReceiver(
  server: Server,
  deps: { db: Db; clock: Clock; inboxes: InboxesService },
): void {
  const { db, clock, inboxes } = deps
  const late = createDelayedResponses(server, clock)
  const bytesOf = createTokenBuckets({ clock, maxWaitMs: MAX_WAIT_MS })

  /**
   * Limits the rate per Project, because inboxes are public and their writes must not slow the database down for
   * others. Returns the Project. Throws 404 for an unknown inbox and 429 above the rate.
   */
  async function limitRate(inboxId: string, bytes: number): Promise<string> {
    const projectId = await inboxes.ownerOf(db, inboxId)
    if (projectId === null) throw fail('not_found', (say) => say.inboxes.notFound)
    const waitMs = bytesOf.take(projectId, bytes, RATE)
    if (waitMs === null) {
      throw fail('rate_limited', (say) => say.inboxes.tooFast, { retryAfter: 5 })
    }
    if (waitMs > 0) await delay(clock, waitMs)
    return projectId
  }

  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer' },
      async (_: unknown, body: unknown) => body,
    )
    scope.route({
      method: ['POST', 'GET', 'PUT'],
      url: '/caixa/:id',
      bodyLimit: MAX_INBOX_BODY,
      config: { unlogged: true },
      schema: { hide: true, params },
      handler: async (request, reply) => {
        const { id } = request.params as { id: string }
        const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const projectId = await limitRate(id, bytes.length + OVERHEAD_BYTES)
        // PostgreSQL text cannot contain NUL.
        const body = bytes.toString('utf8').replaceAll('\0', '\u{fffd}')
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
        )
        const answer = await inboxes.receive(db, id, { method: request.method, headers, body })
        if (answer === null) throw fail('not_found', (say) => say.inboxes.notFound)
        if (answer.late) await late.wait(reply, projectId)
        return reply.code(answer.status).send({ received: true })
      },
    })
  })
}
