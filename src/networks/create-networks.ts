import type { Config, Mode } from '../kernel/config/config.ts'
import type { InstanceNetwork } from '../model/instance-network.schemas.ts'
import type { Platform } from '../platform/create-platform.ts'
import { createCloudApi } from './cloud-api/cloud-api.ts'
import { CLOUD_WEBHOOK_PATH } from './cloud-api/webhook.ts'
import type { Network } from './network.port.ts'
import type { SimulatorFiles } from './simulator/session.ts'
import { createSimulator } from './simulator/simulator.ts'
import { createWhatsApp } from './whatsapp/whatsapp.ts'

/** Returns the network of an instance; null if it is not installed. */
export type NetworkOf = (instance: { mode: Mode; network: InstanceNetwork }) => Network | null

/** Creates the `networks` module: the network of each instance, and the virtual phones of the simulator. */
export function createNetworks(
  stack: AsyncDisposableStack,
  deps: {
    config: Config
    platform: Platform
    /** Opens the stored files that virtual phones send. */
    files: SimulatorFiles
    /** Replaces the WhatsApp adapter in tests; null simulates a missing Baileys installation. */
    whatsapp: Network | null | undefined
  },
) {
  const { config, platform, files } = deps
  const { db, clock, activity, bus, dueWatch, logger, egress, policy, metrics, onError } = platform
  const simulator = createSimulator({ db, clock, activity, bus, dueWatch, files, onError })
  stack.defer(() => simulator.network.stop())
  const settings = config.whatsapp
  const whatsapp =
    deps.whatsapp === undefined
      ? createWhatsApp({ clock, activity, logger, egress, policy, metrics, onError, settings })
      : deps.whatsapp
  const cloudApi = createCloudApi({
    clock,
    activity,
    dispatcher: egress.dispatcher,
    baseUrl: config.cloudApiUrl,
    callbackUrl: (id) => config.publicUrl + CLOUD_WEBHOOK_PATH.replace(':id', id),
    onError,
  })
  const networkOf: NetworkOf = ({ mode, network }) => {
    if (config.networks[mode] === 'simulator') return simulator.network
    return network === 'cloud_api' ? cloudApi : whatsapp
  }
  return {
    networkOf,
    cloudApi,
    phones: simulator.phones,
    sweep: simulator.deleteExpiredMessages,
  }
}
