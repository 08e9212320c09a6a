import { createCampaigns } from '../campaigns/create-campaigns.ts'
import { createRecipientTracker } from '../campaigns/track-recipients.ts'
import { createCompany } from '../company/create-company.ts'
import { createEvents } from '../events/create-events.ts'
import { createInstances } from '../instances/create-instances.ts'
import type { Config, Mode } from '../kernel/config/config.ts'
import { createMedia } from '../media/create-media.ts'
import { createDeferredFiles } from '../media/deferred-files.service.ts'
import { mediaStoreName } from '../media/create-store.ts'
import { createMessaging } from '../messaging/create-messaging.ts'
import { createNetworks } from '../networks/create-networks.ts'
import type { Network } from '../networks/network.port.ts'
import { createOperations } from '../operations/create-operations.ts'
import { createPlatform, type PlatformOverrides } from '../platform/create-platform.ts'

/** Overrides for tests and benchmarks. */
export type Overrides = PlatformOverrides & {
  /** Null acts as if WhatsApp were not installed. */
  whatsapp?: Network | null
  /** Stands in for Stripe. */
  stripe?: Parameters<typeof createCompany>[1]['stripe']
  /** Opens no session, so that accepted messages stay queued. For benchmarks of acceptance. */
  holdNetwork?: boolean
}

/** The loopback address at which the server reaches its own listener on a wildcard address. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Creates all modules in dependency order; everything that must be stopped is added to `stack`. */
export async function createModules(
  stack: AsyncDisposableStack,
  config: Config,
  overrides: Overrides,
) {
  const { whatsapp, stripe, holdNetwork = false } = overrides
  const simulates = (mode: Mode) => config.networks[mode] === 'simulator'
  const listener = { host: LOOPBACK[config.host] ?? config.host, port: config.port }
  const platform = await createPlatform(stack, config, overrides, mediaStoreName)
  const company = await createCompany(stack, { config, platform, stripe })
  const { audit, billing, authenticator } = company
  const outward = createEvents(stack, {
    config,
    platform,
    audit,
    authenticator,
    simulates,
    listener,
  })
  const { events } = outward
  const media = await createMedia(stack, { config, platform, authenticator })
  const { networkOf, cloudApi, phones, ...simulated } = createNetworks(stack, {
    config,
    platform,
    files: { open: (owner, id) => media.open({ ...owner, id }) },
    whatsapp,
  })
  const instances = createInstances(stack, {
    platform,
    audit,
    billing,
    projects: company.projects,
    panelUrl: config.panelUrl,
    authenticator,
    events,
    networkOf,
    cloudApi,
    fetchFile: (session, { mediaId, ...owner }) =>
      media.fetchHeld({ ...owner, keyId: null }, mediaId, (source) => session.download(source)),
  })
  const { clock, bus } = platform
  const files = createDeferredFiles({ clock, media })
  const messaging = createMessaging(stack, {
    platform,
    company,
    events,
    instances,
    media,
    files,
    phones,
    usesSimulator: simulates,
    listener: createRecipientTracker({ clock, publish: bus.publish }),
    holdNetwork,
  })
  const campaigns = createCampaigns(stack, {
    platform,
    company,
    media,
    files,
    messaging,
    instances: instances.instances,
  })
  const { panelUrl } = config
  const operations = createOperations(stack, {
    platform,
    company,
    instances: instances.instances,
    panelUrl,
  })
  return {
    config,
    ...platform,
    ...company,
    ...outward,
    media,
    ...instances,
    ...messaging,
    ...campaigns,
    ...operations,
    /** The address of the server; the port is set once it listens. */
    listener,
    sweepSimulator: simulated.sweep,
  }
}

/** Everything that the modules expose, by name. */
export type Modules = Awaited<ReturnType<typeof createModules>>
