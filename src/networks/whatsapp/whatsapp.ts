import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import type { AddressPolicy } from '../../kernel/address-policy.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createFairSemaphore } from '../../kernel/fair-semaphore.ts'
import { createLoopTurns } from '../../kernel/loop-turns.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { Egress } from '../../platform/egress/safe-fetch.ts'
import type { Capability, Network } from '../network.port.ts'
import { isBaileysInstalled } from './baileys.ts'
import { createClientVersions } from './client-version.ts'
import type { WhatsAppSettings } from './connection.ts'
import { openSession } from './session.ts'
import { nameInstance } from '../name-instance.ts'

/** With more sessions connecting at once, all take longer: those that wait for the CPU time out and start again. */
const CONNECTS_PER_CORE = 5
/** Connect slots that a single Project must leave to the others. */
const RESERVED_CONNECTS = 2
/** Sessions that encrypt messages in one turn of the event loop. */
const SENDERS_PER_TURN = 2
/** A session that could not connect by then starts again, as after a failed connection. */
const MAX_CONNECT_WAIT_MS = 3600_000

/** All capabilities except those that only the official API has. */
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
  'publishing',
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
  onError: (error: unknown, task?: string) => void
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
  const connects = CONNECTS_PER_CORE * availableParallelism()
  const gate = createFairSemaphore({
    clock: deps.clock,
    max: connects,
    maxPerKey: connects - RESERVED_CONNECTS,
    maxWaiting: Infinity,
    timeoutMs: MAX_CONNECT_WAIT_MS,
  })
  const turns = createLoopTurns(SENDERS_PER_TURN)
  return {
    name: 'whatsapp',
    capabilities: WHATSAPP_CAPABILITIES,
    open: (account, listener) =>
      openSession({
        ...deps,
        versions,
        turns,
        // Round-robin by Project, because all connections of one may hang behind a proxy that never responds.
        gate: (work) => gate(account.projectId, work),
        account,
        listener,
        onError: nameInstance(deps.onError, account.instanceId),
      }),
    // Cannot unpair without a connection: the phone lists the device until its owner removes it.
    unpair: async () => {},
    stop: async () => {},
  }
}
