import { createAddressPolicy } from '../../kernel/address-policy.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Config } from '../../kernel/config/config.ts'
import { ownAddresses } from './own-addresses.ts'
import { createResolver } from './resolver.ts'
import { createEgress } from './safe-fetch.ts'

/** Creates the client for outgoing requests with the configured policy, name servers and proxy. */
export function openEgress(
  { egress: settings }: Pick<Config, 'egress'>,
  clock: Clock,
  maxSockets: number,
) {
  const policy = createAddressPolicy({ ...settings, own: ownAddresses() })
  const resolver = createResolver({ clock, servers: settings.dns })
  const egress = createEgress({ clock, policy, resolver, ...settings, maxSockets })
  return { policy, egress }
}
