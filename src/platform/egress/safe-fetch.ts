import { AsyncLocalStorage } from 'node:async_hooks'
import { Agent, type Dispatcher } from 'undici'
import type { AddressPolicy } from '../../kernel/address-policy.ts'
import type { Clock, Timer } from '../../kernel/clock.ts'
import { createConnector } from './egress-connect.ts'
import {
  createOutboundClient,
  type OutboundClient,
  type Exchange,
  type ResponseHead,
} from './outbound-client.ts'
import type { NameResolver } from './resolver.ts'

/** The client for all outgoing requests that a tenant can cause. */
export type Egress = {
  /**
   * Sends one request to a permitted address and resolves when the response headers arrive. Does not follow redirects.
   */
  exchange(request: Exchange): Promise<ResponseHead>
  /** Like `exchange`, but connects to a listener of this process instead of resolving the URL's host name. */
  exchangeWithListener(
    listener: { host: string; port: number },
    request: Exchange,
  ): Promise<ResponseHead>
  /** A client through a tenant's proxy; without a proxy, the shared one. */
  viaProxy(proxyUrl: string | null): OutboundClient
} & OutboundClient

const BODY_DISCARD_BYTES = 16 * 1024
const BODY_DISCARD_MS = 250

/*
 * Connections per origin are not limited: many tenants may share an origin, and a request waiting for a connection
 * would spend its time budget on another tenant's hanging requests. The dispatcher limits concurrent requests.
 */
const AGENT_OPTIONS = {
  pipelining: 1,
  keepAliveTimeout: 10_000,
  keepAliveMaxTimeout: 30_000,
  // Backstop only: the time budget normally ends a request first.
  headersTimeout: 16_000,
  bodyTimeout: 16_000,
  maxHeaderSize: 16 * 1024,
} as const

/** Creates the client for outgoing requests. */
export function createEgress(options: {
  clock: Clock
  policy: AddressPolicy
  resolver: NameResolver
  proxy: string | null
  /** With this many open sockets, connections are closed after their response instead of being kept alive. */
  maxSockets: number
}): Egress {
  const { clock, policy, resolver, proxy, maxSockets: mostSockets } = options
  /** The tenant of the request that opens a connection; lookups of its host name count against the tenant's limit. */
  const tenantOf = new AsyncLocalStorage<string>()
  const attributed: NameResolver = {
    resolve: (name) => resolver.resolve(name, tenantOf.getStore() ?? null),
  }
  const connect = createConnector({ policy, resolver: attributed, proxy })

  const viaProxy: Egress['viaProxy'] = (tenantProxy) => {
    if (!tenantProxy) return { ...door, close: async () => {} }
    const connector = createConnector({ policy, resolver, proxy, tenantProxy })
    const dispatcher = new Agent({ ...AGENT_OPTIONS, connect: connector })
    return createOutboundClient(connector, dispatcher)
  }
  let sockets = 0
  const outside = new Agent({
    ...AGENT_OPTIONS,
    connect: (target, callback) =>
      connect(target, (...[error, socket]) => {
        // Without a connection nothing was sent, which a caller that must not repeat a request needs to know.
        if (error) callback(Object.assign(error, { unsent: true }), null)
        else {
          sockets++
          socket.once('close', () => sockets--)
          callback(null, socket)
        }
      }),
  })
  const own = new Agent(AGENT_OPTIONS)
  const door = createOutboundClient(connect, outside)
  return {
    ...door,
    viaProxy: viaProxy,
    exchange: (request) => {
      const { origin } = request.url
      const reset = sockets >= mostSockets
      return tenantOf.run(request.tenant, () =>
        dispatch(outside, { origin, reset }, request, clock),
      )
    },
    exchangeWithListener: (listener, request) => {
      const origin = `http://${bracketed(listener.host)}:${listener.port}`
      return dispatch(own, { origin, reset: false }, request, clock)
    },
    async close() {
      await Promise.all([door.close(), own.destroy()])
    },
  }
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

function dispatch(
  agent: Dispatcher,
  { origin, reset }: { origin: string; reset: boolean },
  request: Exchange,
  clock: Clock,
): Promise<ResponseHead> {
  const { url, method, headers, body, budget } = request
  return new Promise((resolve, reject) => {
    let received = 0
    let ended = false
    let discarding: Timer | null = null
    budget.watch(reject)
    agent.dispatch(
      {
        origin,
        reset,
        path: url.pathname + url.search,
        method,
        headers: { host: url.host, ...headers },
        body,
      },
      {
        onRequestStart(controller) {
          budget.watch((reason) => {
            reject(reason)
            controller.abort(reason)
          })
        },
        onResponseStart(controller, status, responseHeaders) {
          if (status < 200) return
          const { location } = responseHeaders
          resolve({ status, location: typeof location === 'string' ? location : null })
          // The response body is not used: read a little, so that the connection can be reused, and then abort.
          const stop = () => controller.abort(new Error('body discarded'))
          budget.watch(stop)
          // A short body usually arrives with its headers and ends in this turn, so most responses need no timer.
          queueMicrotask(() => {
            if (!ended) discarding = clock.after(BODY_DISCARD_MS, stop)
          })
        },
        onResponseData(controller, chunk) {
          received += chunk.length
          if (received > BODY_DISCARD_BYTES) controller.abort(new Error('body discarded'))
        },
        onResponseEnd() {
          ended = true
          discarding?.cancel()
        },
        onResponseError(_controller, error) {
          ended = true
          discarding?.cancel()
          reject(error)
        },
      },
    )
  })
}
