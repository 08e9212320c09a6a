import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import type { AddressPolicy } from '../../kernel/address-policy.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createSemaphore } from '../../kernel/semaphore.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { Egress } from '../../platform/egress/safe-fetch.ts'
import type { Capability, Network } from '../network.port.ts'
import { isBaileysInstalled } from './baileys.ts'
import { createClientVersions } from './client-version.ts'
import type { WhatsAppSettings } from './connection.ts'
import { openSession } from './session.ts'

/** With more sessions connecting at once, all take longer: those that wait for the CPU time out and start again. */
const CONNECTS_PER_CORE = 5

/** Everything but what only the official API has. */
export const WHATSAPP_CAPABILITIES = new Set<Capability>([
  'codes',
  'groups',
  'changes',
  'phone',
  'history',
  'lookups',
  'polls',
  'viewOnce',
  'albums',
  'blocking',
])

/** Creates the WhatsApp network on Baileys, which is loaded when an account needs it; null if it is not installed. */
export function createWhatsApp(deps: {
  clock: Clock
  activity: PendingWork
  logger: Logger
  metrics: Metrics
  settings: WhatsAppSettings
  egress: Egress
  policy: AddressPolicy
  onError: (error: unknown) => void
}): Network | null {
  if (!isBaileysInstalled()) return null
  const { clock, policy, settings, metrics, egress, onError } = deps
  const versions = createClientVersions({
    clock,
    policy,
    client: egress,
    metrics,
    replaced: settings.url !== null,
    source: settings.versionUrl,
    pinned: settings.version,
    onError,
  })
  const gate = createSemaphore(CONNECTS_PER_CORE * availableParallelism())
  return {
    name: 'whatsapp',
    capabilities: WHATSAPP_CAPABILITIES,
    open: (account, listener) => openSession({ ...deps, versions, gate, account, listener }),
    // Cannot unpair without a connection: the phone lists the device until its owner removes it.
    unpair: async () => {},
    stop: async () => {},
  }
}
