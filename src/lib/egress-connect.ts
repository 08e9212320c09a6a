import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import type { AddressPolicy } from './address-policy.ts'
import type { NameResolver, ResolvedAddress } from './resolver.ts'
import { literalAddress } from './target-url.ts'

/** The target is, or resolves to, an address that the product must not dial. */
class ForbiddenAddress extends Error {
  readonly code = 'FORBIDDEN_ADDRESS'
  constructor() {
    super('address not permitted')
  }
}

const CONNECT_MS = 15_000
const LONGEST_PROXY_ANSWER = 8192

/**
 * Connects only to addresses that the policy permits. A name is resolved here, every answer is judged, the
 * connection goes to a judged address, and the address that the socket really reached is judged again.
 */
export function createConnector(options: {
  policy: AddressPolicy
  resolver: NameResolver
  proxy: string | null
}): buildConnector.connector {
  const { policy, resolver, proxy } = options

  async function vet(hostname: string): Promise<ResolvedAddress[]> {
    const literal = literalAddress(hostname)
    const addresses: ResolvedAddress[] = literal
      ? [{ address: literal, family: literal.includes(':') ? 6 : 4 }]
      : await resolver.resolve(hostname)
    if (!addresses.every(({ address }) => policy.permits(address))) throw new ForbiddenAddress()
    return addresses
  }

  const lookup: LookupFunction = (hostname, lookupOptions, callback) => {
    vet(hostname).then(
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
    timeout: CONNECT_MS,
    allowH2: false,
    minVersion: 'TLSv1.2',
    maxCachedSessions: 200,
  })

  return (target, callback) => {
    if (proxy) {
      vet(target.hostname)
        .then(([first]) =>
          tunnel(proxy, first?.address ?? '', Number(target.port || defaultPort(target))),
        )
        .then((socket) => {
          if (target.protocol === 'https:') direct({ ...target, httpSocket: socket }, callback)
          else callback(null, socket)
        })
        .catch((error: Error) => callback(error, null))
      return
    }
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
}

function defaultPort(target: buildConnector.Options): number {
  return target.protocol === 'https:' ? 443 : 80
}

/** Asks the operator's proxy for a tunnel to an address that was judged, never to a name. */
function tunnel(proxy: string, address: string, port: number): Promise<Socket> {
  const { hostname, port: proxyPort } = new URL(proxy)
  const authority = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host: hostname, port: Number(proxyPort || 80) })
    const refuse = (error: Error) => {
      socket.destroy()
      reject(error)
    }
    const proxyFails = () =>
      refuse(Object.assign(new Error('proxy unreachable'), { code: 'EGRESS_PROXY' }))
    let answer = ''
    const read = (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      const end = answer.indexOf('\r\n\r\n')
      if (end === -1 && answer.length <= LONGEST_PROXY_ANSWER) return
      socket.off('data', read).off('error', proxyFails).off('close', proxyFails)
      socket.setTimeout(0)
      if (/^HTTP\/1\.[01] 2\d\d/.test(answer)) resolve(socket)
      // The proxy works and could not reach the target: that is the target's failure.
      else refuse(Object.assign(new Error('proxy refused'), { code: 'EHOSTUNREACH' }))
    }
    socket.setTimeout(CONNECT_MS, proxyFails)
    socket.on('data', read).once('error', proxyFails).once('close', proxyFails)
    socket.once('connect', () =>
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`),
    )
  })
}
