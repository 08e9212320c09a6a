import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Server } from '../../platform/http/server.ts'

/**
 * Publishes the kind of resource that a successful call changed, which its route declares in `config.changes`, to the
 * panels of the Project on every node. Runs after the response, when everything is committed. Messages sent with API
 * keys are not published: there are too many, and panels show each of them on its first event.
 */
export function publishChanges(server: Server, bus: BusTopics): void {
  server.addHook('onResponse', async (request, reply) => {
    const { principal, mode } = request
    const what = request.routeOptions.config.changes
    if (!what || !principal || reply.statusCode >= 300) return
    if (what === 'messages' && principal.kind === 'key') return
    bus.publish('changes', { projectId: principal.projectId, mode, what })
  })
}
