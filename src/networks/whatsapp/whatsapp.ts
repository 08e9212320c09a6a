import type { Logger } from 'pino'
import type { Activity } from '../../lib/activity.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Network } from '../network.port.ts'
import { loadBaileys } from './baileys.ts'
import type { LineSettings } from './line.ts'
import { openSession } from './session.ts'

/** WhatsApp, by way of Baileys; null when that is not installed. */
export async function createWhatsApp(deps: {
  clock: Clock
  activity: Activity
  logger: Logger
  settings: LineSettings
  onError: (error: unknown) => void
}): Promise<Network | null> {
  const baileys = await loadBaileys()
  if (!baileys) return null
  return {
    name: 'whatsapp',
    open: (account, listener) => openSession({ ...deps, baileys, account, listener }),
    // Whoever has no line cannot unpair: the telephone lists the device until its owner removes it.
    forget: async () => {},
    stop: async () => {},
  }
}
