import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import type { AddressPolicy } from '../../kernel/address-policy.ts'
import { portOf, ProxyError, tunnelThrough } from './proxy-tunnel.ts'
import type { NameResolver, ResolvedAddress } from './resolver.ts'
import { literalAddress } from './target-url.ts'

/** The target is, or resolves to, an address that the policy denies. */
class ForbiddenAddress extends Error {
  readonly code = 'FORBIDDEN_ADDRESS'
  constructor() {
    super('address not permitted')
  }
}

const CONNECT_TIMEOUT_MS = 15_000

/**
 * Creates a connector that reaches only permitted addresses. Names are resolved here: every resolved address is checked
 * against the policy, the connection goes to a checked address, and the address the socket actually reached is checked
 * again. If there is a proxy, every connection goes through it.
 */
export function createConnector(options: {
  policy: AddressPolicy
  resolver: NameResolver
  /** The operator's proxy, used for all connections. */
  proxy: string | null
  /** A tenant's proxy, reached through the operator's: its own address is checked, and it connects to the target. */
  tenantProxy?: string | null
}): buildConnector.connector {
  const { policy, resolver, proxy, tenantProxy = null } = options

  async function resolvePermitted(hostname: string): Promise<ResolvedAddress[]> {
    const literal = literalAddress(hostname)
    const addresses: ResolvedAddress[] = literal
      ? [{ address: literal, family: literal.includes(':') ? 6 : 4 }]
      : await resolver.resolve(hostname)
    if (!addresses.every(({ address }) => policy.permits(address))) throw new ForbiddenAddress()
    return addresses
  }

  const lookup: LookupFunction = (hostname, lookupOptions, callback) => {
    resolvePermitted(hostname).then(
      (addresses) => {
        const [first] = addresses
        if (lookupOptions.all) callback(null, addresses)
        else callback(null, first?.address ?? '', first?.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 4),
    )
  }
  const direct = buildConnector({
    lookup,
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    minVersion: 'TLSv1.2',
    maxCachedSessions: 200,
  })

  /** Connects to a checked address, through the operator's proxy if there is one. */
  async function reach(hostname: string, port: number): Promise<Socket> {
    if (proxy) {
      const [first] = await resolvePermitted(hostname)
      return dialThrough(new URL(proxy), { host: first?.address ?? '', port })
    }
    const target = { hostname, host: hostname, protocol: 'http:', port: String(port) }
    return new Promise((resolve, reject) =>
      dial(target, (...[error, socket]) => (error ? reject(error) : resolve(socket))),
    )
  }

  const dial: buildConnector.connector = (target, callback) => {
    const literal = literalAddress(target.hostname)
    if (literal && !policy.permits(literal)) {
      callback(new ForbiddenAddress(), null)
      return
    }
    direct(target, (...[error, socket]) => {
      if (error) callback(error, null)
      else if (!policy.permits(socket.remoteAddress ?? '')) {
        socket.destroy()
        callback(new ForbiddenAddress(), null)
      } else callback(null, socket)
    })
  }

  async function connect(hostname: string, port: number): Promise<Socket> {
    if (!tenantProxy) return reach(hostname, port)
    const literal = literalAddress(hostname)
    if (literal && !policy.permits(literal)) throw new ForbiddenAddress()
    const through = new URL(tenantProxy)
    const socket = await reach(through.hostname.replace(/^\[|\]$/g, ''), portOf(through))
    return tunnelThrough(socket, through, { host: hostname, port })
  }

  if (!proxy && !tenantProxy) return dial
  return (target, callback) => {
    connect(target.hostname, Number(target.port || defaultPort(target))).then(
      (socket) => {
        if (target.protocol === 'https:') direct({ ...target, httpSocket: socket }, callback)
        else callback(null, socket)
      },
      (error: Error) => callback(error, null),
    )
  }
}

function defaultPort(target: buildConnector.Options): number {
  return target.protocol === 'https:' ? 443 : 80
}

/**
 * Has the operator's proxy connect to a checked address, never to a name. The address of the proxy itself is not
 * checked because the operator configured it.
 */
async function dialThrough(proxy: URL, target: { host: string; port: number }): Promise<Socket> {
  const socket = connectTcp({
    host: proxy.hostname,
    port: portOf(proxy),
    timeout: CONNECT_TIMEOUT_MS,
  })
  await new Promise<void>((resolve, reject) => {
    const fails = () => {
      socket.destroy()
      reject(new ProxyError(`cannot reach proxy ${proxy.host}`))
    }
    socket.once('error', fails).once('timeout', fails)
    socket.once('connect', () => {
      socket.off('error', fails).off('timeout', fails)
      resolve()
    })
  })
  return tunnelThrough(socket, proxy, target)
}
