import type { MediaService } from '../media/media.service.ts'
import type { Platform } from '../platform/create-platform.ts'
import type { Surface } from '../platform/http/surfaces.ts'
import type { Server } from '../platform/http/server.ts'
import { addAudienceRoutes } from './audiences.routes.ts'
import { addCampaignRoutes } from './campaigns.routes.ts'
import type { Campaigns } from './create-campaigns.ts'
import { addOptOutRoutes } from './opt-outs.routes.ts'

/** The services whose routes `campaigns` adds. */
type Deps = Campaigns & Pick<Platform, 'db' | 'idempotent'> & { media: MediaService }

/** Adds the routes of campaigns and opt-outs to a surface. */
export async function addCampaignsRoutes(
  server: Server,
  deps: Deps,
  surface: Surface,
): Promise<void> {
  await addCampaignRoutes(server, { ...deps, guard: surface.guard('develop') })
  addAudienceRoutes(server, { ...deps, guard: surface.guard('develop') })
  addOptOutRoutes(server, { ...deps, guard: surface.guard('organize') })
}
