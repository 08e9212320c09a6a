import type { BusTopics } from '../bus/bus.port.ts'
import type { Server } from '../http/server.ts'

const OWN = /^\/(?:panel\/api\/:mode\/v1|panel\/api|v1)\//
/** Events tell of these, and there are very many of them. */
const TOLD_BY_EVENTS = new Set(['messages', 'auth', 'media'])

/** What a route changes, such as `webhooks` or `labels`, by its address; null where nobody needs to be told. */
function nounOf(url: string): string | null {
  if (!OWN.test(url)) return null
  const [room = '', , part] = url.replace(OWN, '').split('/')
  const [, phones] = url.split('/simulator/')
  const noun = phones?.split('/')[0] ?? (room === 'instances' && part ? part : room)
  return TOLD_BY_EVENTS.has(noun) ? null : noun
}

/**
 * Tells the panels of a company what somebody has changed by a call, whoever it was and on whichever node: the message is
 * `<project> <mode> <what>`. It goes out after the answer, when everything is committed.
 */
export function tellChanges(server: Server, bus: BusTopics): void {
  server.addHook('onResponse', async (request, reply) => {
    const { principal, mode, method } = request
    if (method === 'GET' || !principal || reply.statusCode >= 300) return
    const noun = nounOf(request.routeOptions.url ?? '')
    if (noun) bus.publish('changes', `${principal.projectId} ${mode} ${noun}`)
  })
}
