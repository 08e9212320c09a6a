import type { BusTopics } from '../../platform/bus/bus.port.ts'
import { publishChange } from '../../platform/bus/changes.ts'
import type { Server } from '../../platform/http/server.ts'

const OWN = /^\/(?:panel\/api\/:mode\/v1|panel\/api|v1)\//
/** Calls that change nothing that anybody shows. */
const QUIET = /\/(contacts\/check|qr-token|pairing-code)$|^\/v1\/auth\/|\/v1\/media$/
/** Events tell of what these bring, and there are very many of them. */
const TOLD_BY_EVENTS = /\/simulator\/phones\/:id\/(messages|read|calls|groups)/
const READ = /\/messages\/read$/

/** What a route changes, such as `webhooks` or `labels`, by its address; null where nobody needs to be told. */
function nounOf(url: string, byKey: boolean): string | null {
  if (!OWN.test(url) || QUIET.test(url) || TOLD_BY_EVENTS.test(url)) return null
  const [room = '', , part] = url.replace(OWN, '').split('/')
  const [, simulated] = url.split('/simulator/')
  if (simulated) return simulated.split('/')[0] ?? null
  if (room !== 'instances' || !part) return room
  if (READ.test(url)) return 'conversations'
  // What keys send is very much, and shows when its first event comes.
  return part === 'messages' && byKey ? null : part
}

/**
 * Tells the panels of a company what somebody has changed by a call, whoever it was and on whichever node. It goes out
 * after the answer, when everything is committed.
 */
export function tellChanges(server: Server, bus: BusTopics): void {
  server.addHook('onResponse', async (request, reply) => {
    const { principal, mode, method } = request
    if (method === 'GET' || method === 'HEAD' || !principal || reply.statusCode >= 300) return
    const what = nounOf(request.routeOptions.url ?? '', principal.kind === 'key')
    if (what) publishChange(bus.publish, { projectId: principal.projectId, mode, what })
  })
}
