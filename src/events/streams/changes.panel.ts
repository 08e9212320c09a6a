import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Server } from '../../platform/http/server.ts'

/**
 * Publishes what a successful call changed, as its route declares in `config.changes`, to the panels of the company on every
 * node. It does so after the response, when everything is committed. Sends with API keys are not published: there are very
 * many of them, and panels show each on its first event.
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
