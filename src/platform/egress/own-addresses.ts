import { networkInterfaces } from 'node:os'

/** The IP addresses of this machine's network interfaces. */
export function ownAddresses(): string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  return interfaces.map(({ address }) => address.split('%')[0] ?? '')
}
