import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { buildConnector, Dispatcher } from 'undici'
import type { Readable } from 'node:stream'
import type { Budget } from '../../kernel/budget.ts'

export type Exchange = {
  url: URL
  method: 'POST' | 'GET'
  headers: Record<string, string>
  body: Buffer | null
  budget: Budget
  /** Whose request it is, for limits per tenant. */
  tenant: string
}
export type Head = { status: number; location: string | null }
export type Download = Head & { contentType: string | null; body: Readable }

/** A way out for whoever needs more than an answer's status. */
export type Door = {
  /**
   * One request, with its answer's body, which ends with an error when the budget does; what is sent may be a stream.
   * The caller reads the body or destroys it.
   */
  download(
    request: Omit<Exchange, 'body' | 'tenant'> & { body: Buffer | Readable | null },
  ): Promise<Download>
  /** For clients that bring their own protocol: their connections go the same way. */
  agent(protocol: 'http:' | 'https:'): HttpAgent
  dispatcher: Dispatcher
  close(): Promise<void>
}

export function createDoor(connect: buildConnector.connector, dispatcher: Dispatcher): Door {
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
        // The connection comes later.
        return undefined
      }
      return agent
    },
    close: () => dispatcher.destroy(),
  }
}
