import fastifyCookie from '@fastify/cookie'
import { addCampaignsRoutes } from '../campaigns/add-campaigns-routes.ts'
import { addCompanyRoutes } from '../company/add-company-routes.ts'
import { recordRequests } from '../company/requests/requests.panel.ts'
import { addEventsRoutes } from '../events/add-events-routes.ts'
import { catalog } from '../events/catalog/index.ts'
import { publishChanges } from '../events/streams/changes.panel.ts'
import { addInstancesRoutes } from '../instances/add-instances-routes.ts'
import { fail } from '../kernel/phrases/fail.ts'
import { addMediaRoutes } from '../media/media.routes.ts'
import { addMessagingRoutes } from '../messaging/add-messaging-routes.ts'
import { addOperationsRoutes } from '../operations/add-operations-routes.ts'
import { apiSurface, panelSurface, type Surface } from '../platform/http/surfaces.ts'
import { addHealthRoutes } from '../platform/http/health.ts'
import { parseTarget } from '../model/publishing.ts'
import { addMcp } from '../platform/http/mcp.ts'
import { addMetricsRoute } from '../platform/http/metrics-route.ts'
import {
  addOpenapi,
  addPanelDocument,
  describeEvents,
  serveOpenapi,
} from '../platform/http/openapi.ts'
import { addPanelFiles } from '../platform/http/panel-files.ts'
import type { Server } from '../platform/http/server.ts'
import { endStreamsOnClose } from '../platform/http/sse.ts'
import { traceRequests } from '../platform/http/trace-requests.ts'
import { addMailPanelRoute } from '../platform/mail/mail.panel.ts'
import { PANEL_DIST } from './build-panel.ts'
import type { Modules } from './create-modules.ts'

/** The modules, and the server state that the health routes report. */
type RoutesDeps = Modules & {
  version: string
  stopping: () => boolean
  /** Whether the node's heartbeat reaches the database. */
  heartbeatRecent: () => boolean
}

/** Registers the routes of all modules, in the order of the API reference. */
export async function addRoutes(http: Server, app: RoutesDeps): Promise<void> {
  const { config, version } = app
  const { publicUrl, sandboxUrl, panelUrl } = config
  await http.register(fastifyCookie)
  endStreamsOnClose(http)
  await addOpenapi(http, { publicUrl, sandboxUrl, version, events: describeEvents(catalog) })
  await addPanelDocument(http)
  publishChanges(http, app.bus)
  recordRequests(http, app.requests)
  addMetricsRoute(http, app, config)
  traceRequests(http, app)
  addHealthRoutes(http, { ...app, db: app.db.vital })
  addMailPanelRoute(http, { mailer: app.mailer, panelUrl })
  addOperationsRoutes(http, app)
  await addModules(http, app, apiSurface(app.authenticator))
  addMcp(http, { ...app, parseRecipient: parseTarget })
  await addPanelRoutes(http, app)
  addPanelFiles(http, PANEL_DIST)
  serveOpenapi(http, { clock: app.clock, publicUrl, sandboxUrl })
}

/** Adds the routes of all modules that both surfaces have. */
async function addModules(http: Server, app: Modules, surface: Surface): Promise<void> {
  await addCompanyRoutes(http, app, surface)
  await addInstancesRoutes(http, app, surface)
  await addMediaRoutes(http, app, surface)
  await addMessagingRoutes(http, app, surface)
  await addCampaignsRoutes(http, app, surface)
  await addEventsRoutes(http, app, surface)
}

/** Registers the routes a second time, for the panel, hidden from the API reference. */
async function addPanelRoutes(http: Server, app: Modules): Promise<void> {
  await http.register(
    async (panel) => {
      panel.addHook('onRoute', (route) => {
        route.schema = { ...route.schema, hide: true }
      })
      panel.addHook('onRequest', async (request) => {
        const { mode } = request.params as { mode: string }
        if (mode !== 'test' && mode !== 'production') {
          throw fail('not_found', (say) => say.http.routeNotFound)
        }
        request.mode = mode
      })
      await addModules(panel, app, panelSurface(app.authenticator))
    },
    { prefix: '/panel/api/:mode' },
  )
}
