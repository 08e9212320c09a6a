import type { Readable } from 'node:stream'
import { Agent, type Dispatcher } from 'undici'
import type { AddressPolicy } from './address-policy.ts'
import type { Clock, Timer } from './clock.ts'
import { createConnector } from './egress-connect.ts'
import type { NameResolver } from './resolver.ts'

/** The attempt's time is used up. */
class BudgetSpent extends Error {
  readonly code = 'BUDGET_SPENT'
  constructor() {
    super('time budget spent')
  }
}

/** The time that a whole attempt may take, however many requests it makes. */
export type Budget = {
  /** Calls `abort` when the time is used up; one request at a time. */
  watch(abort: (reason: Error) => void): void
  end(): void
}

export function startBudget(clock: Clock, ms: number): Budget {
  let abort: ((reason: Error) => void) | null = null
  let spent = false
  const timer = clock.after(ms, () => {
    spent = true
    abort?.(new BudgetSpent())
  })
  return {
    watch(next) {
      abort = next
      if (spent) next(new BudgetSpent())
    },
    end() {
      abort = null
      timer.cancel()
    },
  }
}

export type Exchange = {
  url: URL
  method: 'POST' | 'GET'
  headers: Record<string, string>
  body: Buffer | null
  budget: Budget
}
export type Head = { status: number; location: string | null }
export type Download = Head & { contentType: string | null; body: Readable }

/** The only door to the outside: every request that a tenant can cause goes through it. */
export type Egress = {
  /** One request to a judged address; redirects are the caller's business. Resolves when the headers arrive. */
  exchange(request: Exchange): Promise<Head>
  /** The same, to a listener of our own, whatever the URL's name resolves to. */
  exchangeWith(listener: { host: string; port: number }, request: Exchange): Promise<Head>
  /**
   * The same, with the answer's body, which ends with an error when the budget does; what is sent may be a stream. The
   * caller reads the body or destroys it.
   */
  download(request: Omit<Exchange, 'body'> & { body: Buffer | Readable | null }): Promise<Download>
  close(): Promise<void>
}

const BODY_DISCARD_BYTES = 16 * 1024
const BODY_DISCARD_MS = 250

/*
 * No limit of connections to an origin: many tenants may share one, and who waits for a connection would spend his
 * budget on another's hanging requests. The dispatcher limits what is on the wire.
 */
const AGENT_OPTIONS = {
  pipelining: 1,
  keepAliveTimeout: 10_000,
  keepAliveMaxTimeout: 30_000,
  // Belts only: the budget decides.
  headersTimeout: 16_000,
  bodyTimeout: 16_000,
  maxHeaderSize: 16 * 1024,
} as const

export function createEgress(options: {
  clock: Clock
  policy: AddressPolicy
  resolver: NameResolver
  proxy: string | null
  /** From so many open sockets on none is kept after its answer. */
  mostSockets: number
}): Egress {
  const { clock, policy, resolver, proxy, mostSockets } = options
  const connect = createConnector({ policy, resolver, proxy })
  let sockets = 0
  const outside = new Agent({
    ...AGENT_OPTIONS,
    connect: (target, callback) =>
      connect(target, (...[error, socket]) => {
        if (error) callback(error, null)
        else {
          sockets++
          socket.once('close', () => sockets--)
          callback(null, socket)
        }
      }),
  })
  const own = new Agent(AGENT_OPTIONS)
  return {
    exchange: (request) => {
      const { origin } = request.url
      return dispatch(outside, { origin, reset: sockets >= mostSockets }, request, clock)
    },
    exchangeWith: (listener, request) => {
      const origin = `http://${bracketed(listener.host)}:${listener.port}`
      return dispatch(own, { origin, reset: false }, request, clock)
    },
    async download({ url, method, headers, body, budget }) {
      const abort = new AbortController()
      budget.watch((reason) => abort.abort(reason))
      const answer = await outside.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { host: url.host, ...headers },
        body,
        signal: abort.signal,
        reset: true,
      })
      const { location, 'content-type': contentType } = answer.headers
      return {
        status: answer.statusCode,
        location: typeof location === 'string' ? location : null,
        contentType: typeof contentType === 'string' ? contentType : null,
        body: answer.body,
      }
    },
    async close() {
      await Promise.all([outside.destroy(), own.destroy()])
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
): Promise<Head> {
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
          // The answer's body means nothing to us: read a little, to keep the connection, and no more.
          const stop = () => controller.abort(new Error('body discarded'))
          budget.watch(stop)
          // A short body has come with its headers and ends in this turn: most answers need no timer.
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
