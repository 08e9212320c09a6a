import type { SessionsService } from '../company/sessions/sessions.service.ts'
import type { Authenticator } from '../platform/auth/authenticator.port.ts'
import type { Platform } from '../platform/create-platform.ts'
import { guardWith } from '../platform/http/principal.ts'
import type { Surface } from '../platform/http/surfaces.ts'
import type { Server } from '../platform/http/server.ts'
import type { Events } from './create-events.ts'
import { addDeliveryPanelRoutes } from './deliveries/deliveries.panel.ts'
import { addDeliveryRoutes } from './deliveries/deliveries.routes.ts'
import { addInboxReceiver, addInboxRoutes } from './inboxes/inboxes.routes.ts'
import { addLivePanelRoutes } from './streams/live.panel.ts'
import { addStreamRoutes } from './streams/streams.routes.ts'
import type { InstanceLookup } from './streams/streams.service.ts'
import { addWebhookPanelRoute } from './webhooks/webhooks.panel.ts'
import { addWebhookRoutes } from './webhooks/webhooks.routes.ts'

/** The services whose routes `events` adds. */
type Deps = Events &
  Pick<Platform, 'db' | 'clock' | 'activity' | 'bus' | 'idempotent'> & {
    authenticator: Authenticator
    instances: InstanceLookup
    sessions: SessionsService
  }

/** Adds the routes of webhooks, deliveries, test inboxes and streams to a surface. */
export async function addEventsRoutes(server: Server, deps: Deps, surface: Surface): Promise<void> {
  const develop = { ...deps, guard: surface.guard('develop') }
  addWebhookRoutes(server, develop)
  addDeliveryRoutes(server, develop)
  // Elsewhere these routes do not exist, whatever is sent to them.
  const { requireSimulator } = deps.inboxes
  addInboxRoutes(server, { ...develop, guard: guardWith(develop.guard, requireSimulator) })
  if (surface.kind === 'api') {
    addInboxReceiver(server, deps)
    await addStreamRoutes(server, deps)
    return
  }
  addWebhookPanelRoute(server, develop)
  addDeliveryPanelRoutes(server, develop)
  addLivePanelRoutes(server, { ...deps, surface })
}
