import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../kernel/clock.ts'
import { messageSubject, type Tracing } from '../tracing/tracing.port.ts'
import type { Server } from './server.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The message that the response describes: its id and the subject of its trace. */
    concerns: { messageId: string; subject: string } | null
  }
}

/** Responses with a message begin with its id, and name its instance and WhatsApp's id within the first fields. */
const MESSAGE = /^\{"id":"(msg_\w+)"/
const INSTANCE = /"instanceId":"(\w+)"/
const WA_MESSAGE = /"waMessageId":"([^"]+)"/
const SEARCHED = 1000

/**
 * Records every request as a span in its caller's trace, with a link to the trace of the message that it created or
 * returned.
 */
export function traceRequests(server: Server, deps: { tracing: Tracing; clock: Clock }): void {
  const { tracing, clock } = deps
  if (!tracing.enabled) return
  server.decorateRequest('concerns', null)
  server.addHook('onSend', async (request, _reply, payload) => {
    if (typeof payload === 'string') request.concerns = findMessage(payload.slice(0, SEARCHED))
  })
  server.addHook('onResponse', async (request, reply) => {
    const { method, mode, headers, id, concerns, principal, routeOptions } = request
    if (routeOptions.config.unlogged) return
    const { statusCode } = reply
    const route = routeOptions.url ?? 'none'
    const endedAt = clock.now()
    const { traceparent } = headers
    tracing.record({
      name: `${method} ${route}`,
      kind: 'server',
      subject: null,
      caller: typeof traceparent === 'string' ? traceparent : undefined,
      concerns: concerns ? [concerns.subject] : [],
      startedAt: endedAt - reply.elapsedTime,
      endedAt,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': statusCode,
        'recado.request_id': id,
        'recado.mode': mode,
        ...(principal ? { 'recado.project_id': principal.projectId } : {}),
        ...(concerns ? { 'recado.message_id': concerns.messageId } : {}),
      },
      failure: statusCode >= 500 ? `HTTP ${statusCode}` : null,
    })
  })
}

function findMessage(payload: string): FastifyRequest['concerns'] {
  const [messageId, instanceId, waMessageId] = [MESSAGE, INSTANCE, WA_MESSAGE].map(
    (pattern) => pattern.exec(payload)?.[1],
  )
  if (!messageId || !instanceId || !waMessageId) return null
  return { messageId, subject: messageSubject(instanceId, waMessageId) }
}
