import { streamEvents, type EventsQuery, type WebSocketConstructor } from './events.ts'
import { createBinders } from './binders.ts'
import { nameResources } from './generated/resources.gen.ts'
import { createTransport, type TransportOptions } from './transport.ts'
import { verify } from './webhooks.ts'
/** Settings of the SDK. */
export type RecadoOptions = TransportOptions & {
  /** For environments whose global WebSocket cannot send headers, or that have none. */
  WebSocket?: WebSocketConstructor
}
function createRecado(options: RecadoOptions) {
  const transport = createTransport(options)
  const { webhooks, ...resources } = nameResources(createBinders(transport))
  const Socket = options.WebSocket ?? (globalThis.WebSocket as unknown as WebSocketConstructor)
  return {
    ...resources,
    webhooks: { ...webhooks, verify },
    /** Receives events as they happen; see `streamEvents`. */
    events: (query: EventsQuery = {}) => streamEvents(transport, query, Socket),
  }
}
/** The calls of an API key, grouped by resource; see `createBinders`. */
export type Recado = ReturnType<typeof createRecado>
/** The client: `new Recado({ apiKey })`. Calls are repeated after transient failures, and nothing is sent twice. */
export const Recado = createRecado as unknown as new (options: RecadoOptions) => Recado
