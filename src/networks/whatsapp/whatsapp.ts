import type { Logger } from 'pino'
import type { Activity } from '../../lib/activity.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Egress } from '../../lib/safe-fetch.ts'
import type { Network } from '../network.port.ts'
import { loadBaileys } from './baileys.ts'
import type { LineSettings } from './line.ts'
import { createWhatsAppMedia } from './media.ts'
import { openSession } from './session.ts'

/** WhatsApp, by way of Baileys; null when that is not installed. */
export async function createWhatsApp(deps: {
  clock: Clock
  activity: Activity
  logger: Logger
  settings: LineSettings & { mediaOrigin: string | null }
  egress: Egress
  onError: (error: unknown) => void
}): Promise<Network | null> {
  const baileys = await loadBaileys()
  if (!baileys) return null
  const { clock, egress, settings } = deps
  const media = createWhatsAppMedia({ clock, egress, origin: settings.mediaOrigin })
  return {
    name: 'whatsapp',
    open: (account, listener) => openSession({ ...deps, baileys, media, account, listener }),
    // Whoever has no line cannot unpair: the telephone lists the device until its owner removes it.
    forget: async () => {},
    stop: async () => {},
  }
}
