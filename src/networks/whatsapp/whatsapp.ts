import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import type { AddressPolicy } from '../../kernel/address-policy.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createSemaphore } from '../../kernel/semaphore.ts'
import type { Egress } from '../../platform/egress/safe-fetch.ts'
import type { Network } from '../network.port.ts'
import { isBaileysInstalled } from './baileys.ts'
import type { LineSettings } from './line.ts'
import { openSession } from './session.ts'

/** More at a time take longer all together: each that waits for the processor may run into its deadline and begin again. */
const COMING_UP_PER_CORE = 5

/** WhatsApp, by way of Baileys; null when that is not installed. Nothing of it is loaded before an account needs it. */
export function createWhatsApp(deps: {
  clock: Clock
  activity: PendingWork
  logger: Logger
  settings: LineSettings
  egress: Egress
  policy: AddressPolicy
  onError: (error: unknown) => void
}): Network | null {
  if (!isBaileysInstalled()) return null
  const gate = createSemaphore(COMING_UP_PER_CORE * availableParallelism())
  return {
    name: 'whatsapp',
    open: (account, listener) => openSession({ ...deps, gate, account, listener }),
    // Whoever has no line cannot unpair: the telephone lists the device until its owner removes it.
    forget: async () => {},
    stop: async () => {},
  }
}
