import type { Platform } from '../platform/create-platform.ts'
import type { Surface } from '../platform/http/surfaces.ts'
import type { Server } from '../platform/http/server.ts'
import type { Instances } from './create-instances.ts'
import { addInstancePanelRoutes } from './instances.panel.ts'
import { addCloudAccountRoutes, addCloudWebhookRoutes } from './cloud-accounts.routes.ts'
import { addInstanceRoutes } from './instances.routes.ts'
import { addPairingLinkRoutes, addPublicPairingRoutes } from './pairing-links.routes.ts'
import { addPairingRoutes } from './pairing.routes.ts'

/** The services whose routes `instances` adds. */
type Deps = Instances & Pick<Platform, 'db' | 'idempotent'>

/** Adds the routes of instances and their pairing to a surface. */
export async function addInstancesRoutes(
  server: Server,
  deps: Deps,
  surface: Surface,
): Promise<void> {
  const operate = { ...deps, guard: surface.guard('operate') }
  const pairingGuard = surface.guard('pair')
  addInstanceRoutes(server, operate)
  addPairingRoutes(server, { ...deps, guard: pairingGuard })
  addPairingLinkRoutes(server, { ...deps, guard: surface.guard('develop') })
  addCloudAccountRoutes(server, { ...deps, guard: pairingGuard })
  if (surface.kind === 'panel') addInstancePanelRoutes(server, { ...operate, pairingGuard })
  else {
    addPublicPairingRoutes(server, deps)
    await addCloudWebhookRoutes(server, deps)
  }
}
