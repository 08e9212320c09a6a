import type { Company } from '../company/create-company.ts'
import type { DeferredFiles } from '../media/deferred-files.service.ts'
import type { MediaService } from '../media/media.service.ts'
import type { Messaging } from '../messaging/create-messaging.ts'
import type { Platform } from '../platform/create-platform.ts'
import type { InstancesService } from '../instances/instances.service.ts'
import { createFinisher } from '../kernel/finisher.ts'
import type { Db } from '../platform/db/sql.ts'
import { findHalfCanceled, skipPending } from './recipients.sql.ts'
import { createAudiencesService } from './audiences.service.ts'
import { createCampaignsService } from './campaigns.service.ts'
import { startCampaignsWorker } from './campaigns.worker.ts'
import { createOptOutsService } from './opt-outs.service.ts'
import { createCampaignStepper } from './step-campaign.ts'

/** Creates the module `campaigns`: its services, and the worker that sends messages when they are due. */
export function createCampaigns(
  stack: AsyncDisposableStack,
  deps: {
    platform: Platform
    company: Company
    media: MediaService
    files: DeferredFiles
    messaging: Messaging
    instances: Pick<InstancesService, 'get'>
  },
) {
  const { platform, company, media, files, messaging, instances } = deps
  const { db, clock, activity, bus, dueWatch, onError } = platform
  const { audit, billing, projects } = company
  const { acceptor, numbers, contacts, labels, messages } = messaging
  const audiences = createAudiencesService({ clock, instances, labels })
  const step = createCampaignStepper({ db, clock, acceptor, numbers, contacts, media })
  const worker = startCampaignsWorker({ db, clock, activity, bus, dueWatch, step, onError })
  stack.defer(() => worker.stop())
  return {
    audiences,
    campaigns: createCampaignsService({
      clock,
      audit,
      billing,
      media,
      files,
      messages,
      audiences,
      projects,
      publish: bus.publish,
      db,
      cancels: createFinisher({
        activity,
        onError,
        idOf: ({ id }) => id,
        find: findHalfCanceled,
        step: (on: Db, { id, passedPosition }) => skipPending(on, id, passedPosition),
      }),
    }),
    optOuts: createOptOutsService({ clock, audit, projects }),
  }
}

/** The module `campaigns`. */
export type Campaigns = ReturnType<typeof createCampaigns>
