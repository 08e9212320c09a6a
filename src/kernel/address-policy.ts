import { BlockList, isIP, isIPv4 } from 'node:net'

/** A parsed address range. `text` is the range as it was written. */
export type Cidr = { address: string; prefix: number; family: 'ipv4' | 'ipv6'; text: string }

const DENIED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
]
/** Everything outside global unicast (2000::/3) is denied: a deny list of the other ranges would always miss one. */
const GLOBAL_V6 = '2000::/3'
const DENIED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** Parses `10.0.0.0/8` or a bare address, which counts as a range of one. Returns null for anything else. */
export function parseCidr(text: string): Cidr | null {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return null
  const most = version === 4 ? 32 : 128
  const prefix = bits === undefined ? most : Number(bits)
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || prefix > most)) return null
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6', text }
}

/** Creates a list that contains these ranges. */
export function blockList(cidrs: (Cidr | null)[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) if (cidr) list.addSubnet(cidr.address, cidr.prefix, cidr.family)
  return list
}

/** The IPv4 address inside ::ffff:0:0/96, or null. */
function mappedV4(address: string): string | null {
  const normal = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1)
  const groups = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(normal)
  if (!groups) return null
  const high = Number.parseInt(groups[1] ?? '0', 16)
  const low = Number.parseInt(groups[2] ?? '0', 16)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Decides which IP addresses outgoing connections may reach. */
export type AddressPolicy = {
  /**
   * Whether a connection to this literal IP address is permitted. Returns false for anything that is not an IP address.
   */
  permits(address: string): boolean
}

/**
 * Creates the policy for outgoing connections. `deny` wins over `allow`, which wins over the built-in list of private
 * and special ranges (G52).
 */
export function createAddressPolicy(options: {
  allow: Cidr[]
  deny: Cidr[]
  /** This machine's own addresses, denied unless `allow` covers them because our own listeners are behind them. */
  own?: string[]
}): AddressPolicy {
  const allowed = blockList(options.allow)
  const refused = blockList(options.deny)
  const own = blockList((options.own ?? []).map(parseCidr))
  const deniedV4 = blockList(DENIED_V4.map(parseCidr))
  const globalV6 = blockList([parseCidr(GLOBAL_V6)])
  const deniedV6 = blockList(DENIED_V6.map(parseCidr))

  function permits(address: string): boolean {
    if (isIP(address) === 0 || address.includes('%')) return false
    if (isIPv4(address)) {
      if (refused.check(address)) return false
      return allowed.check(address) || !(deniedV4.check(address) || own.check(address))
    }
    const inner = mappedV4(address)
    if (inner !== null) return permits(inner)
    if (refused.check(address, 'ipv6')) return false
    if (allowed.check(address, 'ipv6')) return true
    if (own.check(address, 'ipv6')) return false
    return globalV6.check(address, 'ipv6') && !deniedV6.check(address, 'ipv6')
  }
  return { permits }
}
