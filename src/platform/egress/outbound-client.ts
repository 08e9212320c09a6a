import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { buildConnector, Dispatcher } from 'undici'
import type { Readable } from 'node:stream'
import type { Budget } from '../../kernel/budget.ts'

/** An outgoing request of which only the status and redirect target are read. */
export type Exchange = {
  url: URL
  method: 'POST' | 'GET'
  headers: Record<string, string>
  body: Buffer | null
  budget: Budget
  /** The tenant whose limits the request counts against. */
  tenant: string
}
/** The status and `Location` of a response. */
export type ResponseHead = { status: number; location: string | null }
/** A response with its body. */
export type Download = ResponseHead & { contentType: string | null; body: Readable }

/** Outgoing connections for callers that need more than the status of a response. */
export type OutboundClient = {
  /**
   * Sends one request and resolves with its response. The body fails when the time budget is exceeded; the caller must
   * read or destroy it. The request body may be a stream.
   */
  download(
    request: Omit<Exchange, 'body' | 'tenant'> & { body: Buffer | Readable | null },
  ): Promise<Download>
  /** An agent for clients with their own protocol, with the same restrictions. */
  agent(protocol: 'http:' | 'https:'): HttpAgent
  /** The undici dispatcher, with the same restrictions. */
  dispatcher: Dispatcher
  /** Destroys all connections. */
  close(): Promise<void>
}

/** Creates a client whose connections are made by `connect` (for `agent`) and by `dispatcher` (for everything else). */
export function createOutboundClient(
  connect: buildConnector.connector,
  dispatcher: Dispatcher,
): OutboundClient {
  return {
    dispatcher,
    async download({ url, method, headers, body, budget }) {
      const abort = new AbortController()
      budget.watch((reason) => abort.abort(reason))
      const answer = await dispatcher.request({
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
    agent(protocol) {
      const agent = protocol === 'https:' ? new HttpsAgent() : new HttpAgent()
      agent.createConnection = ({ host, port }, created) => {
        const hostname = host ?? ''
        const target = { hostname, host: hostname, protocol, port: String(port ?? '') }
        connect(target, (...[error, socket]) => {
          if (error) created?.(error, undefined as never)
          else created?.(null, socket)
        })
        // Node accepts a connection passed to the callback later.
        return undefined
      }
      return agent
    },
    close: () => dispatcher.destroy(),
  }
}
