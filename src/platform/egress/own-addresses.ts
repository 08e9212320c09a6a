import { networkInterfaces } from 'node:os'

/** The addresses of this machine's interfaces. */
export function ownAddresses(): string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  return interfaces.map(({ address }) => address.split('%')[0] ?? '')
}
