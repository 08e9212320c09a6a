import type { Config, Mode } from '../kernel/config/config.ts'
import type { Platform } from '../platform/create-platform.ts'
import type { Network } from './network.port.ts'
import type { SimulatorFiles } from './simulator/session.ts'
import { createSimulator } from './simulator/simulator.ts'
import { createWhatsApp } from './whatsapp/whatsapp.ts'

/** Creates the `networks` module: the network of each mode, and the virtual phones of the simulator. */
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
  const networkOf = (mode: Mode) =>
    config.networks[mode] === 'simulator' ? simulator.network : whatsapp
  return {
    networks: { test: networkOf('test'), production: networkOf('production') },
    phones: simulator.phones,
    sweep: simulator.deleteExpiredMessages,
  }
}
